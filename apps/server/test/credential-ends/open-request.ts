import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { stackFacts } from '@ars/testkit/stack'
import type { Credential } from '../access-matrix/credentials.ts'

/** A request on its own connection that stays open: a stream, a wait, or a body that is not sent to its end. */
export type OpenRequest = {
  /** Null: no response has begun. */
  status(): number | null
  text(): string
  isOver(): boolean
  /** Sends the rest of the body. */
  finish(): void
  leave(): void
}

export type Asked = {
  method: string
  path: string
  body?: unknown
  headers?: Record<string, string>
  /** The last byte of the body waits for `finish()`. */
  holdsBody?: boolean
}

export const openRequest = (url: string, { key, headers }: Credential, asked: Asked): OpenRequest => {
  const payload = asked.body === undefined ? undefined : JSON.stringify(asked.body)
  let answer: IncomingMessage | undefined
  let text = ''
  let isOver = false
  const request = https.request(
    url + asked.path,
    {
      method: asked.method,
      ca: readFileSync(stackFacts().tls.certFile),
      agent: false,
      headers: {
        ...(typeof key === 'string' ? { authorization: `Bearer ${key}` } : {}),
        ...(payload === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) }),
        ...headers,
        ...asked.headers,
      },
    },
    (response) => {
      answer = response
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('error', () => undefined)
      response.on('close', () => {
        isOver = true
      })
    },
  )
  request.on('error', () => {
    isOver = true
  })
  if (asked.holdsBody) request.write((payload ?? '').slice(0, -1))
  else request.end(payload)
  return {
    status: () => answer?.statusCode ?? null,
    text: () => text,
    isOver: () => isOver,
    finish: () => void request.end((payload ?? '').slice(-1)),
    leave: () => void request.destroy(),
  }
}
