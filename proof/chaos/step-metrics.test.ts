import { expect, test } from 'vitest'
import { parseStepCounts } from './step-metrics.ts'

test('steps are counted by their word, and the buckets of the histogram are not', () => {
  const counts = parseStepCounts(`# TYPE ars_step_duration_seconds histogram
ars_step_duration_seconds_count{word="continue",otel_scope_name="ars"} 12
ars_step_duration_seconds_bucket{word="continue",le="0.5"} 11
ars_step_duration_seconds_count{word="stale",otel_scope_name="ars"} 3
`)
  expect([...counts]).toEqual([
    ['continue', 12],
    ['stale', 3],
  ])
})
