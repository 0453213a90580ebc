import { cpuBetween, foreignShareOf, readCpu, type Watched } from '../../lab/measure/cpu.ts'
import type { Load, Side, WindowResult } from '../../lab/measure/load.ts'
import { quantile } from '../../lab/measure/statistics.ts'

/** One call, awaited to its end; it throws when the answer is not what it must be. */
export type Operation = () => Promise<void>

/** Two operations as the sides of a comparison, one caller each, called from this process one after the other. */
export const loadOf = (sides: Record<Side, Operation>, watched: Watched): Load => {
  const everybody: Watched = { ...watched, bench: () => process.pid }
  return {
    pid: () => undefined,
    close: () => undefined,
    listen: () => foreignShareOf(everybody),
    async run(order): Promise<WindowResult> {
      const operation = sides[order.side]
      await callFor(operation, order.leadInMs)
      const from = readCpu(everybody)
      const begun = performance.now()
      const latenciesMs = await callFor(operation, order.lengthMs)
      const seconds = (performance.now() - begun) / 1000
      const at = (share: number): number => quantile(latenciesMs, share)
      return {
        order: { kind: 'window', ...order },
        cpu: cpuBetween(from, readCpu(everybody)),
        answers: latenciesMs.length,
        answersInAll: latenciesMs.length,
        seconds,
        latencyMs: {
          mean: (1000 * seconds) / latenciesMs.length,
          p50: at(0.5),
          p90: at(0.9),
          p99: at(0.99),
          most: at(1),
        },
        runIds: [],
        failures: {},
      }
    },
  }
}

const callFor = async (operation: Operation, lengthMs: number): Promise<number[]> => {
  const latenciesMs: number[] = []
  for (const end = performance.now() + lengthMs; performance.now() < end; ) {
    const begun = performance.now()
    await operation()
    latenciesMs.push(performance.now() - begun)
  }
  return latenciesMs
}
