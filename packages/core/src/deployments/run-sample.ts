import type { Sample } from './rollback-rule.ts'

/** How a run of a canary, or of the version beside it, ended. */
export type EndedRun = { failed: boolean; latencyMs: number; costUsd: number | null; ageSeconds: number }

/** The runs that were created within the window, aggregated. */
export const sampleOf = (runs: readonly EndedRun[], windowSeconds: number): Sample => {
  const within = runs.filter(({ ageSeconds }) => ageSeconds <= windowSeconds)
  return {
    runs: within.length,
    failures: within.filter(({ failed }) => failed).length,
    latenciesMs: within.map(({ latencyMs }) => latencyMs),
    costsUsd: within.map(({ costUsd }) => costUsd).filter((cost) => cost !== null),
  }
}
