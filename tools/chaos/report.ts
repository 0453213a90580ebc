import { availableParallelism } from 'node:os'
import type { Claim, Outcome, Scenario, SizeName } from './scenario.ts'

export interface Verdict extends Outcome {
  scenario: Scenario
  size: SizeName
  seed: string
  seconds: number
}

export function hasPassed({ claims }: Outcome): boolean {
  return claims.every(({ violations }) => violations.length === 0)
}

/** For the terminal: the figures, then a line for each claim. */
export function inWords({ figures, claims }: Outcome): string {
  const width = Math.max(...figures.map(([what]) => what.length))
  const table = figures.map(([what, value]) => `  ${what.padEnd(width)}  ${value}`)
  return [...table, ...claims.flatMap(linesOf)].join('\n')
}

/** For `docs/reports/`. */
export function inMarkdown(verdict: Verdict): string {
  const { scenario, figures, claims, seed, seconds } = verdict
  return `# Chaos: ${scenario.name}

${scenario.promise}

Made by \`pnpm chaos ${scenario.name} --full --seed ${seed}\` on ${availableParallelism()} cores, in ${Math.round(seconds)} s: **${hasPassed(verdict) ? 'passed' : 'FAILED'}**.
The seed fixes the victims, their order and the pauses; the moments at which they fall differ from one play to the next.

| Claim | |
|---|---|
${claims.map(({ says, violations }) => `| ${says} | ${violations.length === 0 ? 'holds' : `BROKEN: ${violations.length}`} |`).join('\n')}

| Figure | |
|---|---|
${figures.map(([what, value]) => `| ${what} | ${value} |`).join('\n')}
`
}

const violationsShown = 10

function linesOf({ says, violations }: Claim): string[] {
  if (violations.length === 0) return [`  PASS  ${says}`]
  const more = violations.length - violationsShown
  return [
    `  FAIL  ${says}`,
    ...violations.slice(0, violationsShown).map((violation) => `        ${violation}`),
    ...(more > 0 ? [`        and ${more} more`] : []),
  ]
}
