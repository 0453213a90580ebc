import type { Config } from '@ars/core/config'
import type { Finding } from './exposure.ts'

const maxAnswerMs = 5_000

/**
 * Compares how many invocations a partition of the engine executes at once with the runs that the cell admits. A lower limit
 * of the engine would let admitted runs wait there, behind the runs of others.
 */
export const checkEngineLimit = async ({ engineMetricsUrl, cellSlots }: Config): Promise<Finding[]> => {
  const what = 'engine limit'
  if (engineMetricsUrl === undefined) {
    return [{ what, found: 'not compared: set ARS_ENGINE_METRICS_URL to the node address of Restate' }]
  }
  const limit = await fetch(new URL('/metrics', engineMetricsUrl), { signal: AbortSignal.timeout(maxAnswerMs) })
    .then((answer) => answer.text())
    .then(lowestLimit, () => null)
  if (limit === null) {
    const advice = 'Check ARS_ENGINE_METRICS_URL: its /metrics must show restate_invoker_concurrency_limit.'
    return [{ what, found: 'the engine does not tell its limit', advice }]
  }
  const found = `${limit} runs per partition, ARS_CELL_SLOTS ${cellSlots}`
  const advice = `Set concurrent-invocations-limit of Restate to at least ${cellSlots}, or lower ARS_CELL_SLOTS.`
  return [limit >= cellSlots ? { what, found } : { what, found, advice }]
}

/** The lowest limit of all partitions. Null: none is told. */
export const lowestLimit = (metrics: string): number | null => {
  const limits = [...metrics.matchAll(/^restate_invoker_concurrency_limit\S* (\S+)/gm)]
    .map(([, limit]) => (limit === '+Inf' ? Number.POSITIVE_INFINITY : Number(limit)))
    .filter((limit) => !Number.isNaN(limit))
  return limits.length === 0 ? null : Math.min(...limits)
}
