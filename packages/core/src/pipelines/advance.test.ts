import { describe, expect, test } from 'vitest'
import { advance, retryDueAt } from './advance.ts'
import type { AgentStep, PipelineStep } from './definition.ts'
import { finalStepsOf } from './definition.ts'
import { simulate, type World } from './pipeline-simulator.fixture.ts'
import type { OpenedStep, OpenItem, PipelineRunState } from './pipeline-state.ts'

const now = new Date('2026-11-17T12:00:00Z')
const later = (seconds: number): Date => new Date(now.getTime() + 1_000 * seconds)

const step = (key: string, more: Partial<AgentStep> = {}): AgentStep => ({ key, agent_id: 'agt_1', ...more })
const ask = (key: string): PipelineStep => ({ key, approval: { message: 'Go on?' } })

const opened = (key: string, more: Partial<OpenedStep> = {}): OpenedStep => ({
  key,
  outcome: null,
  verdict: { kind: 'run', items: 1 },
  nextItem: 1,
  halt: null,
  ...more,
})

const item = (of: string, state: OpenItem['state'], more: Partial<OpenItem> = {}): OpenItem => ({
  step: of,
  item: 0,
  attempt: 1,
  state,
  code: null,
  dueAt: null,
  ...more,
})

type Rows = { run?: Partial<PipelineRunState>; opened?: OpenedStep[]; items?: OpenItem[] }

const next = (steps: PipelineStep[], rows: Rows = {}) =>
  advance({
    definition: { steps },
    run: { status: 'running', deadlineAt: later(3_600), runs: 0, failure: null, ...rows.run },
    steps: rows.opened ?? [],
    items: rows.items ?? [],
    now,
  })

const again = { kind: 'again' }
const untilDeadline = { kind: 'wait', until: later(3_600) }
const settled = (key: string, outcome: OpenedStep['outcome']): OpenedStep => opened(key, { outcome })

describe('a step', () => {
  test('is opened when those it depends on are settled', () => {
    const steps = [step('a'), step('b'), step('c', { depends_on: ['a', 'b'] })]
    expect(next(steps)).toEqual({
      decisions: [
        { kind: 'open', step: 'a' },
        { kind: 'open', step: 'b' },
      ],
      next: again,
    })
    const rows = { opened: [settled('a', 'completed'), opened('b')], items: [item('b', 'started')] }
    expect(next(steps, rows)).toEqual({ decisions: [], next: untilDeadline })
    expect(next(steps, { opened: [settled('a', 'completed'), settled('b', 'completed')] }).decisions).toEqual([
      { kind: 'open', step: 'c' },
    ])
  })

  test('is skipped if its condition is false, and so are those after it', () => {
    const steps = [
      step('a', { when: 'x' }),
      step('b', { depends_on: ['a'] }),
      step('c', { depends_on: ['b'] }),
      step('d', { depends_on: ['b'], when: 'y' }),
    ]
    const rows = { opened: [opened('a', { verdict: { kind: 'skip' }, nextItem: 0 })] }
    expect(next(steps, rows)).toEqual({
      decisions: [
        ...['a', 'b', 'c'].map((key) => ({ kind: 'settle', step: key, outcome: 'skipped', code: null })),
        { kind: 'open', step: 'd' },
      ],
      next: again,
    })
  })

  test('over no items completes', () => {
    const rows = { opened: [opened('a', { verdict: { kind: 'run', items: 0 }, nextItem: 0 })] }
    expect(next([step('a', { for_each: 'x' })], rows)).toEqual({
      decisions: [{ kind: 'settle', step: 'a', outcome: 'completed', code: null }],
      next: { kind: 'end', status: 'completed' },
    })
  })

  test('that fails with on_error continue lets those after it run', () => {
    const rows = { opened: [opened('a')], items: [item('a', 'failed', { code: 'model_error' })] }
    expect(next([step('a', { on_error: 'continue' }), step('b', { depends_on: ['a'] })], rows).decisions).toEqual([
      { kind: 'halt', step: 'a', code: 'model_error' },
      { kind: 'close', step: 'a', item: 0, outcome: 'failed', code: 'model_error' },
      { kind: 'settle', step: 'a', outcome: 'failed', code: 'model_error' },
      { kind: 'open', step: 'b' },
    ])
  })

  test('that fails cancels the others, and the pipeline run ends when they have ended', () => {
    const steps = [step('a'), step('b'), step('c'), step('d', { depends_on: ['c'] }), ask('e')]
    const both = [opened('a'), opened('b')]
    const first = next(steps, {
      opened: [...both, settled('c', 'completed'), opened('e')],
      items: [item('a', 'refused', { code: 'quota_exceeded' }), item('b', 'started'), item('e', 'started')],
    })
    expect(first).toEqual({
      decisions: [
        { kind: 'halt', step: 'a', code: 'quota_exceeded' },
        { kind: 'close', step: 'a', item: 0, outcome: 'failed', code: 'quota_exceeded' },
        { kind: 'fail', step: 'a', code: 'quota_exceeded' },
        { kind: 'settle', step: 'a', outcome: 'failed', code: 'quota_exceeded' },
        { kind: 'cancel', step: 'b', item: 0, attempt: 1 },
        { kind: 'halt', step: 'e', code: 'cancelled' },
        { kind: 'close', step: 'e', item: 0, outcome: 'cancelled', code: null },
        { kind: 'settle', step: 'e', outcome: 'cancelled', code: null },
      ],
      next: { kind: 'wait', until: null },
    })
    const failure = { step: 'a', code: 'quota_exceeded' }
    const rest = [settled('a', 'failed'), opened('b'), settled('c', 'completed'), settled('e', 'cancelled')]
    expect(next(steps, { run: { failure }, opened: rest, items: [item('b', 'cancelling')] })).toEqual({
      decisions: [],
      next: { kind: 'wait', until: null },
    })
    expect(next(steps, { run: { failure }, opened: rest, items: [item('b', 'cancelled')] })).toEqual({
      decisions: [
        { kind: 'halt', step: 'b', code: 'cancelled' },
        { kind: 'close', step: 'b', item: 0, outcome: 'cancelled', code: null },
        { kind: 'settle', step: 'b', outcome: 'cancelled', code: null },
      ],
      next: { kind: 'end', status: 'failed', ...failure },
    })
  })
})

describe('an item', () => {
  const list = step('a', { for_each: 'x', max_parallel: 2, retry: { attempts: 2, on: ['timeout'] } })
  const three = (nextItem: number, halt: string | null = null) =>
    opened('a', { verdict: { kind: 'run', items: 3 }, nextItem, halt })

  test('starts while fewer than max_parallel are open', () => {
    expect(next([list], { opened: [three(0)] }).decisions).toEqual(
      [0, 1].map((at) => ({ kind: 'start', step: 'a', item: at, attempt: 1 })),
    )
    const rows = { opened: [three(2)], items: [item('a', 'completed'), item('a', 'started', { item: 1 })] }
    expect(next([list], rows).decisions).toEqual([
      { kind: 'close', step: 'a', item: 0, outcome: 'completed', code: null },
      { kind: 'start', step: 'a', item: 2, attempt: 1 },
    ])
  })

  test('that fails stops further items, and the step fails after those that run', () => {
    const failed = item('a', 'failed', { code: 'model_error' })
    const first = next([list], { opened: [three(2)], items: [failed, item('a', 'started', { item: 1 })] })
    expect(first).toEqual({
      decisions: [
        { kind: 'halt', step: 'a', code: 'model_error' },
        { kind: 'close', step: 'a', item: 0, outcome: 'failed', code: 'model_error' },
      ],
      next: untilDeadline,
    })
    const second = next([list], { opened: [three(2, 'model_error')], items: [item('a', 'completed', { item: 1 })] })
    expect(second.next).toEqual({ kind: 'end', status: 'failed', step: 'a', code: 'model_error' })
  })

  test('that fails with on_item_error continue stops nothing', () => {
    const rows = { opened: [three(3)], items: [item('a', 'failed', { item: 2, code: 'model_error' })] }
    expect(next([{ ...list, on_item_error: 'continue' }], rows).next).toEqual({ kind: 'end', status: 'completed' })
  })

  test('is retried after codes of retry.on, as often as attempts says (pipelinesBounds.retryPause)', () => {
    const failed = item('a', 'failed', { code: 'timeout', dueAt: later(2) })
    expect(next([step('a', { retry: list.retry! })], { opened: [opened('a')], items: [failed] })).toEqual({
      decisions: [],
      next: { kind: 'wait', until: later(2) },
    })
    const due = next([step('a', { retry: list.retry! })], { opened: [opened('a')], items: [{ ...failed, dueAt: now }] })
    expect(due.decisions).toEqual([{ kind: 'start', step: 'a', item: 0, attempt: 2 }])
    const last = next([step('a', { retry: list.retry! })], {
      opened: [opened('a')],
      items: [{ ...failed, attempt: 2 }],
    })
    expect(last.next).toMatchObject({ status: 'failed', code: 'timeout' })
    expect([1, 2, 3, 9].map((attempt) => retryDueAt(now, attempt))).toEqual([1, 2, 4, 60].map(later))
  })

  test('that is refused for lack of room is the same attempt again', () => {
    const refused = item('a', 'refused', { code: 'concurrency_exceeded', dueAt: later(5) })
    expect(next([step('a')], { opened: [opened('a')], items: [refused] }).next).toEqual({
      kind: 'wait',
      until: later(5),
    })
    const due = next([step('a')], { opened: [opened('a')], items: [{ ...refused, dueAt: now }] })
    expect(due.decisions).toEqual([{ kind: 'start', step: 'a', item: 0, attempt: 1 }])
  })

  test('that somebody cancelled fails its step', () => {
    const rows = { opened: [opened('a')], items: [item('a', 'cancelled')] }
    expect(next([step('a')], rows).next).toEqual({ kind: 'end', status: 'failed', step: 'a', code: 'run_cancelled' })
  })

  test('beyond the runs of a pipeline run fails its step', () => {
    const rows = { run: { runs: 2_000 }, opened: [three(1)], items: [item('a', 'started')] }
    expect(next([list], rows).decisions).toEqual([{ kind: 'halt', step: 'a', code: 'too_many_runs' }])
    expect(next([list], { ...rows, run: { runs: 1_999 } })).toEqual({
      decisions: [{ kind: 'start', step: 'a', item: 1, attempt: 1 }],
      next: untilDeadline,
    })
  })
})

describe('a pipeline run', () => {
  test('that is cancelled cancels what runs and ends', () => {
    const steps = [step('a'), step('b', { depends_on: ['a'] })]
    const run = { status: 'cancelling' } as const
    expect(next(steps, { run })).toEqual({ decisions: [], next: { kind: 'end', status: 'cancelled' } })
    expect(next(steps, { run, opened: [opened('a')], items: [item('a', 'started')] })).toEqual({
      decisions: [{ kind: 'cancel', step: 'a', item: 0, attempt: 1 }],
      next: { kind: 'wait', until: null },
    })
    // Its run completed before it heard of the cancel.
    expect(next(steps, { run, opened: [opened('a')], items: [item('a', 'completed')] })).toEqual({
      decisions: [
        { kind: 'close', step: 'a', item: 0, outcome: 'completed', code: null },
        { kind: 'settle', step: 'a', outcome: 'completed', code: null },
      ],
      next: { kind: 'end', status: 'cancelled' },
    })
  })

  test('fails at its deadline', () => {
    const run = { deadlineAt: now }
    expect(next([step('a')], { run, opened: [opened('a')], items: [item('a', 'started')] }).decisions).toEqual([
      { kind: 'fail', step: null, code: 'timeout' },
      { kind: 'cancel', step: 'a', item: 0, attempt: 1 },
    ])
  })

  test('asks a person once, and fails when the question expires', () => {
    expect(next([ask('a')], { opened: [opened('a', { nextItem: 0 })] })).toEqual({
      decisions: [{ kind: 'ask', step: 'a' }],
      next: again,
    })
    const open = { opened: [opened('a')], items: [item('a', 'started', { dueAt: later(9) })] }
    expect(next([ask('a')], open)).toEqual({ decisions: [], next: { kind: 'wait', until: later(9) } })
    const expired = next([ask('a')], { ...open, items: [item('a', 'started', { dueAt: now })] })
    expect(expired.next).toEqual({ kind: 'end', status: 'failed', step: 'a', code: 'approval_expired' })
  })

  test('has the output of each final step', () => {
    expect(
      finalStepsOf({ steps: [step('a'), step('b', { depends_on: ['a'] }), step('c', { depends_on: ['a'] })] }),
    ).toEqual(['b', 'c'])
  })
})

test.for([10, 100, 1_000])('a step over %i items costs the same for each of them', (count) => {
  const world: World = {
    attempt: (_, at) => ({ refusals: 0, ms: 100 + ((at * 37) % 91), end: 'completed' }),
    when: () => true,
    items: () => count,
    output: (_, at) => `${at}`,
  }
  const { outputs, calls, end } = simulate({ definition: { steps: [step('a', { for_each: 'x' })] }, world })
  expect(end.status).toBe('completed')
  expect(outputs.get('a')).toEqual(Array.from({ length: count }, (_, at) => `${at}`))
  // Every call reads the open items and no others.
  expect(Math.max(...calls.map(({ items }) => items))).toBeLessThanOrEqual(10)
  expect(calls.length).toBeLessThanOrEqual(count + 5)
  expect(calls.reduce((sum, { decisions }) => sum + decisions, 0)).toBe(2 * count + 2)
})
