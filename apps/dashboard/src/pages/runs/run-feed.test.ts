import type { Run, RunFrame, RunStep } from '@agent-run-service/sdk'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { barsOfFeed, emptyFeed, fold, textOfFeed } from './run-feed.ts'
import { type Bar, barsOfSteps } from './run-picture.ts'

const at = (second: number): string => new Date(second * 1_000).toISOString()
const frame = (type: string, second: number, more: object = {}): RunFrame =>
  ({ type, run_id: 'run_x', created_at: at(second), ...more }) as RunFrame
const feedOf = (...frames: readonly RunFrame[]) => frames.reduce(fold, emptyFeed)
const begun = [frame('run.created', 0), frame('run.started', 1)]
const barOf = (bars: readonly Bar[], key: string) => bars.find((bar) => bar.key === key)

test('a reset takes back what its step has said; when the step speaks again, it was a retry', () => {
  const frames = [
    ...begun,
    frame('run.step.started', 1, { step: 1 }),
    frame('run.output.delta', 2, { step: 1, delta: 'Hel' }),
    frame('run.output.reset', 3, { step: 1 }),
  ]
  expect(textOfFeed(feedOf(...frames))).toBe('')
  expect(barOf(feedOf(...frames).bars, 'step-1')?.retries).toBe(0)
  const spoken = feedOf(...frames, frame('run.output.delta', 4, { step: 1, delta: 'Hello' }))
  expect(textOfFeed(spoken)).toBe('Hello')
  expect(barOf(spoken.bars, 'step-1')?.retries).toBe(1)
})

test('a reset of one step leaves the text of the others', () => {
  const feed = feedOf(
    ...begun,
    frame('run.output.delta', 2, { step: 1, delta: 'One. ' }),
    frame('run.output.delta', 3, { step: 2, delta: 'Two.' }),
    frame('run.output.reset', 4, { step: 2 }),
    frame('run.output.delta', 5, { step: 3, delta: 'Three.' }),
  )
  expect(textOfFeed(feed)).toBe('One. Three.')
})

test('a step that starts again after a crash is one row', () => {
  const feed = feedOf(
    ...begun,
    frame('run.step.started', 1, { step: 1 }),
    frame('run.step.started', 9, { step: 1 }),
    frame('run.step.completed', 10, { step: 1 }),
  )
  const steps = feed.bars.filter(({ kind }) => kind === 'step')
  expect(steps).toMatchObject([{ key: 'step-1', startMs: 9_000, endMs: 10_000, retries: 1 }])
})

test('frames of a type that this page does not know change nothing', () => {
  const feed = feedOf(...begun)
  expect(fold(feed, frame('run.dreaming', 5, { step: 1 }))).toBe(feed)
})

test('findings of policies are kept in their order and change neither bars nor text', () => {
  const found = (rule: string, second: number) => frame('run.guardrail', second, { step: 0, rule })
  const feed = feedOf(...begun, found('first', 2), found('second', 3))
  expect(feed.findings.map(({ rule }) => rule)).toEqual(['first', 'second'])
  expect(feed.bars).toEqual(feedOf(...begun).bars)
})

test('a snapshot says the status and that text is missing', () => {
  expect(feedOf(frame('run.snapshot', 5, { run: { status: 'running' } }))).toMatchObject({
    status: 'running',
    hasGap: true,
  })
})

test('no order of frames breaks the picture: bars never end before they begin, and the end closes all of them', () => {
  const some = fc.constantFrom(
    frame('run.created', 0),
    frame('run.started', 1),
    frame('run.step.started', 2, { step: 1 }),
    frame('run.tool_call.started', 3, { step: 1, call: 0, name: 'lookup' }),
    frame('run.tool_call.completed', 4, { step: 1, call: 0, name: 'lookup', status: 'failed' }),
    frame('run.output.delta', 4, { step: 1, delta: 'x' }),
    frame('run.output.reset', 4, { step: 1 }),
    frame('run.step.completed', 5, { step: 1 }),
    frame('run.requires_action', 6, { required_actions: [] }),
    frame('run.resumed', 7),
    frame('run.cancelling', 8),
  )
  fc.assert(
    fc.property(fc.array(some, { maxLength: 30 }), (frames) => {
      const bars = barsOfFeed(feedOf(...frames, frame('run.cancelled', 99)))
      for (const { startMs, endMs } of bars) expect(endMs).toBeGreaterThanOrEqual(Math.min(startMs, endMs ?? -1))
      expect(bars.every(({ endMs }) => endMs !== null)).toBe(true)
      expect(new Set(bars.map(({ key }) => key)).size).toBe(bars.length)
    }),
  )
})

describe('the picture from stored steps equals the one from frames', () => {
  const step = (number: number, from: number, to: number, more: Partial<RunStep> = {}): RunStep =>
    ({
      number,
      type: 'model',
      model: null,
      started_at: at(from),
      finished_at: at(to),
      tool_calls: [],
      attempts: [],
      decisions: [],
      ...more,
    }) as never
  const run = (status: string, finished: number, more: object = {}): Run =>
    ({
      status,
      created_at: at(0),
      started_at: at(1),
      finished_at: at(finished),
      error: null,
      timing: { waiting_ms: 0 },
      ...more,
    }) as never
  const pictureOf = (bars: readonly Bar[]) => bars.map(({ retries: _, name: __, stepType: ___, ...bar }) => bar)

  test('with tool calls, an approval between two steps, and a failure at the end', () => {
    const decisions = [{ action_id: 'act_1', type: 'approve', by: 'usr_1', comment: null, at: at(9) }]
    const call = { name: 'refund', status: 'failed', started_at: at(11), finished_at: at(12) }
    const steps = [
      step(1, 1, 3),
      step(2, 10, 13, { type: 'tools', decisions, tool_calls: [call] as never }),
      step(3, 13, 15),
    ]
    const frames = [
      ...begun,
      frame('run.step.started', 1, { step: 1 }),
      frame('run.output.delta', 2, { step: 1, delta: 'Let me see.' }),
      frame('run.output.reset', 3, { step: 1 }),
      frame('run.step.completed', 3, { step: 1 }),
      frame('run.step.started', 3, { step: 2 }),
      frame('run.requires_action', 3, { required_actions: [] }),
      frame('run.resumed', 9),
      frame('run.step.started', 10, { step: 2 }),
      frame('run.tool_call.started', 11, { step: 2, call: 0, name: 'refund' }),
      frame('run.tool_call.completed', 12, { step: 2, call: 0, name: 'refund', status: 'failed' }),
      frame('run.step.completed', 13, { step: 2 }),
      frame('run.step.started', 13, { step: 3 }),
      frame('run.step.completed', 15, { step: 3 }),
      frame('run.failed', 15),
    ]
    const stored = barsOfSteps(run('failed', 15), steps)
    expect(pictureOf(barsOfFeed(feedOf(...frames)))).toEqual(pictureOf(stored))
    expect(stored.map(({ key }) => key)).toEqual(['queue', 'step-1', 'wait-1', 'step-2', 'tool-2-0', 'step-3'])
  })

  test('with a question that nobody answered', () => {
    const frames = [
      ...begun,
      frame('run.step.started', 1, { step: 1 }),
      frame('run.step.completed', 3, { step: 1 }),
      frame('run.requires_action', 3, { required_actions: [] }),
      frame('run.cancelled', 20),
    ]
    const ended = run('cancelled', 20, { timing: { waiting_ms: 17_000 } })
    expect(pictureOf(barsOfFeed(feedOf(...frames)))).toEqual(pictureOf(barsOfSteps(ended, [step(1, 1, 3)])))
  })

  test('a run that went on after a decision does not wait again at its end, although its times are rounded', () => {
    const decisions = [{ action_id: 'act_1', type: 'approve', by: 'usr_1', comment: null, at: at(9) }]
    const rounded = { timing: { waiting_ms: 6_010 } }
    const keysOf = (status: string, last: RunStep) =>
      barsOfSteps(run(status, 13, rounded), [step(1, 1, 3), last]).map(({ key }) => key)
    const keys = ['queue', 'step-1', 'wait-1', 'step-2']
    expect(keysOf('completed', step(2, 10, 13, { status: 'completed', decisions }))).toEqual(keys)
    expect(keysOf('failed', step(2, 10, 13, { status: 'failed', decisions }))).toEqual(keys)
  })

  test('with a tool call that was under way when the run was cancelled', () => {
    const call = { name: 'hang', status: 'started', started_at: at(4), finished_at: null }
    const open = step(2, 4, 4, { type: 'tools', finished_at: null, tool_calls: [call] as never })
    const bars = barsOfSteps(run('cancelled', 9), [step(1, 1, 3), open])
    expect(bars.map(({ key, endMs }) => [key, endMs])).toEqual([
      ['queue', 1_000],
      ['step-1', 3_000],
      ['step-2', 9_000],
      ['tool-2-0', 9_000],
    ])
  })

  test('a run that was cancelled in the queue has one row', () => {
    const cancelled = run('cancelled', 5, { started_at: null })
    const frames = [frame('run.created', 0), frame('run.cancelled', 5)]
    expect(pictureOf(barsOfFeed(feedOf(...frames)))).toEqual(pictureOf(barsOfSteps(cancelled, [])))
  })
})
