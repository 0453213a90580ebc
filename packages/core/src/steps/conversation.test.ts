import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { conversationOf, lastText, openCallsOf } from './conversation.ts'
import type { History, PastStep } from './step.ts'

const nothing: History = { steps: [], messages: [], calls: [], decisions: [] }
const at = new Date('2030-01-01T00:00:00Z')

const modelStep = (step: number, content: PastStep['content'], messagesRead = 0): PastStep => ({
  step,
  kind: 'model',
  content,
  messagesRead,
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  costUsd: 0,
  startedAt: at,
  finishedAt: at,
})

const toolStep = (step: number, content: PastStep['content'], messagesRead = 0): PastStep => ({
  ...modelStep(step, content, messagesRead),
  kind: 'tools',
})

const hello = [{ role: 'user', text: 'hello' } as const]
const call = { id: 'c1', name: 'lookup', arguments: { name: 'Ada' } }
const result = { callId: 'c1', name: 'lookup', result: { found: true }, isError: false }

describe('the messages of a model call', () => {
  test('begin with those of the opening', () => {
    const opening = [{ role: 'system', text: 'Be brief.' } as const, ...hello]
    expect(conversationOf(opening, nothing)).toEqual(opening)
    expect(conversationOf(hello, nothing)).toEqual(hello)
  })

  test('contain tool calls and their results, in the provider’s own format if there is one', () => {
    const parts = [{ type: 'reasoning', signature: 's' }]
    const steps = [modelStep(1, { text: 'Let me see.', toolCalls: [call], parts }), toolStep(2, { results: [result] })]
    expect(conversationOf(hello, { ...nothing, steps }).slice(1)).toEqual([
      { role: 'assistant', text: 'Let me see.', toolCalls: [call], parts },
      { role: 'tool', results: [result] },
    ])
  })

  test('contain each message before the step that read it, and unread ones last', () => {
    const messages = [1, 2, 3].map((number) => ({ number, text: `message ${number}` }))
    const steps = [
      modelStep(1, { text: '', toolCalls: [call] }, 1),
      toolStep(2, { results: [result] }, 1),
      modelStep(3, { text: 'So far.' }, 2),
    ]
    const told = conversationOf(hello, { ...nothing, steps, messages })
    expect(told.map((message) => ('text' in message ? message.text : message.role))).toEqual([
      'hello',
      'message 1',
      '',
      'tool',
      'message 2',
      'So far.',
      'message 3',
    ])
  })

  test('contain every message exactly once and in order, whatever the steps had read', () => {
    const reads = fc.array(fc.nat({ max: 6 }), { maxLength: 6 }).map((all) => all.toSorted((a, b) => a - b))
    fc.assert(
      fc.property(fc.nat({ max: 6 }), reads, (count, read) => {
        const messages = Array.from({ length: count }, (_, index) => ({ number: index + 1, text: `m${index + 1}` }))
        const steps = read.map((upTo, index) => modelStep(index + 1, { text: 'said' }, Math.min(upTo, count)))
        const told = conversationOf(hello, { ...nothing, steps, messages })
        const heard = told.flatMap((each) => (each.role === 'user' && each.text !== 'hello' ? [each.text] : []))
        expect(heard).toEqual(messages.map(({ text }) => text))
      }),
    )
  })

  test('contain the last decision of a person, under the ids that the model gave', () => {
    const resolved = { resolved_by: 'k', resolved_by_type: 'key', resolved_at: at } as const
    const decision = { id: 'a', type: 'approval', step: 1, payload: null, policy: null, ...resolved } as const
    const decisions = [
      { ...decision, ordinal: 0, resolution: 'approve', comment: 'yes' } as const,
      { ...decision, ordinal: 1, resolution: 'reject', comment: null } as const,
      { ...decision, ordinal: 0, step: 7, resolution: 'reject', comment: 'of another step' } as const,
    ]
    const steps = [modelStep(1, { text: '', askIds: ['ask_1', 'ask_2'] })]
    expect(conversationOf(hello, { ...nothing, steps, decisions }).at(-1)).toEqual({
      role: 'tool',
      results: [
        {
          callId: 'ask_1',
          name: 'decision',
          result: { type: 'approve', payload: null, comment: 'yes' },
          isError: false,
        },
        { callId: 'ask_2', name: 'decision', result: { type: 'reject', payload: null, comment: null }, isError: false },
      ],
    })
  })
})

test('the tool calls of the last step are open until their results are stored', () => {
  const asking = modelStep(1, { toolCalls: [call] })
  expect(openCallsOf({ ...nothing, steps: [asking] })).toBe(asking)
  expect(openCallsOf({ ...nothing, steps: [asking, toolStep(2, { results: [result] })] })).toBeNull()
  expect(openCallsOf({ ...nothing, steps: [modelStep(1, { text: 'done', toolCalls: [] })] })).toBeNull()
  expect(openCallsOf(nothing)).toBeNull()
})

test('the last text is that of the last step with any text', () => {
  expect(
    lastText({ ...nothing, steps: [modelStep(1, { text: 'a' }), modelStep(2, { text: 'b' }), toolStep(3, {})] }),
  ).toBe('b')
  expect(lastText({ ...nothing, steps: [modelStep(1, null)] })).toBeNull()
})
