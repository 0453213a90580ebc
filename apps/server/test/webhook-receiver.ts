import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Certificate, makeCertificate } from '@ars/platform/egress/test/certificate'

/** A request to an endpoint, byte for byte. `body` is complete before the response. */
export type Call = { path: string; headers: IncomingMessage['headers']; body: Buffer }

export type Answer = (call: Call, response: ServerResponse, number: number) => void

/** A customer's HTTPS server with any number of endpoints. Each answers 204 by default. */
export type Receiver = {
  url(path: string): string
  on(path: string, answer: Answer): string
  /** The requests to a path, in order. */
  calls(path: string): Call[]
  /** Settings of an app that may call it, and that stores secrets. */
  env: Record<string, string>
  close(): Promise<void>
}

/** A certificate in a file, as an operator names one in ARS_EGRESS_CA_FILE. */
type Authority = { certificate: Certificate; file: string }

let authority: Authority | undefined

/** The certificate of all receivers of this process. The shared app trusts it. */
export const receiverAuthority = (): Authority => {
  const makeAuthority = (): Authority => {
    const certificate = makeCertificate(['127.0.0.1'])
    return { certificate, file: keepCertificates([certificate]) }
  }
  authority ??= makeAuthority()
  return authority
}

const keepCertificates = (certificates: readonly Certificate[]): string => {
  const file = join(mkdtempSync(join(tmpdir(), 'receiver-')), 'ca.pem')
  writeFileSync(file, certificates.map(({ cert }) => cert).join(''))
  return file
}

/** `trusted` are certificates of other servers that an app with the settings of this receiver must trust. */
export const startReceiver = async (trusted: readonly Certificate[] = []): Promise<Receiver> => {
  const { certificate, file } = receiverAuthority()
  const caFile = trusted.length === 0 ? file : keepCertificates([certificate, ...trusted])
  const answers = new Map<string, Answer>()
  const calls: Call[] = []

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const call = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) }
    const number = calls.push(call) && calls.filter(({ path }) => path === call.path).length
    const answer = answers.get(call.path) ?? respond(204)
    answer(call, response, number)
  }
  const server = createServer({ ...certificate }, (request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = (path: string): string => `https://127.0.0.1:${port}${path}`

  return {
    url,
    on: (path, answer) => {
      answers.set(path, answer)
      return url(path)
    },
    calls: (path) => calls.filter((call) => call.path === path),
    env: {
      ARS_EGRESS_ALLOW_RANGES: '127.0.0.0/8',
      ARS_EGRESS_ALLOW_PORTS: 'any',
      ARS_EGRESS_CA_FILE: caFile,
      ARS_KEKS: `test:${randomBytes(32).toString('base64')}`,
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Answers with one status, or with one for each call and the last for all later calls. */
export const respond =
  (...statuses: readonly number[]): Answer =>
  (_, response, number) => {
    response.writeHead(statuses[Math.min(number, statuses.length) - 1] ?? 204)
    response.end()
  }
