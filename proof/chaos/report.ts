import { availableParallelism } from 'node:os'
import type { Claim, Outcome, Scenario, SizeName } from './scenario.ts'

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
export const isWorthAnother = ({ own, common }: Verdict): boolean => {
  const broken = [...own.claims, ...common.claims].filter(({ violations }) => violations.length > 0)
  return broken.length > 0 && broken.every(({ isMeasured }) => isMeasured)
}

export const hasHeld = ({ claims }: Outcome): boolean =>
  claims.length > 0 && claims.every(({ violations }) => violations.length === 0)

/** A line for each broken claim. Those of a stack name the scenarios that shared it no further. */
export const brokenClaims = ({ scenario, own, common }: Verdict): string[] => [
  ...brokenOf(own).map((words) => `${scenario.name}: ${words}`),
  ...brokenOf(common).map((words) => `its stack: ${words}`),
]

const brokenOf = ({ claims }: Outcome): string[] =>
  claims
    .filter(({ violations }) => violations.length > 0)
    .map(({ says, violations }) => `${says}: ${violations[0]?.slice(0, violationChars)}`)

/** For the terminal: the metrics, then a line for each claim. */
export const inWords = ({ metrics, claims }: Outcome): string => {
  const width = Math.max(...metrics.map(([what]) => what.length))
  const table = metrics.map(([what, value]) => `  ${what.padEnd(width)}  ${value}`)
  return [...table, ...claims.flatMap(linesOf)].join('\n')
}

/** For `docs/reports/`. */
export const inMarkdown = (verdict: Verdict): string => {
  const { scenario, size, own, common, seed, seconds } = verdict
  const claims = [...own.claims, ...common.claims]
  return `# Chaos: ${scenario.name}

${scenario.promise}

Made by \`pnpm chaos ${scenario.name}${size === 'full' ? ' --full' : ' --report'}${inOptions(scenario)} --seed ${seed}\` on ${availableParallelism()} cores, in ${Math.round(seconds)} s: **${hasPassed(verdict) ? 'passed' : 'FAILED'}**.
The seed fixes the victims, their order and the pauses; the moments at which they fall differ from one play to the next.
Size: ${Object.entries(scenario.sizes[size])
    .map(([what, value]) => `${what} ${JSON.stringify(value)}`)
    .join(', ')}.

| Claim | |
|---|---|
${claims.map(({ says, violations }) => `| ${says} | ${violations.length === 0 ? 'holds' : `BROKEN: ${violations.length}`} |`).join('\n')}

| Metric | |
|---|---|
${[...own.metrics, ...common.metrics].map(([what, value]) => `| ${what} | ${value} |`).join('\n')}
`
}

const inOptions = ({ changes = {} }: Scenario): string =>
  Object.entries(changes)
    .map(([what, value]) => ` --set ${what}=${value}`)
    .join('')

const violationsShown = 10
const violationChars = 500

const linesOf = ({ says, violations }: Claim): string[] => {
  if (violations.length === 0) return [`  PASS  ${says}`]
  const more = violations.length - violationsShown
  return [
    `  FAIL  ${says}`,
    ...violations.slice(0, violationsShown).map((violation) => `        ${violation.slice(0, violationChars)}`),
    ...(more > 0 ? [`        and ${more} more`] : []),
  ]
}
