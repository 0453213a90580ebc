import type { Runs } from './generated/resources.ts'
import type { Run, RunsCreateParams } from './generated/types.ts'
import type { CallOptions, CreateOptions, StreamOptions } from './options.ts'
import { hasEnded } from './stream-call.ts'

/** What the client adds to the operations of runs. */
export type RunHelpers = {
  /**
   * Creates a run and waits until it has ended, however long it takes, or until it waits for a person: then `status` is
   * `requires_action`. A failed run is not an error. To limit the wait, pass `signal: AbortSignal.timeout(ms)`.
   */
  createAndWait(params: RunsCreateParams, options?: CallOptions & CreateOptions): Promise<Run>
  /** Waits for an existing run in the same way, for example after an approval. */
  wait(id: string, options?: StreamOptions): Promise<Run>
}

export const runHelpers = (runs: Runs): RunHelpers => {
  const wait = async (id: string, options: StreamOptions = {}): Promise<Run> => {
    const stream = runs.watch(id, { deltas: 'false' }, options)
    for await (const { type } of stream) {
      if (type !== 'run.requires_action') continue
      // The stream begins with the first frame, so the question may be answered already.
      const run = await runs.get(id, options)
      if (run.status === 'requires_action') return run
    }
    return await stream.finalRun()
  }
  return {
    wait,
    createAndWait: async (params, options = {}) => {
      const run = await runs.create(params, options)
      if (hasEnded(run) || run.status === 'requires_action') return run
      const { idempotencyKey: _, ...others } = options
      return await wait(run.id, others)
    },
  }
}
