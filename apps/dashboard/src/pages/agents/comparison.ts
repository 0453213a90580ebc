import type { DeploymentComparison, MetricEstimate, RollbackMetric, RuleComparison } from '@agent-run-service/sdk'
import type { Series } from '../../ui/chart/types.ts'
import { count } from '../../ui/format.ts'
import { metricText } from './rollout.ts'

/** `2.0 % (1.1 % to 3.9 %)`: the observed value and where the true one lies. */
export const estimateText = (metric: string, estimate: MetricEstimate | null): string => {
  if (estimate === null) return '–'
  const { value, at_least, at_most } = estimate
  const range =
    at_most === null
      ? `at least ${metricText(metric, at_least)}`
      : `${metricText(metric, at_least)} to ${metricText(metric, at_most)}`
  return `${metricText(metric, value)} (${range})`
}

/** How far a rule is from its first judgement: `12 of 50 runs`. */
export const progressText = ({ min_runs, runs_needed }: RuleComparison): string =>
  `${count(Math.max(0, min_runs - runs_needed))} of ${count(min_runs)} runs`

/** What a rule says now. */
export const ruleState = (rule: RuleComparison): { word: string; tone: 'plain' | 'good' | 'bad' } => {
  if (rule.is_broken) return { word: 'Broken', tone: 'bad' }
  if (rule.runs_needed > 0 || rule.canary === null) return { word: 'Too few runs', tone: 'plain' }
  return { word: 'Kept', tone: 'good' }
}

/** The reason of a rollback, filled in with the numbers that the page shows. */
export const reasonText = ({ canary, running }: DeploymentComparison): string => {
  const parts = metrics.flatMap((metric) => {
    const mine = canary[metric]
    const theirs = running?.[metric] ?? null
    if (mine === null) return []
    const against = theirs === null ? '' : ` against ${metricText(metric, theirs.value)}`
    return [`${reasonWords[metric]} ${metricText(metric, mine.value)}${against}`]
  })
  const runs = `Version ${canary.version} after ${count(canary.runs)} runs`
  return parts.length === 0 ? `${runs}.` : `${runs}: ${parts.join(', ')}.`
}

const metrics = ['failure_rate', 'latency_p95_ms', 'cost_per_run_usd'] as const satisfies readonly RollbackMetric[]
const reasonWords = {
  failure_rate: 'failure rate',
  latency_p95_ms: 'p95',
  cost_per_run_usd: 'cost of a run',
} as const satisfies Record<RollbackMetric, string>

/** One metric of both sides over time. */
export const seriesOf = (
  { series, canary, running }: DeploymentComparison,
  metric: RollbackMetric,
): { times: readonly Date[]; series: readonly Series[] } => {
  const figureOf = (side: (typeof series)[number]['canary']): number | null => {
    if (metric !== 'failure_rate') return side[metric]
    return side.runs === 0 ? null : side.failures / side.runs
  }
  const times = series.map(({ started_at }) => new Date(started_at))
  const ofCanary = {
    id: 'canary',
    name: `Version ${canary.version}`,
    tone: 'accent',
    values: series.map((each) => figureOf(each.canary)),
  } as const
  if (running === null) return { times, series: [ofCanary] }
  const ofRunning = {
    id: 'running',
    name: `Version ${running.version}`,
    tone: 'good',
    values: series.map((each) => figureOf(each.running)),
  } as const
  return { times, series: [ofRunning, ofCanary] }
}
