import { expect, test } from 'vitest'
import { failsAt, inSeconds, judge, maxTestUnits, measureUnitMs } from './cpu-limit.ts'

test('a test is fine up to its limit, warned about above it, and fails at three times that', () => {
  expect(judge(maxTestUnits, maxTestUnits)).toBe('fine')
  expect(judge(maxTestUnits + 1, maxTestUnits)).toBe('warn')
  expect(judge(maxTestUnits * failsAt, maxTestUnits)).toBe('warn')
  expect(judge(maxTestUnits * failsAt + 1, maxTestUnits)).toBe('fail')
})

test('the unit is the least of several measurements', () => {
  const times = [0, 30, 30, 42, 42, 90, 90, 101, 101, 120]
  expect(measureUnitMs(() => times.shift() ?? 0)).toBe(11)
})

test('units are shown as seconds on a slow core', () => {
  expect(inSeconds(250)).toBe('2.5 s')
})
