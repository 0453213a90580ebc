import { type Comparison, perSecond, windowsOf } from './rounds.ts'
import { table } from './table.ts'

export function counted({ accepted, rounds, isSound }: Comparison): string {
  return isSound ? `${accepted.length} of ${rounds.length}` : `${rounds.length}, too few counted: a hint`
}

/** Every round of these comparisons, also those that were rejected. */
export function roundTable(comparisons: Readonly<Record<string, Comparison>>): string {
  const rows = Object.entries(comparisons).flatMap(([what, comparison]) => roundRows(what, comparison))
  return table(['what', 'round', '1', '2', '3', '4', 'ratio', 'others, worst window', ''], rows)
}

function roundRows(what: string, { rounds }: Comparison): string[][] {
  return rounds.map((round, index) => [
    what,
    String(index + 1),
    ...windowsOf(round).map((window) => perSecond(window).toFixed(0)),
    round.ratio.toFixed(3),
    `${(Math.max(...windowsOf(round).map(({ cpu }) => cpu.foreignShare)) * 100).toFixed(1)} %`,
    round.rejection ? `rejected: ${round.rejection}` : '',
  ])
}
