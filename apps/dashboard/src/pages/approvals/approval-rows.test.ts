import type { RequiredAction, Run } from '@agent-run-service/sdk'
import { expect, test } from 'vitest'
import { rowsOf, toolLine, withGone } from './approval-rows.ts'

const action = (id: string, minute: number) =>
  ({ id, expires_at: `2026-01-15T12:${String(minute).padStart(2, '0')}:00Z` }) as RequiredAction
const run = (id: string, ...required_actions: RequiredAction[]) => ({ id, required_actions }) as Run

test('every question is a row, and the one that expires next comes first', () => {
  const rows = rowsOf([run('run_2', action('act_3', 30)), run('run_1', action('act_1', 40), action('act_2', 10))])
  expect(rows.map(({ id }) => id)).toEqual(['act_2', 'act_3', 'act_1'])
})

test('a question that somebody else decided stays, marked, in its place', () => {
  const before = rowsOf([run('run_1', action('act_1', 10)), run('run_2', action('act_2', 20))])
  const rows = withGone(before, rowsOf([run('run_2', action('act_2', 20))]), new Set())
  expect(rows.map(({ id, isGone }) => [id, isGone])).toEqual([
    ['act_1', true],
    ['act_2', undefined],
  ])
})

test('a question that the person decided here is gone at once', () => {
  const before = rowsOf([run('run_1', action('act_1', 10)), run('run_2', action('act_2', 20))])
  expect(withGone(before, before, new Set(['act_1'])).map(({ id }) => id)).toEqual(['act_2'])
  expect(withGone(before, [], new Set(['act_1', 'act_2']))).toEqual([])
})

test('a tool call fits in one line', () => {
  expect(toolLine({ name: 'refund', arguments: { order: 'A-1' } })).toBe('refund({"order":"A-1"})')
  expect(toolLine({ other: 1 })).toBe('{"other":1}')
  expect(toolLine(null)).toBe('–')
  expect(toolLine({ name: 'refund', arguments: { text: 'x'.repeat(1_000) } })).toHaveLength(201)
})
