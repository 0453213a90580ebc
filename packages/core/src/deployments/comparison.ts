import { type DeploymentComparison, limits } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import type { Deployment } from './deployment.ts'
import { type Estimate, estimates, longestWindowSeconds, medianLatencyMs, weighRule } from './rollback-rule.ts'
import { type EndedRun, sampleOf } from './run-sample.ts'

/** A canary and the version beside it, with the ended runs of both. */
export type Sides = {
  until: Date
  canary: { deployment: Deployment; runs: readonly EndedRun[] }
  /** Null: there was no version before. */
  base: { deployment: Deployment; runs: readonly EndedRun[] } | null
}

/** The end of the window: a canary that was promoted or rolled back is compared as it was then. Null: now. */
export const comparedUntil = ({ activated_at, rolled_back_at }: Deployment): Date | null =>
  activated_at ?? rolled_back_at

/** The figures of both sides, computed as the rollback rules are. */
export const toComparison = ({ until, canary, base }: Sides): DeploymentComparison => {
  const { id, status, rollback_rules: rules } = canary.deployment
  const windowSeconds = longestWindowSeconds(rules)
  const bucketSeconds = bucketSecondsOf(windowSeconds)
  const baseRuns = base?.runs ?? []
  const runsIn = (runs: readonly EndedRun[]) => runs.filter(({ ageSeconds }) => ageSeconds <= windowSeconds)
  return {
    object: 'deployment_comparison',
    deployment_id: fromUuid('dep', id),
    status,
    until: until.toISOString(),
    window_seconds: windowSeconds,
    canary: sideOf(canary, windowSeconds),
    running: base && sideOf(base, windowSeconds),
    rules: rules.map((rule) => {
      const sides = {
        canary: sampleOf(canary.runs, rule.window_seconds),
        base: sampleOf(baseRuns, rule.window_seconds),
      }
      const figures = weighRule(rule, sides)
      return {
        ...rule,
        canary: toWire(figures.canary),
        running: toWire(figures.base),
        runs_needed: figures.runsNeeded,
        is_broken: figures.verdict.broken,
      }
    }),
    bucket_seconds: bucketSeconds,
    series: seriesOf({ canary: runsIn(canary.runs), running: runsIn(baseRuns) }, { until, bucketSeconds }),
  }
}

const sideOf = ({ deployment, runs }: Sides['canary'], windowSeconds: number): DeploymentComparison['canary'] => {
  const sample = sampleOf(runs, windowSeconds)
  return {
    deployment_id: fromUuid('dep', deployment.id),
    version: deployment.version,
    runs: sample.runs,
    failure_rate: toWire(estimates.failure_rate(sample)),
    latency_p50_ms: medianLatencyMs(sample),
    latency_p95_ms: toWire(estimates.latency_p95_ms(sample)),
    cost_per_run_usd: toWire(estimates.cost_per_run_usd(sample)),
  }
}

const toWire = (estimate: Estimate | null) => {
  if (estimate === null) return null
  const { of: _, ...wire } = estimate
  return wire
}

const bucketLengths = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800] as const

/** Intervals begin at multiples of their length, so that they stay the same from one request to the next. */
const bucketSecondsOf = (windowSeconds: number): number =>
  bucketLengths.find((length) => windowSeconds / length <= limits.comparisonIntervals - 1) ?? 3_600

type SeriesSide = DeploymentComparison['series'][number]['canary']

const seriesOf = (
  sides: { canary: readonly EndedRun[]; running: readonly EndedRun[] },
  { until, bucketSeconds }: { until: Date; bucketSeconds: number },
): DeploymentComparison['series'] => {
  const bucketOf = ({ ageSeconds }: EndedRun): number =>
    Math.floor((until.getTime() / 1_000 - ageSeconds) / bucketSeconds) * bucketSeconds
  const canary = Map.groupBy(sides.canary, bucketOf)
  const running = Map.groupBy(sides.running, bucketOf)
  const starts = [...new Set([...canary.keys(), ...running.keys()])].toSorted((a, b) => a - b)
  return starts.map((start) => ({
    started_at: new Date(start * 1_000).toISOString(),
    canary: pointOf(canary.get(start) ?? []),
    running: pointOf(running.get(start) ?? []),
  }))
}

const pointOf = (runs: readonly EndedRun[]): SeriesSide => {
  const sample = sampleOf(runs, Number.POSITIVE_INFINITY)
  return {
    runs: sample.runs,
    failures: sample.failures,
    latency_p95_ms: estimates.latency_p95_ms(sample)?.value ?? null,
    cost_per_run_usd: estimates.cost_per_run_usd(sample)?.value ?? null,
  }
}
