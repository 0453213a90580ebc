import type { Clock } from './clock.ts'
import type { Batches } from './generated/resources.ts'
import type { Batch, BatchesCreateParams, BatchItem } from './generated/types.ts'
import type { CallOptions, CreateOptions } from './options.ts'

/** What the client adds to the operations of batches. */
export type BatchHelpers = {
  /** Creates a batch and waits until it has ended. To limit the wait, pass `signal: AbortSignal.timeout(ms)`. */
  createAndWait(params: BatchesCreateParams, options?: CallOptions & CreateOptions): Promise<Batch>
  /** Waits until a batch has ended: it reads the batch after 0.5 s, and then at growing intervals of at most 5 s. */
  wait(id: string, options?: CallOptions): Promise<Batch>
  /**
   * Creates a batch of the items that have failed, with the agent, the metadata and the timeout of the first one. Returns
   * null if no item has failed. Pass the items of the first batch, because the service does not keep them. They are found
   * by `custom_id`, and those without one by their place.
   */
  retryFailed(
    id: string,
    params: BatchesRetryFailedParams,
    options?: CallOptions & CreateOptions,
  ): Promise<Batch | null>
}

export type BatchesRetryFailedParams = {
  /** The items of the first batch. */
  items: readonly BatchItem[]
}

const firstPauseMs = 500
const pauseMaxMs = 5_000
const resultsPerPage = 100

export const batchHelpers = (batches: Batches, clock: Clock): BatchHelpers => {
  const untilEnded = async (first: Batch, options: CallOptions): Promise<Batch> => {
    let batch = first
    for (let pauseMs = firstPauseMs; batch.finished_at === null; pauseMs = Math.min(2 * pauseMs, pauseMaxMs)) {
      await clock.sleep(pauseMs, options.signal ?? undefined)
      batch = await batches.get(batch.id, options)
    }
    return batch
  }
  return {
    wait: async (id, options = {}) => await untilEnded(await batches.get(id, options), options),
    createAndWait: async (params, options = {}) => {
      const { idempotencyKey: _, ...others } = options
      return await untilEnded(await batches.create(params, options), others)
    },
    retryFailed: async (id, { items }, options = {}) => {
      const { idempotencyKey: _, ...others } = options
      const batch = await batches.get(id, others)
      const find = finderOf(items)
      const failed: BatchItem[] = []
      for await (const result of batches.results(id, { limit: resultsPerPage }, others)) {
        if (result.status === 'failed') failed.push(find(result))
      }
      if (failed.length === 0) return null
      const { agent_id, metadata, timeout_seconds } = batch
      return await batches.create(
        { agent_id, items: failed, metadata, ...(timeout_seconds !== null && { timeout_seconds }) },
        options,
      )
    },
  }
}

/** The item of a result. */
const finderOf = (items: readonly BatchItem[]) => {
  const byId = new Map(items.map((item) => [item.custom_id, item]))
  return ({ id, custom_id }: { id: string; custom_id: string | null }): BatchItem => {
    const item = custom_id === null ? items[Number(id)] : byId.get(custom_id)
    if (!item) throw new TypeError(`items has no item ${custom_id ?? id}`)
    return item
  }
}
