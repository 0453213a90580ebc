import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Json, Reply, SseItem } from './types.ts'

/** Sends one reply. Resolves when the server has done its part; the client may still read. */
export const play = async (reply: Reply, response: ServerResponse, sent: Readonly<Record<string, unknown>>) => {
  if (reply.delay_ms) await sleep(reply.delay_ms)
  if (response.destroyed) return
  const body = bodyOf(reply, sent)
  if (body === undefined) return finish(reply, response)
  const type = reply.sse ? 'text/event-stream' : 'application/json'
  response.writeHead(reply.status ?? 200, {
    'content-type': type,
    ...(!reply.sse && { 'content-length': Buffer.byteLength(wholeText(reply)) }),
    ...headersOf(reply),
  })
  response.flushHeaders()
  await write(reply, response, body)
  return finish(reply, response)
}

/** Undefined: no response at all. */
const bodyOf = (reply: Reply, sent: Readonly<Record<string, unknown>>): Buffer | undefined => {
  if (reply.sse) {
    const last = Number(reply.sse_after ? (sent[reply.sse_after] ?? 0) : 0)
    const items = reply.sse.filter((item) => !('id' in item) || Number(item.id) > last || !reply.sse_after)
    return cut(Buffer.from(items.slice(0, reply.cut_after_items).map(sseText).join('')), reply)
  }
  return isSilent(reply) ? undefined : cut(Buffer.from(wholeText(reply)), reply)
}

const cut = (body: Buffer, { cut_after_bytes: bytes }: Reply): Buffer =>
  bytes === undefined ? body : body.subarray(0, bytes)

const wholeText = ({ text, json }: Reply): string => text ?? (json === undefined ? '' : JSON.stringify(json))

const isSilent = ({ status, json, text, sse }: Reply): boolean =>
  status === undefined && json === undefined && text === undefined && sse === undefined

const sseText = (item: SseItem): string => {
  if ('raw' in item) return item.raw
  if ('comment' in item) return `: ${item.comment}\n\n`
  if ('retry' in item) return `retry: ${item.retry}\n\n`
  const head = [item.id !== undefined && `id: ${item.id}`, item.event !== undefined && `event: ${item.event}`]
  return [...head.filter(Boolean), `data: ${JSON.stringify(item.data)}`, '', ''].join('\n')
}

/** `{"$http_date": 2}` is the date in two seconds, as HTTP writes it. */
const headersOf = ({ headers = {} }: Reply): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, headerText(value)]))

const headerText = (value: Json): string => {
  if (typeof value !== 'object' || value === null) return String(value)
  const seconds = Number((value as { $http_date?: number }).$http_date)
  return new Date(Date.now() + seconds * 1_000).toUTCString()
}

const write = async ({ chunk_bytes: size, pause_ms: pauseMs = 0 }: Reply, response: ServerResponse, body: Buffer) => {
  const step = size ?? Math.max(body.length, 1)
  for (let at = 0; at < body.length && !response.destroyed; at += step) {
    if (at > 0 && pauseMs > 0) await sleep(pauseMs)
    const hasRoom = response.write(body.subarray(at, at + step))
    if (!hasRoom && !response.destroyed) await drained(response)
  }
}

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    response.once('drain', resolve)
    response.once('close', resolve)
  })

const finish = async (reply: Reply, response: ServerResponse): Promise<void> => {
  const end = reply.end ?? (isSilent(reply) ? 'drop' : 'close')
  if (end === 'hang' || response.destroyed) return
  if (end === 'close') return void response.end()
  // Whatever was written must leave before the connection does.
  await new Promise<void>((resolve) => (response.headersSent ? response.write('', () => resolve()) : resolve()))
  response.socket?.destroy()
}
