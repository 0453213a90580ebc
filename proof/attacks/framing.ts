import { createReadStream, readFileSync, statSync } from 'node:fs'
import net from 'node:net'
import { createInterface } from 'node:readline'
import { waitFor } from '../lab/condition.ts'
import { type Ambiguous, corpus, undisguised } from './framing-corpus.ts'
import { openSloppyProxy, type Reading, type SloppyProxy } from './sloppy-proxy.ts'

export type Framed = {
  ambiguous: Ambiguous
  /** Of the first answer; null: closed without one. */
  status: number | null
  /** Requests that the gateway wrote down, the innocent one's included. */
  requests: number
  /** The connection between proxy and gateway was closed. */
  isClosed: boolean
  /** What the next client got. */
  nextStatus: number | null
  breaches: string[]
}

export type FramingTarget = {
  port: number
  certFile: string
  key: string
  /** Of the gateway; each request has a line. */
  logFile: string
}

/** Every request of the corpus through a proxy that shares its connection, and an innocent one after each. */
export const tryFraming = async (target: FramingTarget): Promise<{ framed: Framed[]; control: Framed }> => {
  const authorization = `Authorization: Bearer ${target.key}`
  const gateway = { port: target.port, ca: readFileSync(target.certFile) }
  const readings: readonly Reading[] = ['length', 'chunks', 'blind']
  const proxies = new Map<Reading, SloppyProxy>()
  for (const reading of readings) proxies.set(reading, await openSloppyProxy(gateway, reading))
  const tryOne = async (ambiguous: Ambiguous): Promise<Framed> => {
    const proxy = proxies.get(ambiguous.reading)
    if (!proxy) throw new Error(`there is no proxy that goes by ${ambiguous.reading}`)
    const logFrom = statSync(target.logFile).size
    // So that there is a connection, and the next request comes over one that was used before.
    await send(proxy.port, innocent(authorization))
    const connections = proxy.connections()
    const answer = await send(proxy.port, ambiguous.bytes)
    const next = await send(proxy.port, innocent(authorization))
    const requests = await countRequests(target.logFile, logFrom)
    return judge({
      ambiguous,
      status: statusOf(answer),
      requests,
      isClosed: proxy.connections() > connections,
      nextStatus: isOwnAnswer(next) ? statusOf(next) : null,
      breaches: [],
    })
  }
  try {
    const framed: Framed[] = []
    for (const ambiguous of corpus({ authorization })) framed.push(await tryOne(ambiguous))
    return { framed, control: await tryOne(undisguised({ authorization })) }
  } finally {
    await Promise.all([...proxies.values()].map((proxy) => proxy.close()))
  }
}

/** The first innocent one, the ambiguous one, the second innocent one. */
const requestsExpected = 3

const judge = (framed: Framed): Framed => {
  const { ambiguous, status, requests, isClosed, nextStatus } = framed
  const breaches: string[] = []
  if (requests !== requestsExpected)
    breaches.push(`the gateway saw ${requests} requests instead of ${requestsExpected}`)
  if (nextStatus !== 200) breaches.push('the next client did not get its own answer')
  if (ambiguous.expects === 'refused') {
    if (status !== 400) breaches.push(`answered ${status ?? 'nothing'} instead of 400`)
    if (!isClosed) breaches.push('the connection was not closed')
  } else if (status === null || status >= 500) breaches.push(`answered ${status ?? 'nothing'}`)
  return { ...framed, breaches }
}

const innocent = (authorization: string): string =>
  `GET /v2/agents?limit=1 HTTP/1.1\r\nHost: x\r\n${authorization}\r\n\r\n`

const isOwnAnswer = (text: string): boolean => text.includes('"data":[') && !text.includes('smuggled')

const send = (port: number, bytes: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = net.connect({ port, host: '127.0.0.1' })
    let text = ''
    socket.on('data', (piece) => {
      text += piece.toString('latin1')
    })
    socket.on('error', () => undefined)
    // A proxy that waits for more than we have would wait for ever.
    const timer = setTimeout(() => socket.destroy(), 8_000)
    socket.once('close', () => {
      clearTimeout(timer)
      resolve(text)
    })
    socket.write(bytes, 'latin1')
  })

const statusOf = (text: string): number | null => {
  const status = /^(?:HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.1 (\d{3})/.exec(text)?.[1]
  return status === undefined ? null : Number(status)
}

/** The innocent one's line is the last of them; a line may be written a little after its answer. */
const countRequests = async (logFile: string, from: number): Promise<number> => {
  let seen = 0
  let stable = 0
  return waitFor(
    'the lines of the log',
    async () => {
      const count = await countLines(logFile, from)
      stable = count === seen ? stable + 1 : 0
      seen = count
      return count >= requestsExpected && stable >= 2 ? count : undefined
    },
    { timeoutMs: 5_000, everyMs: 25 },
  ).catch(() => seen)
}

const countLines = async (file: string, start: number): Promise<number> => {
  let count = 0
  for await (const line of createInterface({ input: createReadStream(file, { start }) })) {
    if (line.includes('"msg":"request"')) count++
  }
  return count
}
