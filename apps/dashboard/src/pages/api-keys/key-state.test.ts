import type { ApiKey } from '@agent-run-service/sdk'
import { expect, test } from 'vitest'
import { isExposed, isStillUsed, isUsable, keyState, maskedKey, passesFilter } from './key-state.ts'

const now = Date.parse('2026-01-15T12:00:00Z')
const key: ApiKey = {
  id: 'key_1',
  object: 'api_key',
  name: 'deploy',
  kind: 'live',
  prefix: 'ars_live_',
  hint: 'hHRb',
  scopes: ['runs:read'],
  agent_ids: null,
  expires_at: null,
  last_used_at: null,
  created_by: null,
  created_at: '2026-01-01T00:00:00Z',
  revoked_at: null,
  rotated_to: null,
  grace_until: null,
  exposed_at: null,
  monthly_budget_usd: null,
  budget_action: 'refuse',
}
const rotated: ApiKey = { ...key, rotated_to: 'key_2', grace_until: '2026-01-16T10:00:00Z' }

test('a key is active, rotated, expired or revoked, and the strongest word wins', () => {
  expect(keyState(key, now)).toBe('active')
  expect(keyState(rotated, now)).toBe('rotated')
  expect(keyState({ ...key, expires_at: '2026-01-15T11:00:00Z' }, now)).toBe('expired')
  expect(keyState({ ...rotated, revoked_at: '2026-01-15T11:00:00Z' }, now)).toBe('revoked')
})

test('a rotated key works until its 24 hours end', () => {
  expect(isUsable(rotated, now)).toBe(true)
  expect(isUsable(rotated, Date.parse('2026-01-16T10:00:00Z'))).toBe(false)
  expect(isUsable({ ...rotated, revoked_at: '2026-01-15T11:00:00Z' }, now)).toBe(false)
})

test('a use after the rotation means that something still has the key', () => {
  expect(isStillUsed({ ...rotated, last_used_at: '2026-01-15T11:57:00Z' }, 24)).toBe(true)
  expect(isStillUsed({ ...rotated, last_used_at: '2026-01-15T09:00:00Z' }, 24)).toBe(false)
  expect(isStillUsed(rotated, 24)).toBe(false)
})

test('an exposed key warns only while it works', () => {
  const exposed = { ...key, exposed_at: '2026-01-15T11:00:00Z' }
  expect(isExposed(exposed, now)).toBe(true)
  expect(isExposed({ ...exposed, revoked_at: '2026-01-15T11:30:00Z' }, now)).toBe(false)
})

test('the filter shows expired keys with the revoked ones', () => {
  const expired = { ...key, expires_at: '2026-01-15T11:00:00Z' }
  expect(passesFilter(expired, 'revoked', now)).toBe(true)
  expect(passesFilter(expired, 'active', now)).toBe(false)
  expect(passesFilter(key, undefined, now)).toBe(true)
})

test('a masked key shows its kind and its last four characters', () => {
  expect(maskedKey(key)).toBe('ars_live_…hHRb')
})
