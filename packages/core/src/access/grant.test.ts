import { demoScopes, type Scope, scopes } from '@ars/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Fault } from '../fault.ts'
import { type Grant, intersect, parseScopes, requireDemoSize, requireGrantable } from './grant.ts'

const someScopes = fc.uniqueArray(fc.constantFrom(...scopes))
const agents = ['a1', 'a2', 'a3', 'a4']
const someAgents = fc.option(fc.uniqueArray(fc.constantFrom(...agents)))
const grant: fc.Arbitrary<Grant> = fc.record({
  scopes: someScopes,
  agentIds: someAgents,
  kind: fc.constantFrom('live', 'demo'),
})
const caller = fc
  .record({ scopes: someScopes, agentIds: someAgents, isDemo: fc.boolean() })
  .map((held) => ({ ...held, scopes: new Set(held.scopes), agentIds: held.agentIds && new Set(held.agentIds) }))

const isGranted = (work: () => void): boolean => {
  try {
    work()
    return true
  } catch (error) {
    if (error instanceof Fault && error.code === 'forbidden') return false
    throw error
  }
}

/** All rights of a holder: pairs of scope and agent. */
const reach = (held: Iterable<Scope>, agentIds: Iterable<string> | null): Set<string> =>
  new Set([...held].flatMap((scope) => [...(agentIds ?? [...agents, 'any other'])].map((agent) => `${scope} ${agent}`)))

test('a created key never grants more access than its creator has', () => {
  fc.assert(
    fc.property(caller, grant, (maker, asked) => {
      if (!isGranted(() => requireGrantable(maker, asked))) return
      expect(
        [...reach(asked.scopes, asked.agentIds)].filter((one) => !reach(maker.scopes, maker.agentIds).has(one)),
      ).toEqual([])
      expect(maker.isDemo && asked.kind === 'live').toBe(false)
      // A narrowed key stays narrowed: "every agent" includes agents that are created later.
      expect(maker.agentIds !== null && asked.agentIds === null).toBe(false)
    }),
  )
})

test('in any chain of creators the last holds no more than the first', () => {
  fc.assert(
    fc.property(caller, fc.array(grant, { minLength: 1, maxLength: 6 }), (first, chain) => {
      let maker = first
      for (const asked of chain) {
        if (!isGranted(() => requireGrantable(maker, asked))) continue
        maker = {
          scopes: new Set(asked.scopes),
          agentIds: asked.agentIds && new Set(asked.agentIds),
          isDemo: asked.kind === 'demo',
        }
      }
      const beyond = [...reach(maker.scopes, maker.agentIds)].filter(
        (one) => !reach(first.scopes, first.agentIds).has(one),
      )
      expect(beyond).toEqual([])
    }),
  )
})

test('a holder of all rights can grant anything, and every holder can grant exactly the rights it holds', () => {
  const all = { scopes: new Set(scopes), agentIds: null, isDemo: false }
  fc.assert(
    fc.property(grant, caller, (asked, maker) => {
      expect(isGranted(() => requireGrantable(all, asked))).toBe(true)
      const own: Grant = {
        scopes: [...maker.scopes],
        agentIds: maker.agentIds && [...maker.agentIds],
        kind: maker.isDemo ? 'demo' : 'live',
      }
      if (own.agentIds?.length !== 0) expect(isGranted(() => requireGrantable(maker, own))).toBe(true)
    }),
  )
})

test('a refusal names the missing scopes', () => {
  const held = { scopes: new Set<Scope>(['runs:read']), agentIds: null, isDemo: false }
  const asked: Grant = { scopes: ['runs:read', 'keys:write', 'audit:read'], agentIds: null, kind: 'live' }
  expect(() => requireGrantable(held, asked)).toThrow('keys:write, audit:read')
})

test('a token holds only the rights that its parent still holds', () => {
  fc.assert(
    fc.property(someScopes, someScopes, (own, parents) => {
      const both = intersect([...own, 'forgotten:scope'], new Set(parents))
      expect([...both].every((scope) => own.includes(scope) && parents.includes(scope))).toBe(true)
      expect(both.size).toBe(own.filter((scope) => parents.includes(scope)).length)
    }),
  )
})

test('each scope has a unique name, and there is no wildcard', () => {
  expect(parseScopes(['runs:write', 'runs:read', 'runs:write'])).toEqual(['runs:read', 'runs:write'])
  for (const name of ['*', 'runs:*', 'RUNS:READ', 'runs:read ', 'toString', '__proto__']) {
    expect(() => parseScopes(['runs:read', name])).toThrow(Fault)
  }
})

test('a demo key holds only the scopes of demo keys', () => {
  fc.assert(
    fc.property(someScopes, (asked) => {
      const isSmall = asked.every((scope) => (demoScopes as readonly string[]).includes(scope))
      const check = () => requireDemoSize({ scopes: asked, agentIds: null, kind: 'demo' })
      if (isSmall) expect(check).not.toThrow()
      else expect(check).toThrow(Fault)
      expect(() => requireDemoSize({ scopes: asked, agentIds: null, kind: 'live' })).not.toThrow()
    }),
  )
})
