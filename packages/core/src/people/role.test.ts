import { roles, type Scope, scopes } from '@ars/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Authority, mayManage, mayReset, scopesOf, scopesOfRole } from './role.ts'

const aRole = fc.constantFrom(...roles)
const someScopes = fc.subarray([...scopes]).map((list) => new Set<Scope>(list))
const anAuthority: fc.Arbitrary<Authority> = fc.record({
  role: aRole,
  scopes: someScopes,
  isNarrowed: fc.boolean(),
  isLasting: fc.boolean(),
})

test('owners and admins have all rights; developers and viewers have none over keys, people and rules', () => {
  expect([...scopesOf('owner')]).toEqual([...scopes])
  expect([...scopesOf('admin')]).toEqual([...scopes])
  expect(scopes.filter((scope) => !scopesOf('developer').has(scope))).toEqual([
    'runs:erase',
    'keys:write',
    'policies:write',
    'audit:read',
    'members:write',
  ])
  expect([...scopesOf('viewer')]).toEqual([
    'runs:read',
    'agents:read',
    'webhooks:read',
    'usage:read',
    'analytics:read',
    'pipelines:read',
    'schedules:read',
    'policies:read',
    'connectors:read',
    'alerts:read',
    'events:read',
  ])
  expect([...scopesOfRole('emperor')]).toEqual([])
})

test('each role includes the rights of the roles below it', () => {
  for (const [at, role] of roles.entries()) {
    for (const below of roles.slice(at)) {
      expect([...scopesOf(below)].filter((scope) => !scopesOf(role).has(scope))).toEqual([])
    }
  }
})

test('a caller grants no scope that they do not hold, and manages nobody who holds one, whatever their role', () => {
  fc.assert(
    fc.property(anAuthority, aRole, (authority, role) => {
      if (!mayManage(authority, role)) return true
      return !authority.isNarrowed && [...scopesOf(role)].every((scope) => authority.scopes.has(scope))
    }),
  )
})

test('a person may grant and manage exactly the roles that are not above their own', () => {
  for (const [at, role] of roles.entries()) {
    const person = { role, scopes: scopesOf(role), isNarrowed: false, isLasting: true }
    for (const [other, wanted] of roles.entries()) {
      expect(mayManage(person, wanted)).toBe(other >= at)
    }
  }
})

test('a person makes links to passwords of lower roles only', () => {
  for (const [at, role] of roles.entries()) {
    for (const [other, wanted] of roles.entries()) {
      expect(mayReset({ role }, wanted)).toBe(other > at)
    }
  }
})
