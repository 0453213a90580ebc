import { limits } from '@ars/contract'
import type { Clock } from '@ars/platform/clock'
import type { Egress, StreamAnswer } from '@ars/platform/egress/egress'
import { EgressFailed, EgressRefused } from '@ars/platform/egress/failure'
import { JsonRefused, parseStrictJson } from '@ars/platform/json'
import { createEventReader } from '../connectors/index.ts'
import { retryAfterMsOf } from '../models/index.ts'
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
  url: string
  headers: Readonly<Record<string, string>>
  body: string
  /** Struck out of whatever is told of the answer. */
  secrets: readonly string[]
  signal: AbortSignal
  /** A piece of a streamed answer. It throws where no more is wanted. */
  onText(text: string): void
}

/** `output` is null where a stream ended without one. */
export type RemoteAnswer = { output: Record<string, unknown> | null; usage: Tokens }

type Deps = { egress: Pick<Egress, 'stream'>; clock: Clock }

// Escapes may make a document longer than what it says, and the frames of a stream may be many and small.
const documentBytesMost = 2 * limits.outputBytes
const streamBytesMost = 6 * limits.outputBytes
// For signs of life; comments are the better ones. Each costs us more than it costs a hostile peer.
const silentFramesMost = 10_000
const refusalBytesMost = 65_536
const refusalMs = 2000
const jsonLimits = { depth: 64, keys: 100_000 }
// How long an agent may think is its run's own limit, whose end comes by the signal.
const longestMs = limits.runTimeoutMaxSeconds * 1000

/** Calls the endpoint once. Rejects with a RemoteFailure, or with the reason of the signal once that is aborted. */
export const callRemote = async (deps: Deps, call: RemoteCall): Promise<RemoteAnswer> => {
  const patience = new AbortController()
  const answer = await open(deps, call, AbortSignal.any([call.signal, patience.signal]))
  const type = answer.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  const isJson = type === 'application/json'
  if (answer.status !== 200) {
    const body = isJson ? await readRefusal(answer, patience) : await leave(answer)
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
  const saying = readSaying(documentIn(await read(answer, documentBytesMost)), call.secrets)
  if (saying.output === null) throw malformed('it has no `output`')
  return { output: saying.output, usage: saying.usage ?? noTokens }
}

/** Reads only what can be stored and given back as it came. */
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
  const { url, headers, body } = call
  const bounds = { deadlineMs: longestMs, idleTimeoutMs: longestMs, maxBodyBytes: streamBytesMost }
  try {
    return await egress.stream({ url, method: 'POST', headers, body, signal, ...bounds })
  } catch (error) {
    throw failureOfReach(error)
  }
}

const failureOfReach = (error: unknown): unknown => {
  if (error instanceof EgressRefused) {
    return new RemoteFailure(`The remote agent may not be called: ${error.reason}`, { cause: error })
  }
  if (!(error instanceof EgressFailed)) return error
  const retryable = error.kind !== 'tls' && error.kind !== 'too_large'
  return new RemoteFailure(`The remote agent could not be asked: ${error.message}`, { retryable, cause: error })
}

/** Leaving a loop over the body closes its connection. */
async function* chunksOf({ body }: StreamAnswer): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    throw error instanceof EgressFailed && error.kind === 'too_large' ? tooLarge() : failureOfReach(error)
  }
}

const read = async (answer: StreamAnswer, bytesMost: number): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunksOf(answer)) {
    bytes += chunk.byteLength
    if (bytes > bytesMost) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** What a refusal says is worth a moment and no more; undefined where it cannot be read. */
const readRefusal = async (answer: StreamAnswer, patience: AbortController): Promise<unknown> => {
  const timer = setTimeout(() => patience.abort(), refusalMs)
  try {
    return documentIn(await read(answer, refusalBytesMost))
  } catch {
    return
  } finally {
    clearTimeout(timer)
  }
}

/** Closes the connection without reading on. */
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
      if (saying.delta === '' && ++silentFrames > silentFramesMost) throw malformed('most of its frames say nothing')
    }
    return
  }
  for await (const chunk of chunksOf(answer)) {
    silentBytes += chunk.byteLength
    if (silentBytes > documentBytesMost) throw tooLarge()
    const last = take(decode(chunk))
    if (last) return { output: last.output, usage }
  }
  // A frame that was cut off must be noticed, not dropped: it may have been the output.
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
