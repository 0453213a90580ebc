import { AgentRunServiceError } from './errors.ts'
import type { Run, RunFrame } from './generated/types.ts'
import { createStream, type Position, type Stream, type StreamPlan, type StreamState } from './stream.ts'

/**
 * The frames of a run, each exactly once, until the run ends. Iterate over it, or call `text()` or `finalRun()` instead of
 * the loop or after it.
 */
export type RunStream = Stream<RunFrame> & {
  /** Reads to the end and returns the text of the run. Text that the service withdrew (`run.output.reset`) is left out. */
  text(): Promise<string>
  /** Reads to the end and returns the run. A failed run is not an error: see its `status` and `error`. */
  finalRun(): Promise<Run>
}

export type RunStreamPlan = StreamPlan<RunFrame> & {
  /** The stream begins after some frames, or was asked to leave deltas out. */
  lacksDeltas: boolean
  /** The run as it is now; undefined while its id is unknown. */
  readRun(at: Position<RunFrame>, signal: AbortSignal): Promise<Run | undefined>
}

export const createRunStream = (plan: RunStreamPlan): RunStream => new CollectingStream(plan)

class CollectingStream implements RunStream {
  readonly #plan: RunStreamPlan
  readonly #stream: Stream<RunFrame>
  readonly #frames: AsyncGenerator<RunFrame, void>
  #deltas: { step: number; text: string }[] = []
  /** Deltas are missing: the stream began after them, or a snapshot replaced them. */
  #hasGap: boolean
  #isComplete = false
  #last: RunFrame | undefined
  #final: Run | undefined

  constructor(plan: RunStreamPlan) {
    this.#plan = plan
    this.#hasGap = plan.lacksDeltas
    this.#stream = createStream(plan)
    this.#frames = this.#collect()
  }

  get lastEventId(): string | undefined {
    return this.#stream.lastEventId
  }

  close(): void {
    this.#stream.close()
  }

  onState(listener: (state: StreamState) => void): () => void {
    return this.#stream.onState(listener)
  }

  [Symbol.asyncIterator](): AsyncGenerator<RunFrame, void> {
    return this.#frames
  }

  async text(): Promise<string> {
    const { output } = await this.finalRun()
    const text = this.#deltas.map((delta) => delta.text).join('')
    return this.#hasGap && typeof output?.result === 'string' ? output.result : text
  }

  async finalRun(): Promise<Run> {
    for await (const frame of this.#frames) this.#last = frame
    if (!this.#final && this.#isComplete) {
      // The stream began after the last frame.
      this.#hasGap = true
      const at = { lastEventId: this.lastEventId, last: this.#last, headers: new Headers() }
      this.#final = await this.#plan.readRun(at, this.#plan.options.signal ?? new AbortController().signal)
    }
    if (!this.#final) throw new AgentRunServiceError('The stream was closed before the run ended.')
    return this.#final
  }

  async *#collect(): AsyncGenerator<RunFrame, void> {
    for await (const frame of this.#stream) {
      this.#take(frame)
      yield frame
    }
    this.#isComplete = true
  }

  #take(frame: RunFrame): void {
    this.#last = frame
    switch (frame.type) {
      case 'run.output.delta':
        this.#deltas.push({ step: frame.step, text: frame.delta })
        break
      case 'run.output.reset':
        this.#deltas = this.#deltas.filter(({ step }) => step !== frame.step)
        break
      case 'run.snapshot':
        this.#hasGap = true
        break
      case 'run.completed':
      case 'run.failed':
      case 'run.cancelled':
        this.#final = frame.run
        break
      default:
    }
  }
}
