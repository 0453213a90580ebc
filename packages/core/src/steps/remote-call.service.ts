import { limits } from '@ars/contract'
import type { Clock } from '@ars/platform/clock'
import type { Egress, StreamAnswer } from '@ars/platform/egress/egress'
import { EgressFailed, EgressRefused } from '@ars/platform/egress/failure'
import { JsonRefused, parseStrictJson } from '@ars/platform/json'
import { createEventReader } from '../connectors/index.ts'
import { retryAfterMsOf } from '../models/index.ts'
import { stepsBounds } from './bounds.ts'
import {
  failureOfStatus,
  malformed,
  type ParseJson,
  RemoteFailure,
  type RemoteSaying,
  readSaying,
  tooLarge,
} from './remote-answer.ts'
import { noTokens, type Tokens } from './step.ts'

export type RemoteCall = {
  org: string
  url: string
  headers: Readonly<Record<string, string>>
  body: string
  /** Removed from everything that is reported about the response. */
  secrets: readonly string[]
  signal: AbortSignal
  /** A chunk of a streamed response. It throws to stop the stream. */
  onText(text: string): void
}

/** `output` is null when a stream ended without one. */
export type RemoteAnswer = { output: Record<string, unknown> | null; usage: Tokens }

type Deps = {
  egress: Pick<Egress, 'stream'>
  clock: Clock
  /** For tests: how long the body of an error response is waited for. */
  refusalMs?: number
}

// JSON escapes may make a document longer than its content, and a stream may consist of many small frames.
const maxDocumentBytes = stepsBounds.remoteDocument.bytes
const maxStreamBytes = stepsBounds.remoteStream.bytes
// Keep-alive frames are limited; comments are cheaper. Each frame costs us more than it costs a hostile peer.
const maxSilentFrames = stepsBounds.remoteSilentFrames.count
const maxRefusalBytes = stepsBounds.remoteRefusal.bytes
const standardRefusalMs = 2000
const jsonLimits = { depth: stepsBounds.remoteDepth.count, keys: stepsBounds.remoteKeys.count }
// The run's own timeout bounds how long an agent may take; it arrives through the signal.
const longestMs = limits.runTimeoutMaxSeconds * 1000

/** Calls the endpoint once. Rejects with a RemoteFailure, or with the reason of an aborted signal. */
export const callRemote = async (deps: Deps, call: RemoteCall): Promise<RemoteAnswer> => {
  const refusalTimeout = new AbortController()
  const answer = await open(deps, call, AbortSignal.any([call.signal, refusalTimeout.signal]))
  const type = answer.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  const isJson = type === 'application/json'
  if (answer.status !== 200) {
    const body = isJson ? await readRefusal(answer, refusalTimeout, deps.refusalMs) : await leave(answer)
    call.signal.throwIfAborted()
    const retryAfterMs = retryAfterMsOf(Object.fromEntries(answer.headers), deps.clock.now().getTime())
    throw failureOfStatus(answer.status, { body, retryAfterMs, secrets: call.secrets })
  }
  const coding = answer.headers.get('content-encoding') ?? 'identity'
  const isPlain = coding === 'identity'
  if (isPlain && type === 'text/event-stream') return takeEvents(answer, call)
  if (!isPlain || !isJson) {
    await leave(answer)
    throw malformed(
      isPlain ? 'it is neither JSON nor an event stream' : 'it is compressed, though plain bytes were asked for',
    )
  }
  const saying = readSaying(documentIn(await read(answer, maxDocumentBytes)), call.secrets)
  if (saying.output === null) throw malformed('it has no `output`')
  return { output: saying.output, usage: saying.usage ?? noTokens }
}

/** Accepts only JSON that can be stored and returned unchanged. */
export const parseJson: ParseJson = (text) => {
  try {
    return { value: parseStrictJson(typeof text === 'string' ? Buffer.from(text) : text, jsonLimits) }
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error
    return { problem: `${error.path === null ? 'it' : `\`${error.path}\``} ${error.message}` }
  }
}

const documentIn = (text: string | Buffer): unknown => {
  const parsed = parseJson(text)
  if ('problem' in parsed) throw malformed(parsed.problem)
  return parsed.value
}

const open = async ({ egress }: Deps, call: RemoteCall, signal: AbortSignal): Promise<StreamAnswer> => {
  const { org, url, headers, body } = call
  // A call waits for a connection as long as its run lasts: a try that fails on our side would count as one of the agent's.
  const waits = { deadlineMs: longestMs, idleTimeoutMs: longestMs, maxWaitMs: longestMs }
  try {
    return await egress.stream({
      org,
      url,
      method: 'POST',
      headers,
      body,
      signal,
      maxBodyBytes: maxStreamBytes,
      ...waits,
    })
  } catch (error) {
    throw connectionFailureOf(error)
  }
}

const connectionFailureOf = (error: unknown): unknown => {
  if (error instanceof EgressRefused) {
    return new RemoteFailure(`The remote agent may not be called: ${error.reason}`, { cause: error })
  }
  if (!(error instanceof EgressFailed)) return error
  const retryable = error.kind !== 'tls' && error.kind !== 'too_large'
  return new RemoteFailure(`The remote agent could not be asked: ${error.message}`, { retryable, cause: error })
}

/** Leaving a loop over the body closes its connection. */
const chunksOf = async function* ({ body }: StreamAnswer): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    throw error instanceof EgressFailed && error.kind === 'too_large' ? tooLarge() : connectionFailureOf(error)
  }
}

const read = async (answer: StreamAnswer, maxBytes: number): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunksOf(answer)) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The body of an error response, if it arrives quickly; undefined otherwise. */
const readRefusal = async (
  answer: StreamAnswer,
  refusalTimeout: AbortController,
  refusalMs = standardRefusalMs,
): Promise<unknown> => {
  const timer = setTimeout(() => refusalTimeout.abort(), refusalMs)
  try {
    return documentIn(await read(answer, maxRefusalBytes))
  } catch {
    return
  } finally {
    clearTimeout(timer)
  }
}

/** Closes the connection without reading the rest. */
const leave = async ({ body }: StreamAnswer): Promise<undefined> => {
  await body[Symbol.asyncIterator]().return?.()
}

const takeEvents = async (answer: StreamAnswer, call: RemoteCall): Promise<RemoteAnswer> => {
  const readEvents = createEventReader()
  const decode = strictDecoder()
  let usage = noTokens
  let silentBytes = 0
  let silentFrames = 0
  const take = (text: string): RemoteSaying | undefined => {
    for (const { data } of readEvents(text)) {
      const saying = readSaying(documentIn(data), call.secrets)
      usage = saying.usage ?? usage
      if (saying.delta !== '') {
        silentBytes = 0
        call.onText(saying.delta)
      }
      if (saying.output !== null) return saying
      if (saying.delta === '' && ++silentFrames > maxSilentFrames) throw malformed('most of its frames say nothing')
    }
    return
  }
  for await (const chunk of chunksOf(answer)) {
    silentBytes += chunk.byteLength
    if (silentBytes > maxDocumentBytes) throw tooLarge()
    const last = take(decode(chunk))
    if (last) return { output: last.output, usage }
  }
  // A truncated frame must be detected, not dropped: it may have been the output.
  const last = take(`${decode()}\n\n`)
  return { output: last?.output ?? null, usage }
}

const strictDecoder = (): ((chunk?: Uint8Array) => string) => {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  return (chunk) => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
    } catch (error) {
      throw malformed('it is not valid UTF-8', error)
    }
  }
}
