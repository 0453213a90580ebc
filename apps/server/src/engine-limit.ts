import type { Config } from '@ars/core/config'
import type { Clock } from '@ars/platform/clock'
import { readInvocationLimit } from '@ars/platform/durable/invocation-limit'
import type { Finding } from './exposure.ts'

/**
 * Compares how many invocations a partition of the engine executes at once with the runs that the cell admits. A lower limit
 * of the engine would let admitted runs wait there, behind the runs of others.
 */
export const checkEngineLimit = async ({ engineMetricsUrl, cellSlots }: Config, clock: Clock): Promise<Finding[]> => {
  const what = 'engine limit'
  if (engineMetricsUrl === undefined) {
    return [{ what, found: 'not compared: set ARS_ENGINE_METRICS_URL to the node address of Restate' }]
  }
  const limit = await readInvocationLimit(engineMetricsUrl, clock)
  if (limit === null) {
    const advice = 'Check ARS_ENGINE_METRICS_URL: its /metrics must show restate_invoker_concurrency_limit.'
    return [{ what, found: 'the metrics of the engine do not show its limit', advice }]
  }
  const found = `${limit} runs per partition, ARS_CELL_SLOTS ${cellSlots}`
  const advice = `Set concurrent-invocations-limit of Restate to at least ${cellSlots}, or lower ARS_CELL_SLOTS.`
  return [limit >= cellSlots ? { what, found } : { what, found, advice }]
}
