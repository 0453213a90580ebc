import { readFileSync } from 'node:fs'
import http2 from 'node:http2'
import https from 'node:https'
import { stackFacts } from '@ars/testkit/stack'
import { Agent, request } from 'undici'

// biome-ignore lint/suspicious/noExplicitAny: the tests assert the fields that they read
export type Frame = { id: number; event: string; data: any }

export type StreamOptions = {
  method?: 'GET' | 'POST' | 'HEAD'
  key: string
  body?: unknown
  headers?: Record<string, string>
  /** Breaks the connection after this many bytes of the body. */
  cutAfterBytes?: number | undefined
}

export type ReadStream = {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** The part of the body that arrived. */
  text: string
  /** Complete frames. */
  frames: Frame[]
  /** `end`: the server ended it; `cut`: the client did; `broken`: the server broke the connection. */
  how: 'end' | 'cut' | 'broken'
}

/** Reads a stream to its end, as a client that can be cut at any byte, on a separate connection. */
export const readStream = async (url: string, options: StreamOptions): Promise<ReadStream> => {
  const agent = new Agent({ connect: { ca: certificate() } })
  try {
    const { statusCode, headers, body } = await request(url, {
      method: options.method ?? 'GET',
      dispatcher: agent,
      headers: {
        authorization: `Bearer ${options.key}`,
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    })
    const chunks: Buffer[] = []
    let bytes = 0
    let how: ReadStream['how'] = 'end'
    const most = options.cutAfterBytes ?? Number.POSITIVE_INFINITY
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        chunks.push(chunk)
        bytes += chunk.length
        if (bytes >= most) break
      }
    } catch {
      how = 'broken'
    }
    const whole = Buffer.concat(chunks)
    if (bytes >= most) how = 'cut'
    const text = whole.subarray(0, Math.min(bytes, most)).toString('utf8')
    return { status: statusCode, headers, text, frames: parseFrames(text), how }
  } finally {
    await agent.destroy()
  }
}

/** Reconnects after every break, as a client does, until the server ends the stream. */
export const readToEnd = async (
  open: (lastEventId: string | undefined) => Promise<ReadStream>,
): Promise<{ frames: Frame[]; connections: number }> => {
  const frames: Frame[] = []
  for (let connections = 1; ; connections++) {
    const lastId = frames.at(-1)?.id
    const read = await open(lastId === undefined ? undefined : String(lastId))
    if (read.status !== 200) throw new Error(`the stream was refused: ${read.status} ${read.text}`)
    frames.push(...read.frames)
    if (read.how === 'end' && /^run\.(completed|failed|cancelled)$/.test(frames.at(-1)?.event ?? '')) {
      return { frames, connections }
    }
  }
}

/** A client that the test controls: it reads, or does not, until it leaves. */
export type HeldClient = {
  status: number
  headers: Record<string, unknown>
  text(): string
  isOver(): boolean
  pause(): void
  leave(): void
}

type HeldOptions = { key: string; path: string; isPaused?: boolean }

export const holdHttp1 = (url: string, { key, path, isPaused = false }: HeldOptions): Promise<HeldClient> =>
  new Promise((resolve, reject) => {
    const options = { ca: certificate(), agent: false, headers: { authorization: `Bearer ${key}` } }
    const asked = https.get(url + path, options, (answer) => {
      const read = recordText(answer)
      if (isPaused) answer.pause()
      resolve({
        ...{
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          text: () => read.text,
          isOver: () => read.isOver,
        },
        ...{ pause: () => answer.pause(), leave: () => answer.destroy() },
      })
    })
    asked.on('error', reject)
  })

export const holdHttp2 = (url: string, { key, path, isPaused = false }: HeldOptions): Promise<HeldClient> =>
  new Promise((resolve, reject) => {
    const session = http2.connect(url, { ca: certificate() })
    session.on('error', reject)
    const stream = session.request({ ':path': path, authorization: `Bearer ${key}` })
    const read = recordText(stream)
    if (isPaused) stream.pause()
    stream.on('close', () => session.close())
    stream.on('response', ({ ':status': status, ...headers }) =>
      resolve({
        ...{ status: Number(status), headers, text: () => read.text, isOver: () => read.isOver },
        ...{ pause: () => stream.pause(), leave: () => stream.close() },
      }),
    )
  })

const certificate = (): Buffer => readFileSync(stackFacts().tls.certFile)

const recordText = (body: NodeJS.ReadableStream): { text: string; isOver: boolean } => {
  const read = { text: '', isOver: false }
  body.setEncoding('utf8')
  body.on('data', (chunk: string) => {
    read.text += chunk
  })
  body.on('close', () => {
    read.isOver = true
  })
  body.on('error', () => undefined)
  return read
}

/** By the format, a block ends with an empty line; an unfinished block is ignored. */
export const parseFrames = (text: string): Frame[] =>
  text
    .split(/\r\n\r\n|\n\n|\r\r/)
    .slice(0, -1)
    .map((block) => new Map(block.split(/\r\n|\n|\r/).map(toField)))
    .filter((fields) => fields.has('data'))
    .map((fields) => ({
      id: Number(fields.get('id')),
      event: fields.get('event') ?? 'message',
      data: JSON.parse(fields.get('data') ?? ''),
    }))

const toField = (line: string): [string, string] => {
  const colon = line.indexOf(':')
  return colon === -1 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')]
}
