import { describe, expect, test } from 'vitest'
import { newRollout, newRule, rolloutOf } from './rollout.ts'

describe('to whom a version goes', () => {
  test('everyone is one strategy without rules', () => {
    expect(rolloutOf(newRollout())).toEqual({ rollout: { strategy: 'all_at_once' }, faults: [] })
  })

  test('a canary has the defaults that the page shows', () => {
    expect(rolloutOf({ ...newRollout(), to: 'canary' })).toEqual({
      rollout: {
        strategy: 'canary',
        traffic_percent: 10,
        rollback_rules: [{ metric: 'failure_rate', above: 0.05, min_runs: 50, window_seconds: 3_600 }],
      },
      faults: [],
    })
  })

  test('mistakes are told at the paths of the request', () => {
    const rule = { ...newRule('latency_p95_ms'), above: '', min_runs: '0', window_minutes: '2000' }
    const { faults } = rolloutOf({ to: 'canary', share: '100', rules: [newRule(), rule] })
    expect(faults.map(({ field }) => field)).toEqual([
      'rollout.traffic_percent',
      'rollout.rollback_rules.1.above',
      'rollout.rollback_rules.1.min_runs',
      'rollout.rollback_rules.1.window_seconds',
    ])
  })
})
