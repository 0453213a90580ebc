import { type AlertRule, alertMetrics } from '@agent-run-service/sdk'
import { expect, test } from 'vitest'
import { conditionText } from './metrics.ts'
import { checkFields, checkTerms, fieldsOf, newRule, termsOf } from './rule-fields.ts'

const rule: AlertRule = {
  id: 'alr_1',
  object: 'alert_rule',
  name: 'Too many failures',
  metric: 'failure_rate',
  error_code: null,
  agent_id: null,
  operator: 'above',
  threshold: 0.07,
  window_seconds: 600,
  for_seconds: 90,
  min_sample_size: 20,
  severity: 'critical',
  enabled: true,
  state: 'ok',
  alert_id: null,
  stale: false,
  created_at: '2026-03-01T00:00:00.000Z',
}

test('a share is typed in per cent', () => {
  expect(fieldsOf(rule).threshold).toBe('7')
  expect(termsOf({ ...newRule, threshold: '7' }).threshold).toBe(0.07)
})

test.each(alertMetrics)('a rule of %s is the same after it went through the form', (metric) => {
  const given = { ...rule, metric, error_code: metric === 'error_code_count' ? ('tool_error' as const) : null }
  const { metric: _, threshold, ...rest } = termsOf(fieldsOf(given))
  expect({ threshold, ...rest }).toEqual({
    threshold: 0.07,
    error_code: given.error_code,
    agent_id: null,
    operator: 'above',
    window_seconds: 600,
    for_seconds: 90,
    min_sample_size: 20,
  })
})

test('wrong numbers are told before anything is sent', () => {
  const errors = checkFields({ ...newRule, threshold: '', windowMinutes: '2.5', forMinutes: '-1', minSampleSize: '0' })
  expect(Object.keys(errors)).toEqual(['name', 'threshold', 'window_seconds', 'for_seconds', 'min_sample_size'])
  expect(checkTerms(newRule)).toEqual({})
})

test('a rule is read as a sentence', () => {
  expect(conditionText(rule)).toBe('Failure rate above 7.0 % over 10 min, for 1 min 30 s')
})
