import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Tool } from '../connectors/index.ts'
import type { CallRecord, Decision } from './step.ts'
import { planCalls, reconcileSchema } from './tool-plan.ts'

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  connectorId: 'con_1',
  remoteName: name,
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
  planCalls([call], { tools: [tool('mail')], records: [], decisions: [], ...known })[0]

describe('a call that was not sent yet', () => {
  test('is sent, as the model asked for it', () => {
    expect(plan({})).toEqual({ kind: 'send', tool: tool('mail'), ordinal: 0, call })
  })

  test('of a tool that is not there is answered with an error', () => {
    expect(plan({ tools: [] })).toMatchObject({ kind: 'known', result: { callId: 'c1', isError: true } })
  })

  test('that needs approval is asked about, with its arguments, and sent only after a yes', () => {
    const tools = [tool('mail', { needsApproval: true })]
    const toolCall = { name: 'mail', arguments: { to: 'ada' } }
    const asked = { kind: 'ask', ask: { type: 'approval', ordinal: 0, toolCall, responseSchema: null } }
    expect(plan({ tools })).toMatchObject(asked)
    expect(plan({ tools, decisions: [decision('approval', null)] })).toMatchObject(asked)
    // A decision on the call beside it is none on this one.
    expect(plan({ tools, decisions: [decision('approval', 'approve', { ordinal: 1 })] })).toMatchObject(asked)
    expect(plan({ tools, decisions: [decision('approval', 'approve')] })).toMatchObject({ kind: 'send', call })
    expect(plan({ tools, decisions: [decision('approval', 'reject', { comment: 'no' })] })).toMatchObject({
      kind: 'known',
      result: { isError: true, result: 'A person has refused this call: no' },
    })
  })
})

describe('a call that was answered', () => {
  test('is not sent again, whatever else is known', () => {
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

describe('a call that was sent and has no answer', () => {
  test('is sent again when its tool did no harm twice at the time it was sent', () => {
    expect(plan({ records: [record('started', { repeatable: true })] })).toMatchObject({ kind: 'send' })
    // The server's word of today does not change what was sent yesterday.
    const tools = [tool('mail', { repeatable: true })]
    expect(plan({ tools, records: [record('started')] })).toMatchObject({ kind: 'ask' })
  })

  test('is asked about otherwise, with the schema of the answer, also when it was approved before', () => {
    const asked = { kind: 'ask', ask: { type: 'reconcile', responseSchema: reconcileSchema } }
    expect(plan({ records: [record('started')] })).toMatchObject(asked)
    expect(plan({ records: [record('started')], decisions: [decision('approval', 'approve')] })).toMatchObject(asked)
  })

  test('is over when a person says that it was done, and sent again when not', () => {
    const told = (payload: unknown) =>
      plan({ records: [record('started')], decisions: [decision('reconcile', 'respond', { payload })] })
    expect(told({ outcome: 'done', result: { id: 9 } })).toMatchObject({
      kind: 'known',
      result: { result: { id: 9 }, isError: false },
    })
    expect(told({ outcome: 'done' })).toMatchObject({ kind: 'known', result: { result: 'done' } })
    expect(told({ outcome: 'not_done' })).toMatchObject({ kind: 'send' })
  })

  test('is asked about also when its tool is gone by now: what it has done is still not known', () => {
    expect(plan({ tools: [], records: [record('started')] })).toMatchObject({ kind: 'ask', ask: { type: 'reconcile' } })
    const decisions = [decision('reconcile', 'respond', { payload: { outcome: 'not_done' } })]
    const gone = { kind: 'known', result: { isError: true, result: 'There is no tool mail' } }
    expect(plan({ tools: [], records: [record('started')], decisions })).toMatchObject(gone)
    expect(plan({ tools: [], records: [record('started', { repeatable: true })] })).toMatchObject(gone)
  })

  test('is asked about anew when it was sent again after what was said', () => {
    const decisions = [decision('reconcile', 'respond', { payload: { outcome: 'not_done' }, resolved_at: atMs(10) })]
    expect(plan({ records: [record('started', { started_at: atMs(20) })], decisions })).toMatchObject({ kind: 'ask' })
    // Dates are of whole milliseconds: in the same one nobody knows which came first.
    expect(plan({ records: [record('started', { started_at: atMs(10) })], decisions })).toMatchObject({ kind: 'ask' })
    const done = [decision('reconcile', 'respond', { payload: { outcome: 'done' }, resolved_at: atMs(10) })]
    expect(plan({ records: [record('started', { started_at: atMs(20) })], decisions: done })).toMatchObject({
      kind: 'ask',
    })
  })
})

test('a call that must not be repeated is sent only if it never was, or a person said after the last time that it was not done', () => {
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
