import type { Config } from '@ars/core/config'
import type { Clock } from '@ars/platform/clock'
import { type EngineMetrics, readEngineMetrics } from '@ars/platform/durable/engine-metrics'
import { type Finding, skipped } from './finding.ts'

/** Compares settings of the engine, which its metrics show, with the settings that must match them. */
export const checkEngineSettings = async (config: Config, clock: Clock): Promise<Finding[]> => {
  const checks = { 'engine limit': checkLimit, 'engine partitions': checkPartitions }
  if (config.engineMetricsUrl === undefined) {
    const why = 'not compared: set ARS_ENGINE_METRICS_URL to the node address of Restate'
    return Object.keys(checks).map((what) => skipped(what, why))
  }
  const metrics = await readEngineMetrics(config.engineMetricsUrl, clock)
  return Object.entries(checks).map(([what, check]) => ({ what, ...check(metrics, config) }))
}

type Compared = Omit<Finding, 'what'>

/** A lower limit of the engine would let admitted runs wait there, behind the runs of others. */
const checkLimit = (metrics: EngineMetrics | null, { cellSlots }: Config): Compared => {
  const limit = metrics?.invocationLimit ?? null
  if (limit === null) {
    const advice = 'Check ARS_ENGINE_METRICS_URL: its /metrics must show restate_invoker_concurrency_limit.'
    return { found: 'the metrics of the engine do not show its limit', advice }
  }
  const found = `${limit} runs per partition, ARS_CELL_SLOTS ${cellSlots}`
  const advice = `Set concurrent-invocations-limit of Restate to at least ${cellSlots}, or lower ARS_CELL_SLOTS.`
  return limit >= cellSlots ? { found } : { found, advice }
}

const checkPartitions = (metrics: EngineMetrics | null, { enginePartitions }: Config): Compared => {
  const ids = metrics?.partitions ?? []
  if (ids.length === 0) {
    const advice = 'Check ARS_ENGINE_METRICS_URL: its /metrics must show restate_partition_start_total.'
    return { found: 'the metrics of the engine do not show its partitions', advice }
  }
  const least = Math.max(...ids) + 1
  // A node of a cluster may lack partitions, so fewer prove nothing there.
  const isWhole = least === ids.length
  const found = `the engine has ${isWhole ? '' : 'at least '}${least}, ARS_ENGINE_PARTITIONS is ${enginePartitions}`
  if (least === enginePartitions || (!isWhole && least < enginePartitions)) return { found }
  return { found, advice: `Set ARS_ENGINE_PARTITIONS to ${least} for all workers: each partition gets a probe.` }
}
