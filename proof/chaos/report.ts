import { availableParallelism } from 'node:os'
import { brokenOf, hasOnlyMeasuredFaults, outcomeTables } from '../lab/report/outcome.ts'
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

/** Only claims that depend on the speed of the computer are broken. */
export const isWorthAnother = ({ own, common }: Verdict): boolean =>
  hasOnlyMeasuredFaults({ claims: [...own.claims, ...common.claims] })

/** A line for each broken claim. Those of a stack name the scenarios that shared it no further. */
export const brokenClaims = ({ scenario, own, common }: Verdict): string[] => [
  ...brokenOf(own).map((words) => `${scenario.name}: ${words}`),
  ...brokenOf(common).map((words) => `its stack: ${words}`),
]

/** For `docs/reports/`. */
export const inMarkdown = (verdict: Verdict): string => {
  const { scenario, size, own, common, seed, seconds } = verdict
  return `# Chaos: ${scenario.name}

${scenario.promise}

Made by \`pnpm chaos ${scenario.name}${size === 'full' ? ' --full' : ' --report'}${inOptions(scenario)} --seed ${seed}\` on ${availableParallelism()} cores, in ${Math.round(seconds)} s: **${hasPassed(verdict) ? 'passed' : 'FAILED'}**.
The seed fixes the victims, their order and the pauses; the moments at which they fall differ from one play to the next.
Size: ${Object.entries(scenario.sizes[size])
    .map(([what, value]) => `${what} ${JSON.stringify(value)}`)
    .join(', ')}.

${outcomeTables({ claims: [...own.claims, ...common.claims], metrics: [...own.metrics, ...common.metrics] })}`
}

const inOptions = ({ changes = {} }: Scenario): string =>
  Object.entries(changes)
    .map(([what, value]) => ` --set ${what}=${value}`)
    .join('')
