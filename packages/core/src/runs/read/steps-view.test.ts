import { RunStep } from '@ars/contract'
import { expect, test } from 'vitest'
import type { CallRecord, Decision, PastStep } from '../../steps/index.ts'
import { type StepRows, toSteps } from './steps-view.ts'

const at = (second: number): Date => new Date(Date.UTC(2030, 0, 1, 0, 0, second))
const uuid = '01a1d8b9-0668-7000-8000-000000000001'

const modelStep: PastStep = {
  step: 1,
  kind: 'model',
  content: {
    model: 'openai/gpt',
    text: 'Let me look.',
    toolCalls: [{ id: 'c1', name: 'lookup', arguments: { name: 'x' } }],
  },
  messagesRead: 0,
  inputTokens: 12,
  outputTokens: 3,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  costUsd: 0.25,
  startedAt: at(0),
  finishedAt: at(2),
}
const toolStep: PastStep = {
  ...modelStep,
  step: 2,
  kind: 'tools',
  content: { results: [{ callId: 'c1', name: 'lookup', result: { found: true }, isError: false }] },
  startedAt: at(2),
  finishedAt: at(4),
}
const call: CallRecord = {
  step: 2,
  ordinal: 0,
  name: 'lookup',
  connector_id: uuid,
  arguments: { name: 'x' },
  repeatable: true,
  status: 'completed',
  result: { found: true },
  started_at: at(2),
  finished_at: at(4),
}
const decision: Decision = {
  policy: null,
  id: uuid,
  type: 'approval',
  step: 2,
  ordinal: 0,
  resolution: 'approve',
  payload: null,
  comment: 'Fine by me',
  resolved_by: uuid,
  resolved_by_type: 'key',
  resolved_at: at(3),
}
const history = (more: Partial<StepRows>): StepRows => ({
  steps: [],
  calls: [],
  decisions: [],
  running: [],
  started: undefined,
  endedAt: undefined,
  prior: undefined,
  ...more,
})

test('a run without steps shows none', () => {
  expect(toSteps(history({}))).toEqual([])
})

test('a model call shows its text, tool calls, usage and duration', () => {
  const [step] = toSteps(history({ steps: [modelStep] }))
  expect(step).toMatchObject({
    number: 1,
    type: 'model',
    status: 'completed',
    model: 'openai/gpt',
    text: 'Let me look.',
    tool_calls: [{ name: 'lookup', arguments: { name: 'x' }, status: 'waiting', result: null }],
    usage: { input_tokens: 12, output_tokens: 3, cost_usd: 0.25 },
    duration_ms: 2_000,
  })
})

test('a tool call shows its result, its approver and the reason', () => {
  const [, step] = toSteps(history({ steps: [modelStep, toolStep], calls: [call], decisions: [decision] }))
  expect(step?.tool_calls).toMatchObject([
    {
      name: 'lookup',
      connector_id: expect.stringMatching(/^con_/),
      status: 'completed',
      result: { found: true },
      decision: { type: 'approve', by: expect.stringMatching(/^key_/), comment: 'Fine by me', at: at(3).toISOString() },
    },
  ])
})

test('a decision names the key or person that made it', () => {
  const byPerson = { ...decision, resolved_by_type: 'user' } as const
  for (const [made, by] of [
    [decision, /^key_/],
    [byPerson, /^usr_/],
  ] as const) {
    const [step] = toSteps(history({ steps: [toolStep], calls: [call], decisions: [made] }))
    expect(step?.decisions).toMatchObject([{ by: expect.stringMatching(by) }])
    expect(step?.tool_calls[0]?.decision?.by).toMatch(by)
  }
})

test('a rejected tool call was never sent, and shows the model’s replacement result', () => {
  const results = [{ callId: 'c1', name: 'lookup', result: 'A person has refused this', isError: true }]
  const steps = [modelStep, { ...toolStep, content: { results } }]
  const [, step] = toSteps(history({ steps, decisions: [{ ...decision, resolution: 'reject' }] }))
  expect(step?.tool_calls).toMatchObject([
    { name: 'lookup', arguments: { name: 'x' }, status: 'failed', started_at: null, decision: { type: 'reject' } },
  ])
})

test('an open action is not a decision, and of two decisions the later one counts', () => {
  const open = { ...decision, resolution: null, resolved_by: null, resolved_at: null }
  const [unanswered] = toSteps(history({ steps: [toolStep], calls: [call], decisions: [open] }))
  expect(unanswered?.tool_calls[0]?.decision).toBeNull()
  const later = { ...decision, type: 'reconcile' as const, resolution: 'respond' as const, comment: null }
  const [answered] = toSteps(history({ steps: [toolStep], calls: [call], decisions: [decision, later] }))
  expect(answered?.tool_calls[0]?.decision?.type).toBe('respond')
})

test('tool calls in flight are an unfinished step', () => {
  const started = { ...call, status: 'started' as const, result: null, finished_at: null }
  const steps = toSteps(history({ steps: [modelStep], running: [started] }))
  expect(steps[1]).toMatchObject({ number: 2, type: 'tools', status: 'running', finished_at: null, duration_ms: null })
  expect(steps[1]?.tool_calls).toMatchObject([{ status: 'started', result: null, finished_at: null }])
})

test('tool calls of a run that has ended in the meantime are a failed step', () => {
  const started = { ...call, status: 'started' as const, result: null, finished_at: null }
  const steps = toSteps(history({ steps: [modelStep], running: [started], endedAt: at(9) }))
  expect(steps[1]).toMatchObject({ status: 'failed', finished_at: at(9).toISOString(), duration_ms: 7_000 })
})

test('a step shows whether the run failed in it, and the tries that failed', () => {
  const attempts = [
    { started_at: at(0).toISOString(), error: { code: 'model_error', message: 'The model provider answered 529' } },
  ]
  const retried = { ...modelStep, content: { model: 'openai/gpt', text: 'At last.', attempts } }
  const failed = { ...modelStep, step: 2, content: { model: 'openai/gpt', attempts, failed: true as const } }
  const steps = toSteps(history({ steps: [retried, failed] }))
  expect(steps).toMatchObject([
    { status: 'completed', attempts },
    { status: 'failed', attempts },
  ])
  for (const step of steps) expect(RunStep.strict().safeParse(step).error).toBeUndefined()
  expect(toSteps(history({ steps: [modelStep] }))[0]).toMatchObject({ status: 'completed', attempts: [] })
})

test('a page that begins with tool calls shows their arguments from the step before it', () => {
  const [step] = toSteps(history({ steps: [toolStep], calls: [call], prior: modelStep }))
  const [, whole] = toSteps(history({ steps: [modelStep, toolStep], calls: [call] }))
  expect(step).toEqual(whole)
})

test('every view matches the schema of the contract', () => {
  const steps = toSteps(history({ steps: [modelStep, toolStep], calls: [call], decisions: [decision] }))
  for (const step of steps) expect(RunStep.strict().safeParse(step).error).toBeUndefined()
})

test('a model call in progress is a running step, and a failed one if the run ended before it', () => {
  const started = { step: 3, type: 'model', model: 'openai/gpt', started_at: at(5) } as const
  const [, , running] = toSteps(history({ steps: [modelStep, toolStep], started }))
  expect(running).toMatchObject({ number: 3, type: 'model', status: 'running', model: 'openai/gpt', finished_at: null })
  expect(RunStep.strict().safeParse(running).error).toBeUndefined()
  const [, , failed] = toSteps(history({ steps: [modelStep, toolStep], started, endedAt: at(9) }))
  expect(failed).toMatchObject({ status: 'failed', duration_ms: 4_000, finished_at: at(9).toISOString() })
})
