import { systemClock } from '@ars/platform/clock'
import { createLog } from '@ars/platform/log/log'
import { describe, expect, test } from 'vitest'
import { guardAgainst, type Word } from '../../test/test-guard.ts'
import type { Tool, Toolbox } from '../connectors/index.ts'
import { createModels } from '../models/index.ts'
import { createLlmStep } from './llm-step.service.ts'
import type { CallRecord, History, PastStep } from './step.ts'
import type { StepRequest } from './step-context.service.ts'

const log = createLog({ level: 'silent' })
const models = createModels({
  modelsFile: undefined,
  environment: {},
  clock: systemClock,
  log,
  sleep: async () => undefined,
})
const nothing: History = { steps: [], messages: [], calls: [], decisions: [] }

const forbid = (stage: Word['stage'], word: string): Word => ({ stage, word })

const aTool: Tool = {
  name: 'mail',
  connectorId: 'con_1',
  remoteName: 'mail',
  hash: 'h',
  description: '',
  inputSchema: {},
  repeatable: false,
  needsApproval: false,
}

const modelStep = (step: number, content: PastStep['content']): PastStep => {
  const at = new Date('2030-01-01T00:00:00Z')
  return {
    step,
    kind: 'model',
    content,
    messagesRead: 0,
    inputTokens: 0,
    outputTokens: 0,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    costUsd: 0,
    startedAt: at,
    finishedAt: at,
  }
}

/** Executes one step with a recording context, against servers that answer as configured. */
const take = async (
  script: unknown[],
  {
    rules = [],
    history = nothing,
    answer = 'sent',
    held,
  }: { rules?: Word[]; history?: History; answer?: unknown; held?: unknown } = {},
  limits: Record<string, unknown> = {},
) => {
  const written: unknown[] = []
  let streamed = ''
  const toolbox: Toolbox = {
    tools: [aTool],
    off: new Map(),
    call: async () => ({ result: answer, isError: false }),
    close: async () => undefined,
  }
  const step = createLlmStep({
    models,
    connectors: { openToolbox: async () => toolbox },
    checks: { output: async () => [], schema: async () => [], prompt: async () => ({ kind: 'rendered', text: '' }) },
    log,
  })
  const request: StepRequest = {
    org: 'o',
    runId: 'run_1',
    step: history.steps.length + 1,
    attempt: 1,
    claims: 1,
    agent: {
      id: 'a',
      version: 1,
      kind: 'llm',
      config: { model: 'simulated/script', script, tools: [{ connector_id: 'con_1' }] },
      outputSchema: null,
      limits,
    },
    input: {},
    spentUsd: 0,
    messages: 0,
    guard: guardAgainst(rules),
    signal: new AbortController().signal,
    context: {
      history: async () => history,
      delta: (text) => {
        streamed += text
      },
      reset: async () => {
        streamed = ''
      },
      startCall: async (call) => void written.push(call),
      finishCall: async (call) => void written.push(call),
      openHeld: async () => held,
      failedTry: () => undefined,
      backOff: () => undefined,
    },
  }
  const outcome = await step(request)
  return { outcome, streamed, written: JSON.stringify([written, outcome]) }
}

describe('a guardrail', () => {
  const secret = forbid('output', 'password')

  test('never streams any part of a forbidden word, however it is split, and the run’s output is the streamed text', async () => {
    for (const chunks of [['The pass', 'word is x'], [...'The password is x'], ['The password is x']]) {
      const { outcome, streamed, written } = await take([{ chunks }], { rules: [secret] })
      expect(outcome).toMatchObject({
        kind: 'failed',
        code: 'guardrail_blocked',
        details: { check: 'keywords' },
      })
      expect('The ').toContain(streamed)
      expect(outcome).toMatchObject({ output: streamed === '' ? null : { result: streamed } })
      expect(outcome.record).toMatchObject({ kind: 'model', content: streamed === '' ? {} : { text: streamed } })
      expect(written).not.toContain('password is')
    }
  })

  test('treats text that a retry withdrew as removed', async () => {
    const { outcome, streamed } = await take(
      [{ chunks: ['my pass', 'word'], fail: { retryable: true, times: 1, after_chunks: 1 } }],
      { rules: [forbid('output', 'my pass my pass')] },
    )
    expect([outcome.kind, streamed]).toEqual(['completed', 'my password'])
  })

  test('keeps a forbidden tool call out of the record', async () => {
    const script = [{ text: 'Well. ', tool_calls: [{ name: 'mail', arguments: { body: 'password' } }] }]
    const { outcome, written } = await take(script, { rules: [forbid('tool_call', 'password')] })
    expect(outcome).toMatchObject({ kind: 'failed', code: 'guardrail_blocked', output: { result: 'Well. ' } })
    expect(written).not.toContain('"password"')
  })

  test('keeps a forbidden result out of the record, and the model never sees it', async () => {
    const call = { id: 'c', name: 'mail', arguments: {} }
    const history = { ...nothing, steps: [modelStep(1, { text: 'So far. ', toolCalls: [call] })] }
    const { outcome, written } = await take([], {
      rules: [forbid('tool_result', 'hunter2')],
      history,
      answer: 'hunter2',
    })
    expect(outcome).toMatchObject({ kind: 'failed', code: 'guardrail_blocked' })
    expect(written.replaceAll('it says hunter2', '')).not.toContain('hunter2')
  })
})

test('the results of one step are bounded together: the model learns which ones it cannot see (limits.stepResultBytes)', async () => {
  const toolCalls = Array.from({ length: 12 }, (_, n) => ({ id: `c${n}`, name: 'mail', arguments: {} }))
  const mebibyte = 1024 * 1024
  const answer = 'x'.repeat(mebibyte - 2)
  const at = new Date('2030-01-01T00:00:00Z')
  const first: CallRecord = {
    step: 2,
    ordinal: 0,
    name: 'mail',
    connector_id: null,
    arguments: {},
    repeatable: false,
    status: 'completed',
    result: answer,
    started_at: at,
    finished_at: at,
  }
  const history = { ...nothing, steps: [modelStep(1, { toolCalls })], calls: [first] }
  const { outcome } = await take([], { history, answer })
  expect(outcome.kind).toBe('continue')
  const results = outcome.record?.content?.results ?? []
  expect(results.map(({ isError }) => isError)).toEqual([...Array(10).fill(false), true, true])
  expect(results[11]?.result).toMatch(/results of this step together are larger than 10485760 bytes/)
})

describe('a run that must stop', () => {
  const history = { ...nothing, steps: [modelStep(1, { text: 'So far.' })] }

  test('repeats its last text, so that streamed text and output are equal', async () => {
    const { outcome, streamed } = await take([{ text: 'x' }], { history }, { max_steps: 1 })
    expect(outcome).toMatchObject({ kind: 'failed', code: 'max_steps_exceeded', output: { result: 'So far.' } })
    expect(streamed).toBe('So far.')
  })

  test('has no output if there was no text', async () => {
    const { outcome, streamed } = await take(
      [{ text: 'x' }],
      { history: { ...nothing, steps: [modelStep(1, {})] } },
      { max_steps: 1 },
    )
    expect([outcome, streamed]).toMatchObject([{ kind: 'failed', output: null }, ''])
  })

  test('after a model failure keeps the text of this step, or else the last text', async () => {
    const fail = { message: 'It broke', after_chunks: 1 }
    const script = [{ text: 'unused' }, { chunks: ['Half', ' lost'], fail }]
    expect(await take(script, { history })).toMatchObject({ streamed: 'Half', outcome: { output: { result: 'Half' } } })
    const silent = [{ text: 'unused' }, { fail: { message: 'It broke' } }]
    expect(await take(silent, { history })).toMatchObject({
      streamed: 'So far.',
      outcome: { output: { result: 'So far.' } },
    })
  })
})
