import type { Clock } from '../clock.ts'
import { openEngineNodes } from './engine-nodes.ts'

const timeoutMs = 5_000

/** The invocations that each partition of the engine executes at once, from its metrics. Null: the metrics do not say. */
export const readInvocationLimit = async (metricsUrl: string, clock: Clock): Promise<number | null> => {
  const nodes = openEngineNodes({ urls: [metricsUrl], connections: 1, timeoutMs, clock })
  try {
    return lowestLimit((await nodes.request({ method: 'GET', path: '/metrics' })).text)
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
