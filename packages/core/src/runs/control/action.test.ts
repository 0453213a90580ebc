import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decideAction, type KnownAction } from './action.ts'

const action = (id: string, more: Partial<KnownAction> = {}): KnownAction => ({
  id,
  type: 'approval',
  message: 'May I?',
  tool_call: null,
  response_schema: null,
  created_at: new Date('2029-12-25T00:00:00Z'),
  expires_at: new Date('2030-01-01T00:00:00Z'),
  resolution: null,
  payload: null,
  comment: null,
  ...more,
})

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
const decide = (sent: Parameters<typeof decideAction>[0], ...actions: KnownAction[]) =>
  decideAction(sent, actions, isSame)

describe('the action that a decision addresses', () => {
  test('is the only open one, if none is named', () => {
    const open = action('b')
    expect(decide({ type: 'approve' }, action('a', { resolution: 'reject' }), open)).toEqual({
      kind: 'resolve',
      action: open,
      resolution: 'approve',
    })
  })

  test('must be named when several are open', () => {
    expect(decide({ type: 'approve' }, action('a'), action('b'))).toMatchObject({ code: 'action_id_required' })
    expect(decide({ type: 'approve', action_id: 'b' }, action('a'), action('b'))).toMatchObject({ kind: 'resolve' })
  })

  test('is unknown if nothing was asked, or if another run asked', () => {
    expect(decide({ type: 'approve' })).toMatchObject({ kind: 'refuse', code: 'no_open_action' })
    expect(decide({ type: 'approve', action_id: 'z' }, action('a'))).toMatchObject({
      kind: 'refuse',
      code: 'not_found',
    })
  })
})

describe('a decision that is already made', () => {
  const made = action('a', { resolution: 'approve' })

  test('can be repeated without effect, by its name or as the last one', () => {
    expect(decide({ type: 'approve', action_id: 'a' }, made)).toEqual({ kind: 'repeat' })
    expect(decide({ type: 'approve', comment: 'again' }, made)).toEqual({ kind: 'repeat' })
  })

  test('cannot be replaced by another', () => {
    expect(decide({ type: 'reject', action_id: 'a' }, made)).toMatchObject({ code: 'action_already_resolved' })
    expect(decide({ type: 'approve', action_id: 'a', payload: { x: 1 } }, made)).toMatchObject({
      code: 'action_already_resolved',
    })
    const answered = action('a', { type: 'input', resolution: 'respond', payload: { x: 1 } })
    expect(decide({ type: 'respond', payload: { x: 1 } }, answered)).toEqual({ kind: 'repeat' })
    expect(decide({ type: 'respond', payload: { x: 2 } }, answered)).toMatchObject({ code: 'action_already_resolved' })
  })
})

test.for<[KnownAction['type'], 'approve' | 'reject' | 'respond', boolean]>([
  ['approval', 'approve', true],
  ['approval', 'reject', true],
  ['approval', 'respond', false],
  ['input', 'respond', true],
  ['input', 'approve', false],
  ['reconcile', 'respond', true],
  ['reconcile', 'reject', false],
])('an action of type %s is answered by %s: %s', ([type, sent, fits]) => {
  const decision = decide({ type: sent }, action('a', { type }))
  expect(decision).toMatchObject(fits ? { kind: 'resolve' } : { kind: 'refuse', code: 'action_not_applicable' })
})

test('for any input, only an open action is resolved, and no two actions are confused', () => {
  const actions = fc.uniqueArray(
    fc.record({
      id: fc.constantFrom('a', 'b', 'c'),
      type: fc.constantFrom('approval', 'input', 'reconcile'),
      resolution: fc.constantFrom('approve', 'reject', 'respond', null),
    }),
    { selector: ({ id }) => id },
  )
  const sent = fc.record({
    type: fc.constantFrom('approve', 'reject', 'respond'),
    action_id: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
  })
  fc.assert(
    fc.property(actions, sent, (all, given) => {
      const known = all.map((each) => action(each.id, each))
      const decision = decideAction(given, known, isSame)
      if (decision.kind !== 'resolve') return
      expect(decision.action.resolution).toBeNull()
      if (given.action_id) expect(decision.action.id).toBe(given.action_id)
      else expect(known.filter(({ resolution }) => resolution === null)).toEqual([decision.action])
    }),
  )
})
