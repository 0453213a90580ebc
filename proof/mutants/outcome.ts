import { bar, type Outcome } from '../lab/report/outcome.ts'
import type { Mutant } from './draw.ts'
import type { Verdict } from './judge.ts'

export type Judged = { readonly mutant: Mutant; readonly verdict: Verdict }

/** Of all plays, also earlier ones. */
export const minutesOf = (judged: readonly Judged[]): number =>
  judged.reduce((sum, { verdict }) => sum + verdict.minutes, 0)

const metricsOf = (judged: readonly Judged[]): Outcome['metrics'] => [
  ['faults', judged.length],
  ['found', judged.filter(({ verdict }) => verdict.found !== 'not').length],
]

const namesOf = (judged: readonly Judged[], found: Verdict['found']): string[] =>
  judged.filter(({ verdict }) => verdict.found === found).map(({ mutant }) => mutant.name)

/** Of all named faults. */
export const outcomeOfNamed = (judged: readonly Judged[]): Outcome => ({
  claims: [
    { says: 'every named fault is found by a fast test', violations: namesOf(judged, 'not') },
    { says: 'the tests that a fault names find it', violations: namesOf(judged, 'gate') },
  ],
  metrics: metricsOf(judged),
})

/** Some faults change nothing that a test could see, and nobody has looked at the drawn ones before. */
const leastShare = 17 / 20

/** Of a draw. */
export const outcomeOfDraw = (judged: readonly Judged[]): Outcome => {
  const least = Math.floor(judged.length * leastShare)
  const survived = judged.filter(({ verdict }) => verdict.found === 'not')
  return {
    claims: [bar('drawn faults that the gate finds', judged.length - survived.length, { least }, 0)],
    metrics: [
      ...metricsOf(judged),
      ...survived.map(({ mutant }): [string, string] => [
        `not found: ${mutant.file}`,
        `${mutant.name}: ${mutant.from}`,
      ]),
    ],
  }
}
