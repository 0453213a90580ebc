import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Tool } from '../connectors/index.ts'
import type { CallRecord, Decision } from './step.ts'
import { planCalls, reconcileSchema } from './tool-plan.ts'

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  connectorId: 'con_1',
  remoteName: name,
  hash: 'h',
  description: '',
  inputSchema: {},
  repeatable: false,
  needsApproval: false,
  ...more,
})

const atMs = (ms: number) => new Date(1_900_000_000_000 + ms)

const record = (status: CallRecord['status'], more: Partial<CallRecord> = {}): CallRecord => ({
  step: 2,
  ordinal: 0,
  name: 'mail',
  connector_id: null,
  arguments: call.arguments,
  repeatable: false,
  status,
  result: null,
  started_at: atMs(0),
  finished_at: null,
  ...more,
})

const decision = (
  type: Decision['type'],
  resolution: Decision['resolution'],
  more: Partial<Decision> = {},
): Decision => ({
  policy: null,
  id: 'a',
  type,
  step: 2,
  ordinal: 0,
  resolution,
  payload: null,
  comment: null,
  resolved_by: 'k',
  resolved_by_type: 'key',
  resolved_at: resolution === null ? null : atMs(10),
  ...more,
})

const call = { id: 'c1', name: 'mail', arguments: { to: 'ada' } }

const plan = (known: { tools?: Tool[]; records?: CallRecord[]; decisions?: Decision[] }) =>
  planCalls([call], { tools: [tool('mail')], off: new Map(), records: [], decisions: [], ...known })[0]

describe('a call that was not sent', () => {
  test('is sent, with the model’s arguments', () => {
    expect(plan({})).toEqual({ kind: 'send', tool: tool('mail'), ordinal: 0, call })
  })

  test('of an unknown tool is answered with an error', () => {
    expect(plan({ tools: [] })).toMatchObject({ kind: 'known', result: { callId: 'c1', isError: true } })
  })

  test('that needs approval is presented with its arguments, and sent only after approval', () => {
    const tools = [tool('mail', { needsApproval: true })]
    const toolCall = { name: 'mail', arguments: { to: 'ada' } }
    const asked = { kind: 'ask', ask: { type: 'approval', ordinal: 0, toolCall, responseSchema: null } }
    expect(plan({ tools })).toMatchObject(asked)
    expect(plan({ tools, decisions: [decision('approval', null)] })).toMatchObject(asked)
    // A decision on the adjacent call does not apply to this one.
    expect(plan({ tools, decisions: [decision('approval', 'approve', { ordinal: 1 })] })).toMatchObject(asked)
    expect(plan({ tools, decisions: [decision('approval', 'approve')] })).toMatchObject({ kind: 'send', call })
    expect(plan({ tools, decisions: [decision('approval', 'reject', { comment: 'no' })] })).toMatchObject({
      kind: 'known',
      result: { isError: true, result: 'A person has refused this call: no' },
    })
  })
})

describe('a call that was answered', () => {
  test('is not sent again, regardless of other state', () => {
    expect(plan({ tools: [], records: [record('completed', { result: 7 })] })).toEqual({
      kind: 'known',
      result: { callId: 'c1', name: 'mail', result: 7, isError: false },
    })
    expect(plan({ records: [record('failed', { result: 'no' })] })).toMatchObject({
      kind: 'known',
      result: { isError: true },
    })
  })
})

describe('a call that was sent without an answer', () => {
  test('is sent again if its tool was repeatable when it was sent', () => {
    expect(plan({ records: [record('started', { repeatable: true })] })).toMatchObject({ kind: 'send' })
    // The server's current annotation does not change a call that was already sent.
    const tools = [tool('mail', { repeatable: true })]
    expect(plan({ tools, records: [record('started')] })).toMatchObject({ kind: 'ask' })
  })

  test('otherwise needs a decision, with the schema of the answer, also when it was approved before', () => {
    const asked = { kind: 'ask', ask: { type: 'reconcile', responseSchema: reconcileSchema } }
    expect(plan({ records: [record('started')] })).toMatchObject(asked)
    expect(plan({ records: [record('started')], decisions: [decision('approval', 'approve')] })).toMatchObject(asked)
  })

  test('is finished when a person confirms it, and sent again when not', () => {
    const told = (payload: unknown) =>
      plan({ records: [record('started')], decisions: [decision('reconcile', 'respond', { payload })] })
    expect(told({ outcome: 'done', result: { id: 9 } })).toMatchObject({
      kind: 'known',
      result: { result: { id: 9 }, isError: false },
    })
    expect(told({ outcome: 'done' })).toMatchObject({ kind: 'known', result: { result: 'done' } })
    expect(told({ outcome: 'not_done' })).toMatchObject({ kind: 'send' })
  })

  test('also needs a decision when its tool no longer exists: its effect is still unknown', () => {
    expect(plan({ tools: [], records: [record('started')] })).toMatchObject({ kind: 'ask', ask: { type: 'reconcile' } })
    const decisions = [decision('reconcile', 'respond', { payload: { outcome: 'not_done' } })]
    const gone = { kind: 'known', result: { isError: true, result: 'There is no tool mail' } }
    expect(plan({ tools: [], records: [record('started')], decisions })).toMatchObject(gone)
    expect(plan({ tools: [], records: [record('started', { repeatable: true })] })).toMatchObject(gone)
  })

  test('needs a new decision when it was sent again after the last one', () => {
    const decisions = [decision('reconcile', 'respond', { payload: { outcome: 'not_done' }, resolved_at: atMs(10) })]
    expect(plan({ records: [record('started', { started_at: atMs(20) })], decisions })).toMatchObject({ kind: 'ask' })
    // Timestamps have millisecond precision: within the same one the order is unknown.
    expect(plan({ records: [record('started', { started_at: atMs(10) })], decisions })).toMatchObject({ kind: 'ask' })
    const done = [decision('reconcile', 'respond', { payload: { outcome: 'done' }, resolved_at: atMs(10) })]
    expect(plan({ records: [record('started', { started_at: atMs(20) })], decisions: done })).toMatchObject({
      kind: 'ask',
    })
  })
})

test('a call that must not be repeated is sent only if it was never sent, or if a person stated after the last attempt that it had no effect', () => {
  const decisions = fc.array(
    fc.record({
      type: fc.constantFrom('approval', 'input', 'reconcile'),
      resolution: fc.constantFrom('approve', 'reject', 'respond', null),
      payload: fc.constantFrom(null, { outcome: 'done' }, { outcome: 'not_done' }),
      ms: fc.integer({ min: 0, max: 40 }),
    }),
    { maxLength: 5 },
  )
  const records = fc.option(
    fc.record({ status: fc.constantFrom('started', 'completed', 'failed'), ms: fc.integer({ min: 0, max: 40 }) }),
  )
  fc.assert(
    fc.property(decisions, records, fc.boolean(), (made, sent, needsApproval) => {
      const all = made.map(({ type, resolution, payload, ms }) =>
        decision(type, resolution, { payload, resolved_at: atMs(ms) }),
      )
      const known = sent ? [record(sent.status, { started_at: atMs(sent.ms) })] : []
      const planned = plan({ tools: [tool('mail', { needsApproval })], records: known, decisions: all })
      if (planned?.kind !== 'send') return
      const last = all.findLast(({ resolution }) => resolution !== null)
      if (sent) {
        expect(last).toMatchObject({ type: 'reconcile', payload: { outcome: 'not_done' } })
        expect(last?.resolved_at?.getTime()).toBeGreaterThan(atMs(sent.ms).getTime())
      } else if (needsApproval) expect(last?.resolution).toBe('approve')
    }),
  )
})
