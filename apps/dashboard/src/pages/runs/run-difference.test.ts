import type { RunStep } from '@agent-run-service/sdk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { differencesOf, firstDifference, valueAt } from './run-difference.ts'

test('the first difference is the first in the order of the text', () => {
  expect(firstDifference({ a: 1, b: [1, { c: 2 }] }, { a: 1, b: [1, { c: 3 }] })).toBe('b.1.c')
  expect(firstDifference({ a: 1, b: 1 }, { a: 2, b: 2 })).toBe('a')
  expect(firstDifference({ a: 1 }, { a: 1, b: 2 })).toBe('b')
  expect(firstDifference([1], { 0: 1 })).toBe('')
  expect(firstDifference(null, {})).toBe('')
})

test('a value equals itself, and every difference leads to values that differ', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      expect(firstDifference(one, structuredClone(one))).toBeNull()
      const path = firstDifference({ x: one }, { x: other })
      const hasDots = /[.]|""/.test(JSON.stringify([one, other]))
      if (path === null || hasDots) return
      expect(valueAt({ x: one }, path)).not.toEqual(valueAt({ x: other }, path))
    }),
  )
})

test('a value of any depth is compared', () => {
  const deep = (end: number) => {
    let value: unknown = end
    for (let depth = 0; depth < 10_000; depth++) value = { n: value }
    return value
  }
  expect(firstDifference(deep(1), deep(2))?.length).toBe(19_999)
})

const step = (more: Partial<RunStep> = {}): RunStep =>
  ({ type: 'model', model: 'm', status: 'completed', text: 'x', tool_calls: [], usage: {}, ...more }) as never
const run = { input: { q: 1 }, output: { result: 'a' }, error: null }

test('two runs parted where they first differ: input, then steps, then output', () => {
  const one = { run, steps: [step(), step()] }
  expect(differencesOf(one, one)).toEqual([])
  expect(differencesOf(one, { run, steps: [step({ duration_ms: 9 }), step()] })).toEqual([])
  const other = { run: { ...run, output: { result: 'b' } }, steps: [step(), step({ text: 'y' }), step()] }
  expect(differencesOf(one, other)).toEqual([
    { part: 'steps', path: 'text', number: 2 },
    { part: 'steps', path: '', number: 3 },
    { part: 'output', path: 'result' },
  ])
})
