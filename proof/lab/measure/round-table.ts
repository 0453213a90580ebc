import { table } from '../report/table.ts'
import { type Comparison, perSecond, windowsOf } from './rounds.ts'

export const counted = ({ accepted, rounds, isSound }: Comparison): string =>
  isSound ? `${accepted.length} of ${rounds.length}` : `${rounds.length}, too few counted: a hint`

/** Every round of these comparisons, also those that were rejected. */
export const roundTable = (comparisons: Readonly<Record<string, Comparison>>): string => {
  const rows = Object.entries(comparisons).flatMap(([what, comparison]) => roundRows(what, comparison))
  return table(['what', 'round', '1', '2', '3', '4', 'ratio', 'others, worst window', ''], rows)
}

const roundRows = (what: string, { rounds }: Comparison): string[][] =>
  rounds.map((round, index) => [
    what,
    String(index + 1),
    ...windowsOf(round).map((window) => perSecond(window).toFixed(0)),
    round.ratio.toFixed(3),
    `${(Math.max(...windowsOf(round).map(({ cpu }) => cpu.foreignShare)) * 100).toFixed(1)} %`,
    round.rejection ? `rejected: ${round.rejection}` : '',
  ])
