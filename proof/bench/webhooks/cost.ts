import type { WindowResult } from '../../lab/measure/load.ts'
import { perSecond } from '../../lab/measure/rounds.ts'
import { median } from '../../lab/measure/statistics.ts'

/** Medians of the windows: deliveries a second, and the CPU time of a delivery in µs, by process and of all of them. */
export type Cost = { rate: number; each: readonly number[]; all: number }

export const costOf = (windows: readonly WindowResult[], parts: readonly string[]): Cost => {
  const at = (pick: (window: WindowResult) => number): number => median(windows.map(pick))
  return {
    rate: at(perSecond),
    each: parts.map((part) => at((window) => cpuOfDelivery(window, [part]))),
    all: at((window) => cpuOfDelivery(window, parts)),
  }
}

/** In µs. */
export const cpuOfDelivery = ({ cpu, answers }: WindowResult, parts: readonly string[]): number =>
  (1000 * parts.reduce((sum, part) => sum + (cpu.parts[part] ?? 0), 0)) / answers
