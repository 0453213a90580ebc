import { keepOutcome } from '../lab/report/keep.ts'
import { brokenOf, type Metric } from '../lab/report/outcome.ts'
import type { Outcome, Scenario, SizeName } from './scenario.ts'

export type Verdict = {
  scenario: Scenario
  size: SizeName
  seed: string
  seconds: number
  /** What the scenario itself found. */
  own: Outcome
  /** The results of the general checkers on its fleet, after the play. */
  common: Outcome
}

export const hasPassed = ({ own, common }: Verdict): boolean =>
  own.claims.length > 0 && [...own.claims, ...common.claims].every(({ violations }) => violations.length === 0)

/** A line for each broken claim. Those of a stack name the scenarios that shared it no further. */
export const brokenClaims = ({ scenario, own, common }: Verdict): string[] => [
  ...brokenOf(own).map((words) => `${scenario.name}: ${words}`),
  ...brokenOf(common).map((words) => `its stack: ${words}`),
]

/** For the record of the scenario: its own claims and those of its stack. */
export const keepVerdict = ({ scenario, size, seed, own, common }: Verdict): void => {
  // Other numbers are another proof.
  if (scenario.changes !== undefined) return
  keepOutcome({
    proof: `chaos-${scenario.name}`,
    size: size === 'ci' ? 'short' : 'full',
    seed,
    outcome: {
      claims: [...own.claims, ...common.claims],
      metrics: [...Object.entries(scenario.sizes[size]).map(sizeMetric), ...own.metrics, ...common.metrics],
    },
  })
}

const sizeMetric = ([what, value]: [string, unknown]): Metric => [`size: ${what}`, JSON.stringify(value)]
