import type { Clock } from '../clock.ts'
import { openEngineNodes } from './engine-nodes.ts'

export type EngineMetrics = {
  /** The lowest number of invocations that a partition executes at once. Null: the metrics do not say. */
  invocationLimit: number | null
  /** The partitions of this node. Nodes of a cluster may each have a part of them. */
  partitions: number[]
}

const timeoutMs = 5_000

/** What the metrics of the engine's node say about its settings. Null: they cannot be read. */
export const readEngineMetrics = async (metricsUrl: string, clock: Clock): Promise<EngineMetrics | null> => {
  const nodes = openEngineNodes({ urls: [metricsUrl], connections: 1, timeoutMs, clock })
  try {
    const { text } = await nodes.request({ method: 'GET', path: '/metrics' })
    return { invocationLimit: lowestLimit(text), partitions: partitionsOf(text) }
  } catch {
    return null
  } finally {
    await nodes.close()
  }
}

/** The lowest limit of all partitions. */
const lowestLimit = (metrics: string): number | null => {
  const limits = [...metrics.matchAll(/^restate_invoker_concurrency_limit\S* (\S+)/gm)]
    .map(([, limit]) => (limit === '+Inf' ? Number.POSITIVE_INFINITY : Number(limit)))
    .filter((limit) => !Number.isNaN(limit))
  return limits.length === 0 ? null : Math.min(...limits)
}

const partitionsOf = (metrics: string): number[] => {
  const found = [...metrics.matchAll(/^restate_partition_start_total\{[^}]*partition="(\d+)"/gm)].map(([, id]) =>
    Number(id),
  )
  return [...new Set(found)].sort((one, other) => one - other)
}
