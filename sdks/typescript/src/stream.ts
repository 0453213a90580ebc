import type { Clock } from './clock.ts'
import { AgentRunServiceError, ApiError } from './errors.ts'
import type { Logger } from './log.ts'
import type { StreamOptions } from './options.ts'
import { withOutputText } from './output-text.ts'
import { isPassing, retryLimits } from './retry.ts'
import { createSseParser } from './sse.ts'

/** The frames of a stream, each exactly once. A broken stream is resumed; leaving the loop ends the request. */
export type Stream<Frame> = AsyncIterable<Frame> & {
  /** The last received frame, from which another stream can resume. */
  readonly lastEventId: string | undefined
  /** Ends the stream and its loop without an error. */
  close(): void
  /**
   * Calls back at every change of the connection, and at once if there is a state already. Returns a function that stops
   * the calls.
   */
  onState(listener: (state: StreamState) => void): () => void
}

/** `waiting`: the connection broke, and the next attempt is at `until`. `ended`: no more frames come. */
export type StreamState = { state: 'connected' } | { state: 'waiting'; until: Date } | { state: 'ended' }

export type StreamPlan<Frame> = {
  /** Sends the first request, with the usual retries. */
  begin(signal: AbortSignal): Promise<Response>
  /** Resumes after the last received frame. One attempt; the caller retries. */
  resume(at: Position<Frame>, signal: AbortSignal): Promise<Response>
  /** This is the last frame. */
  isLast(frame: Frame): boolean
  /** Called when a stream ended normally without a frame: whether the stream is complete. */
  isOver?(at: Position<Frame>, signal: AbortSignal): Promise<boolean>
  options: StreamOptions
  resumeForMs: number
  clock: Clock
  log: Logger
}

export type Position<Frame> = {
  lastEventId: string | undefined
  last: Frame | undefined
  /** The headers of the first response. */
  headers: Headers
}

const defaultRetryMs = 1_000
// The minimum reconnect delay, whatever the stream requests.
const retryMinMs = 100
const idleTimeoutMs = 45_000
const resumeDelayMaxMs = 30_000

export const createStream = <Frame>(plan: StreamPlan<Frame>): Stream<Frame> => new ResumingStream(plan)

class ResumingStream<Frame> implements Stream<Frame> {
  readonly #plan: StreamPlan<Frame>
  readonly #closing = new AbortController()
  readonly #frames: AsyncGenerator<Frame, void>
  readonly #signal: AbortSignal
  #lastEventId: string | undefined
  #retryMs = defaultRetryMs
  #isClosed = false
  readonly #listeners = new Set<(state: StreamState) => void>()
  #state: StreamState | undefined

  constructor(plan: StreamPlan<Frame>) {
    this.#plan = plan
    this.#lastEventId = plan.options.lastEventId
    const { signal } = plan.options
    this.#signal = signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal
    this.#frames = this.#run()
  }

  get lastEventId(): string | undefined {
    return this.#lastEventId
  }

  close(): void {
    this.#isClosed = true
    this.#closing.abort()
  }

  onState(listener: (state: StreamState) => void): () => void {
    this.#listeners.add(listener)
    if (this.#state) listener(this.#state)
    return () => void this.#listeners.delete(listener)
  }

  [Symbol.asyncIterator](): AsyncGenerator<Frame, void> {
    return this.#frames
  }

  #enter(state: StreamState): void {
    if (state.state === this.#state?.state && state.state !== 'waiting') return
    this.#state = state
    for (const listener of this.#listeners) listener(state)
  }

  async *#run(): AsyncGenerator<Frame, void> {
    try {
      yield* this.#follow()
    } catch (error) {
      // Closed by the caller, which is not an error.
      if (!this.#isClosed) throw error
    } finally {
      this.#closing.abort()
      this.#enter({ state: 'ended' })
    }
  }

  async *#follow(): AsyncGenerator<Frame, void> {
    if (this.#isClosed) return
    let response = await this.#plan.begin(this.#signal)
    const at: Position<Frame> = { lastEventId: this.#lastEventId, last: undefined, headers: response.headers }
    let wasOver = false
    for (;;) {
      this.#enter({ state: 'connected' })
      const connection = new Connection(response, this.#lastEventId)
      for await (const text of connection.frames(this.#signal, this.#plan.options.idleTimeoutMs ?? idleTimeoutMs)) {
        const isRepeated = text.id !== '' && isBeforeOrAt(text.id, at.lastEventId)
        if (isRepeated) continue
        const frame = parseFrame<Frame>(text.data)
        if (text.id !== '') this.#lastEventId = text.id
        at.last = frame
        at.lastEventId = this.#lastEventId
        yield frame
        if (this.#plan.isLast(frame) || this.#isClosed) return
      }
      this.#signal.throwIfAborted()
      // An id without data sets the position before the first event. Frames that came again do not set it back.
      const reached = connection.lastEventId
      if (reached !== undefined && !isBeforeOrAt(reached, this.#lastEventId)) this.#lastEventId = reached
      at.lastEventId = this.#lastEventId
      this.#retryMs = connection.retryMs ?? this.#retryMs
      if (connection.endedWithoutWord) {
        if (wasOver) return
        wasOver = (await this.#plan.isOver?.(at, this.#signal)) ?? false
      }
      response = await this.#resume(at, wasOver)
    }
  }

  /** Reconnects after the requested delay and then backs off. */
  async #resume(at: Position<Frame>, isDueAtOnce: boolean): Promise<Response> {
    const { clock, log, resumeForMs } = this.#plan
    const since = clock.now()
    let delayMs = isDueAtOnce ? 0 : this.#retryMs
    for (let failures = 1; ; failures++) {
      this.#enter({ state: 'waiting', until: new Date(clock.now() + delayMs) })
      log.info('stream broke, resuming', { lastEventId: at.lastEventId, delayMs })
      await clock.sleep(delayMs, this.#signal)
      try {
        return await this.#plan.resume(at, this.#signal)
      } catch (error) {
        if (this.#signal.aborted || !isPassing(error) || clock.now() - since >= resumeForMs) throw error
        delayMs = delayAfter(error, this.#retryMs * 2 ** failures, clock.random())
      }
    }
  }
}

const delayAfter = (error: unknown, backOffMs: number, random: number): number => {
  const told = error instanceof ApiError ? error.retryAfterMs : null
  if (told !== null) return Math.min(told, retryLimits.retryAfterMaxMs)
  return Math.min(backOffMs, resumeDelayMaxMs) * (0.5 + random / 2)
}

/** Reads one response until it ends or breaks; neither is an error here. */
class Connection {
  readonly #body: ReadableStream<Uint8Array> | null
  readonly #parser: ReturnType<typeof createSseParser>
  #frames = 0
  #retries = 0
  #endedWell = false
  retryMs: number | undefined

  constructor(response: Response, lastEventId: string | undefined) {
    this.#body = response.body as ReadableStream<Uint8Array> | null
    this.#parser = createSseParser(lastEventId)
  }

  get lastEventId(): string | undefined {
    return this.#parser.lastEventId
  }

  /** The stream ended normally without a frame, and without the second `retry` of a stopping gateway. */
  get endedWithoutWord(): boolean {
    return this.#endedWell && this.#frames === 0 && this.#retries < 2
  }

  async *frames(signal: AbortSignal, idleMs: number): AsyncGenerator<{ id: string; data: string }, void> {
    const reader = this.#body?.getReader()
    if (!reader) return
    const stop = (): void => void reader.cancel().catch(() => undefined)
    signal.addEventListener('abort', stop, { once: true })
    try {
      for (;;) {
        const chunk = await readInTime(reader, idleMs)
        if (chunk === 'broken') return
        if (chunk === 'ended') {
          this.#endedWell = true
          return
        }
        for (const said of this.#parser.push(chunk)) {
          if (said.type === 'retry') {
            this.#retries++
            this.retryMs = Math.max(said.ms, retryMinMs)
            continue
          }
          this.#frames++
          yield said
        }
        signal.throwIfAborted()
      }
    } finally {
      signal.removeEventListener('abort', stop)
      // Also when the loop was left early: the request ends.
      stop()
    }
  }
}

const readInTime = async (
  reader: ReadableStreamDefaultReader<Uint8Array>,
  idleMs: number,
): Promise<Uint8Array | 'ended' | 'broken'> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<'broken'>((resolve) => {
    timer = setTimeout(() => resolve('broken'), idleMs)
  })
  const read = reader.read().then(
    ({ done, value }) => (done ? 'ended' : value),
    () => 'broken' as const,
  )
  const outcome = await Promise.race([read, silence])
  clearTimeout(timer)
  return outcome
}

const parseFrame = <Frame>(data: string): Frame => {
  try {
    return withOutputText(JSON.parse(data)) as Frame
  } catch (error) {
    throw new AgentRunServiceError('A frame of the stream is not JSON, so it does not come from the service.', {
      cause: error,
    })
  }
}

/** Frames of a run are numbered. Event ids have no order, so only an identical id counts as a duplicate. */
const isBeforeOrAt = (id: string, last: string | undefined): boolean => {
  if (last === undefined || id === last) return id === last
  return /^\d+$/.test(id) && /^\d+$/.test(last) && Number(id) <= Number(last)
}
