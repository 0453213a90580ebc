import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Message, Simulation } from './model.ts'
import { chunksOf, type Turn } from './script.ts'
import { isSimulated, nextTurn, type SimulatedModel, simulatedModels } from './simulation.ts'

const simulationOf = (input: Record<string, unknown>, given: Partial<Simulation> = {}): Simulation => ({
  input,
  step: 1,
  attempt: 1,
  runId: 'run_1',
  ...given,
})

const turnOf = (
  model: SimulatedModel,
  input: Record<string, unknown>,
  given: Partial<Simulation> = {},
  messages: readonly Message[] = [],
): Turn => {
  const turn = nextTurn(model, simulationOf(input, given), messages)
  if ('problem' in turn) throw new Error(turn.problem)
  return turn
}

const textOf = ({ chunks }: Turn): string => chunks.join('')

test('test-echo answers with the query, or with its whole input if there is none', () => {
  expect(textOf(turnOf('simulated/echo', { query: 'Hello' }))).toBe('Hello')
  expect(textOf(turnOf('simulated/echo', { a: 1 }))).toBe('{"a":1}')
})

test('test-steps ends with its last step and not before', () => {
  const turns = [1, 2, 3].map((step) => turnOf('simulated/steps', { steps: 3 }, { step }))
  expect(turns.map(({ again }) => again)).toEqual([true, true, undefined])
  expect(turns[2]?.output).toEqual({ result: '3 steps done', steps: 3 })
  expect(turns.every(({ recorded }) => recorded)).toBe(true)
})

test('test-steps kills the process in the configured step and in no other', () => {
  const deadly = [1, 2, 3].map((step) => turnOf('simulated/steps', { kill_worker_at_step: 2 }, { step }).deadly)
  expect(deadly).toEqual([false, true, false])
})

test('test-slow takes the configured number of seconds', () => {
  expect(turnOf('simulated/slow', { seconds: 3 })).toMatchObject({
    delayMs: 3000,
    output: { result: 'waited 3 s', seconds: 3 },
  })
})

test('test-fail fails with the given code and message, or with agent_error', () => {
  expect(turnOf('simulated/fail', { code: 'tool_error', message: 'no', after_chunks: 2 })).toMatchObject({
    fail: { code: 'tool_error', message: 'no', retryable: false, afterChunks: 2 },
    chunks: ['chunk 1 ', 'chunk 2 '],
  })
  expect(turnOf('simulated/fail', { code: 'nonsense' }).fail?.code).toBe('agent_error')
})

test('test-approval asks a person and then answers with the decision', () => {
  const schema = { type: 'object' }
  const [ask] =
    turnOf('simulated/approval', { message: 'Pay?', response_schema: schema, expires_in_seconds: 60 }).asks ?? []
  expect(ask).toEqual({ id: 'ask_1', type: 'approval', message: 'Pay?', responseSchema: schema, expiresInSeconds: 60 })
  const decidedBy = (result: unknown): Message[] => [
    { role: 'assistant', text: '', toolCalls: [] },
    { role: 'tool', results: [{ callId: 'ask_1', name: 'approval', result, isError: false }] },
  ]
  expect(turnOf('simulated/approval', {}, {}, decidedBy({ type: 'approve', comment: 'fine' }))).toMatchObject({
    chunks: ['approved'],
    output: { result: 'approved', decision: 'approved', comment: 'fine', payload: null },
  })
  expect(textOf(turnOf('simulated/approval', {}, {}, decidedBy({ type: 'reject' })))).toBe('rejected')
  expect(turnOf('simulated/approval', {}, {}, decidedBy({ type: 'respond', payload: { a: 1 } })).output).toMatchObject({
    result: 'answered',
    payload: { a: 1 },
  })
})

test('test-approval asks the configured number of times, each with a unique id', () => {
  const asks = turnOf('simulated/approval', { type: 'input', count: 3 }).asks ?? []
  expect(asks.map(({ id, type }) => `${id} ${type}`)).toEqual(['ask_1 input', 'ask_2 input', 'ask_3 input'])
})

test('test-stream emits a text in the configured chunks', () => {
  expect(turnOf('simulated/stream', { text: 'abcdefg', chunk_chars: 3, delay_ms: 7 })).toMatchObject({
    chunks: ['abc', 'def', 'g'],
    delayPerChunkMs: 7,
  })
  expect(turnOf('simulated/stream', { text: 'abcdef', chunks: 2 }).chunks).toEqual(['abc', 'def'])
  const made = turnOf('simulated/stream', { chunks: 5, chunk_chars: 4 }).chunks
  expect(made.map((chunk) => chunk.length)).toEqual([4, 4, 4, 4, 4])
})

test('a text is split between characters and never inside one', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 9 }), (text, chars) => {
      const pieces = chunksOf(text, chars)
      expect(pieces.join('')).toBe(text)
      expect(pieces.every((piece) => piece.isWellFormed())).toBe(text.isWellFormed())
    }),
  )
})

test('a script is played turn by turn, with its texts', () => {
  const script = [
    {
      tool_calls: [{ name: 'look', arguments: { at: 'sky' } }, { name: 'wait' }],
      usage: { input_tokens: 5, output_tokens: 6 },
    },
    { chunks: ['a', 'b'], delay_per_chunk_ms: 3, delay_ms: 9, fail: { retryable: true, times: 2 } },
  ]
  expect(turnOf('simulated/script', {}, { script })).toMatchObject({
    toolCalls: [
      { id: 'call_1_1', name: 'look', arguments: { at: 'sky' } },
      { id: 'call_1_2', name: 'wait', arguments: {} },
    ],
    usage: { inputTokens: 5, outputTokens: 6 },
  })
  const after: Message[] = [
    { role: 'assistant', text: '', toolCalls: [] },
    { role: 'tool', results: [] },
  ]
  expect(turnOf('simulated/script', { script }, {}, after)).toMatchObject({
    chunks: ['a', 'b'],
    delayMs: 9,
    delayPerChunkMs: 3,
    fail: { retryable: true, times: 2, afterChunks: 0 },
  })
})

test.for([
  [undefined, 'The script is invalid: script is required and must be a list'],
  [[], 'The script is invalid: script must not be empty'],
  [[{ txt: 'a' }], 'The script is invalid: script.0.txt is not a known field; did you mean 0.text?'],
  [[{ text: 'a', chunks: ['a'] }], 'has either text or chunks'],
  [[{ text: 'a', json: {} }], 'has json, or text or chunks, not both'],
  [[{ delay_ms: -1 }], 'The script is invalid: script.0.delay_ms must be at least 0'],
] as const)('an invalid script is reported as such', ([script, says]) => {
  const turn = nextTurn('simulated/script', simulationOf({ script }), [])
  expect('problem' in turn && turn.problem).toContain(says)
})

test('a script can use the input and the decisions of people', () => {
  const script = [
    {
      asks: [
        {
          type: 'approval',
          message: 'Send to {{input.to}}?',
          tool_call: { name: 'send', arguments: { to: '{{input.to}}' } },
        },
      ],
    },
    { json: { to: '{{input.to}}', approval: '{{decisions.0.decision}}' } },
  ]
  const [ask] = turnOf('simulated/script', { to: 'Ada' }, { script }).asks ?? []
  expect(ask).toMatchObject({ message: 'Send to Ada?', toolCall: { name: 'send', arguments: { to: 'Ada' } } })
  const after: Message[] = [
    { role: 'assistant', text: '', toolCalls: [] },
    { role: 'tool', results: [{ callId: 'ask_1_1', name: 'decision', result: { type: 'reject' }, isError: false }] },
  ]
  expect(textOf(turnOf('simulated/script', { to: 'Ada' }, { script }, after))).toBe(
    '{"to":"Ada","approval":"rejected"}',
  )
})

test('a script that would repeat the input beyond the maximum text length is reported as such', () => {
  const script = [{ text: '{{input.text}}'.repeat(20) }]
  const turn = nextTurn('simulated/script', simulationOf({ text: 'x'.repeat(100_000) }, { script }), [])
  expect(turn).toEqual({ problem: 'Turn 1 of the script takes more than 1048576 characters of the input' })
})

test('a finished script reports that it has ended', () => {
  const spoken: Message[] = [{ role: 'assistant', text: 'a', toolCalls: [] }]
  expect(nextTurn('simulated/script', simulationOf({ script: [{ text: 'a' }] }), spoken)).toEqual({
    problem: 'The script has 1 turns and was asked for one more',
  })
})

test('for any input a test agent ends within a hundred steps and waits at most an hour per step (modelsBounds.simulatedSteps, modelsBounds.simulatedWait)', () => {
  const fields = [
    'steps',
    'delay_ms',
    'seconds',
    'query',
    'chunks',
    'chunk_chars',
    'text',
    'fail_times',
    'message',
    'type',
    'count',
    'code',
  ]
  fc.assert(
    fc.property(
      fc.constantFrom(...simulatedModels.filter((model) => model !== 'simulated/script')),
      fc.dictionary(fc.constantFrom(...fields), fc.jsonValue()),
      (model, input) => {
        let step = 1
        for (; turnOf(model, input, { step }).again; step++) expect(step).toBeLessThan(100)
        const { delayMs } = turnOf(model, input, { step })
        expect(delayMs >= 0 && delayMs <= 3_600_000).toBe(true)
      },
    ),
  )
})

test('only listed models are simulated', () => {
  expect([isSimulated('simulated/echo'), isSimulated('simulated/other'), isSimulated('openai/x')]).toEqual([
    true,
    false,
    false,
  ])
})
