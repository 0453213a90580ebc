import { expect, test } from 'vitest'
import { z } from 'zod'
import { contract, type ErrorCode, errors, errorType, protocolErrors, scopes } from './index.ts'
import type { Operation } from './operation.ts'

const operations = Object.entries(contract).flatMap(([resource, all]) =>
  Object.entries(all).map(([name, operation]): [string, Operation] => [`${resource}.${name}`, operation]),
)

test.each(operations)('%s reads each field of its path from a required field of its input', (_, { path, input }) => {
  for (const [, name] of path.matchAll(/\{([^}]+)\}/g)) {
    const field: unknown = input.shape[name ?? '']
    expect(field, `{${name}} of ${path}`).toBeInstanceOf(z.ZodType)
    expect((field as z.ZodType).safeParse(undefined).success, `{${name}} is optional`).toBe(false)
  }
})

test.each(operations)('%s refuses fields that it does not know', (_, { input }) => {
  expect(input.def.catchall).toBeInstanceOf(z.ZodNever)
})

// Add an operation here only if it deliberately needs no scope.
const withoutScope = new Map([
  ['anyone', ['auth.login', 'auth.resetPassword', 'auth.acceptInvitation']],
  [
    'signed_in',
    [
      'sessionTokens.create',
      'auth.logout',
      'auth.me',
      'auth.updateMe',
      'auth.switchOrganisation',
      'auth.changePassword',
      'auth.sendEmailProof',
      'auth.proveEmail',
      'sessions.list',
      'sessions.end',
      'organisation.get',
      'members.notifications',
      'members.updateNotifications',
    ],
  ],
])

test.each(operations)('%s names a scope that a key can hold, or is known to need none', (name, { scope }) => {
  if (!withoutScope.get(scope)?.includes(name)) expect(scopes).toContain(scope)
})

test.each(operations)('%s has a path of plain words and braces', (_, { path }) => {
  expect(path).toMatch(/^(\/([a-z][a-z0-9-]*|\{[a-z_]+\}))+$/)
})

// Their response is a secret that a replay could not repeat, and a second request does no harm: tokens end soon, and a new
// link ends the earlier one.
const withoutIdempotency = ['sessionTokens.create', 'members.invite', 'members.resetPassword']

test.each(operations)('%s takes an idempotency key if it creates something', (name, { method, status, idempotent }) => {
  if (idempotent) expect(method).toBe('POST')
  if (status === 201) expect(idempotent ?? withoutIdempotency.includes(name)).toBe(true)
})

test('no two operations share an address', () => {
  const addresses = operations.map(([, { method, path }]) => `${method} ${path.replaceAll(/\{[^}]+\}/g, '{}')}`)
  expect(new Set(addresses).size).toBe(addresses.length)
})

test('every error code is used by an operation or the gateway', () => {
  // A path without an operation for the method: there is no operation that could list it.
  const ofNoOperation: ErrorCode[] = ['method_not_allowed']
  const used = new Set([
    ...protocolErrors,
    ...ofNoOperation,
    ...operations.flatMap(([, operation]) => operation.errors),
  ])
  expect(Object.keys(errors).filter((code) => !used.has(code as ErrorCode))).toEqual([])
})

test.each(Object.entries(errors))('the error %s says in sentences what it means and what to do', (code, entry) => {
  expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
  expect(entry.meaning).toMatch(/^[A-Z].*\.$/)
  expect(entry.advice).toMatch(/^[A-Z].*\.$/)
  expect(entry.status).toBeGreaterThanOrEqual(400)
})

test('an error’s type follows from its status', () => {
  expect(errorType('unauthorized')).toBe('authentication_error')
  expect(errorType('forbidden')).toBe('permission_error')
  expect(errorType('not_found')).toBe('invalid_request_error')
  expect(errorType('input_invalid')).toBe('invalid_request_error')
  expect(errorType('rate_limited')).toBe('rate_limit_error')
  expect(errorType('internal_error')).toBe('api_error')
  expect(errorType('unavailable')).toBe('api_error')
})
