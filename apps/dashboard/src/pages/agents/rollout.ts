import { limits, type RollbackMetric, type Rollout, rollbackMetrics } from '@agent-run-service/sdk'
import { duration, percent, usd } from '../../ui/format.ts'
import type { FieldFault } from './agent-fields.ts'

/** Who gets a new version, as a person types it. */
export type RolloutFields = {
  to: 'everyone' | 'canary'
  share: string
  rules: RuleFields[]
}

/** `above` in the unit of the metric: percent, milliseconds, US dollars. */
export type RuleFields = { metric: RollbackMetric; above: string; min_runs: string; window_minutes: string }

export const shares = ['1', '5', '10', '25', '50'] as const

export const newRule = (metric: RollbackMetric = 'failure_rate'): RuleFields => ({
  metric,
  above: { failure_rate: '5', latency_p95_ms: '30000', cost_per_run_usd: '0.1' }[metric],
  min_runs: '50',
  window_minutes: '60',
})

export const newRollout = (): RolloutFields => ({ to: 'everyone', share: '10', rules: [newRule()] })

export const metricUnits = {
  failure_rate: '%',
  latency_p95_ms: 'ms',
  cost_per_run_usd: 'US dollars',
} as const satisfies Record<RollbackMetric, string>

/** The request, and the mistakes by the paths that the service would use. */
export const rolloutOf = (fields: RolloutFields): { rollout: Rollout; faults: readonly FieldFault[] } => {
  if (fields.to === 'everyone') return { rollout: { strategy: 'all_at_once' }, faults: [] }
  const faults: FieldFault[] = []
  const number = (field: string, text: string, { from, to, isInteger = true }: Bounds): number => {
    const value = Number(text)
    const isGood = text.trim() !== '' && value >= from && value <= to && (!isInteger || Number.isInteger(value))
    if (!isGood) faults.push({ field, message: `${isInteger ? 'A whole number' : 'A number'} from ${from} to ${to}.` })
    return value
  }
  const traffic_percent = number('rollout.traffic_percent', fields.share, { from: 1, to: 99 })
  const rollback_rules = fields.rules.map(({ metric, above, min_runs, window_minutes }, n) => {
    const path = `rollout.rollback_rules.${n}`
    const top = metric === 'failure_rate' ? 100 : 1e9
    const value = number(`${path}.above`, above, { from: 0, to: top, isInteger: false })
    return {
      metric,
      above: metric === 'failure_rate' ? Number((value / 100).toFixed(6)) : value,
      min_runs: number(`${path}.min_runs`, min_runs, { from: 1, to: limits.rollbackMinRunsMax }),
      window_seconds: number(`${path}.window_seconds`, window_minutes, { from: 1, to: 1_440 }) * 60,
    }
  })
  return { rollout: { strategy: 'canary', traffic_percent, rollback_rules }, faults }
}

type Bounds = { from: number; to: number; isInteger?: boolean }

/** A value of a metric in words. A metric of tomorrow is shown as a number. */
export const metricText = (metric: string, value: number | null | undefined): string => {
  if (value === null || value === undefined) return '–'
  if (metric === 'failure_rate') return percent(value)
  if (metric === 'latency_p95_ms') return duration(value)
  return metric === 'cost_per_run_usd' ? usd(value) : String(value)
}

export const isMetric = (metric: string): metric is RollbackMetric => rollbackMetrics.some((each) => each === metric)
