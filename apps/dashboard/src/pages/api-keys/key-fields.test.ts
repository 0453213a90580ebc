import type { ApiKey } from '@agent-run-service/sdk'
import { expect, test } from 'vitest'
import { changesOf, checkFields, emptyFields, expiryOf, fieldsOfKey } from './key-fields.ts'

const now = Date.parse('2026-01-15T12:00:00Z')
const key = {
  name: 'deploy',
  kind: 'live',
  scopes: ['runs:read', 'runs:write'],
  agent_ids: null,
  expires_at: '2026-02-01T00:00:00.000Z',
} as unknown as ApiKey

test('an untouched form changes nothing', () => {
  expect(changesOf(key, fieldsOfKey(key), now)).toEqual({})
  expect(changesOf(key, { ...fieldsOfKey(key), scopes: new Set(['runs:write', 'runs:read']) }, now)).toEqual({})
})

test('only the changed fields are sent, and null clears', () => {
  const fields = { ...fieldsOfKey(key), name: ' prod ', expiry: 'never' }
  expect(changesOf(key, fields, now)).toEqual({ name: 'prod', expires_at: null })
  expect(changesOf(key, { ...fieldsOfKey(key), agentIds: ['ag_1'] }, now)).toEqual({ agent_ids: ['ag_1'] })
})

test('an expiry in days counts from now', () => {
  expect(expiryOf({ ...emptyFields, expiry: '30' }, now)).toBe('2026-02-14T12:00:00.000Z')
  expect(expiryOf(emptyFields, now)).toBeNull()
})

test('an empty form says what is missing', () => {
  const fields = { ...emptyFields, agentIds: [], expiry: 'own' }
  expect(Object.keys(checkFields(fields))).toEqual(['name', 'scopes', 'agent_ids', 'expires_at'])
  expect(checkFields({ ...emptyFields, name: 'a', scopes: new Set(['runs:read']) })).toEqual({})
})
