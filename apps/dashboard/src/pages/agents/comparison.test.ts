import type { DeploymentComparison, RuleComparison } from '@agent-run-service/sdk'
import { expect, test } from 'vitest'
import { estimateText, progressText, reasonText, ruleState, seriesOf } from './comparison.ts'

const side = (version: number, failure: number) => ({
  deployment_id: `dep_${version}`,
  version,
  runs: 120,
  failure_rate: { runs: 120, value: failure, at_least: failure / 2, at_most: failure * 2 },
  latency_p50_ms: 800,
  latency_p95_ms: { runs: 120, value: 1_500, at_least: 1_200, at_most: null },
  cost_per_run_usd: null,
})
const interval = (minute: number, canaryRuns: number) => ({
  started_at: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
  canary: {
    runs: canaryRuns,
    failures: canaryRuns / 4,
    latency_p95_ms: canaryRuns === 0 ? null : 900,
    cost_per_run_usd: null,
  },
  running: { runs: 10, failures: 1, latency_p95_ms: 700, cost_per_run_usd: null },
})
const comparison: DeploymentComparison = {
  object: 'deployment_comparison',
  deployment_id: 'dep_4',
  status: 'canary',
  until: '2026-01-01T01:00:00.000Z',
  window_seconds: 3_600,
  canary: side(4, 0.2),
  running: side(3, 0.02),
  rules: [],
  bucket_seconds: 60,
  series: [interval(0, 8), interval(1, 0)],
}
const rule = (part: Partial<RuleComparison>): RuleComparison => ({
  metric: 'failure_rate',
  above: 0.05,
  min_runs: 50,
  window_seconds: 3_600,
  canary: comparison.canary.failure_rate,
  running: null,
  runs_needed: 0,
  is_broken: false,
  ...part,
})

test('an estimate shows its range, or only its lower bound', () => {
  expect(estimateText('failure_rate', comparison.canary.failure_rate)).toBe('20.0 % (10.0 % to 40.0 %)')
  expect(estimateText('latency_p95_ms', comparison.canary.latency_p95_ms)).toBe('1.50 s (at least 1.20 s)')
  expect(estimateText('cost_per_run_usd', null)).toBe('–')
})

test('a rule says how many runs it has and what it found', () => {
  expect(progressText(rule({ runs_needed: 38 }))).toBe('12 of 50 runs')
  expect(ruleState(rule({ runs_needed: 38 })).word).toBe('Too few runs')
  expect(ruleState(rule({})).word).toBe('Kept')
  expect(ruleState(rule({ is_broken: true })).word).toBe('Broken')
})

test('the reason of a rollback carries the numbers of both sides', () => {
  expect(reasonText(comparison)).toBe(
    'Version 4 after 120 runs: failure rate 20.0 % against 2.0 %, p95 1.50 s against 1.50 s.',
  )
})

test('an interval without runs is a gap in the line', () => {
  const { series } = seriesOf(comparison, 'failure_rate')
  expect(series.map(({ name, values }) => [name, values])).toEqual([
    ['Version 3', [0.1, 0.1]],
    ['Version 4', [0.25, null]],
  ])
})
