import { limits } from '@ars/contract'
import { expect, test } from 'vitest'
import { changedFields, faultOfEvents, faultOfSecret, isSameServer, webhookAuditFacts } from './webhook.ts'

test.each([
  ['https://api.example.com', 'https://api.example.com/hooks', true],
  ['https://api.example.com', 'https://API.example.com:443/hooks', true],
  ['https://api.example.com:443', 'https://api.example.com/', true],
  ['https://localhost:8443', 'https://localhost:8443/v2/runs', true],
  ['https://api.example.com', 'https://api.example.com:8443/', false],
  ['https://api.example.com', 'https://hooks.example.com/', false],
  ['https://api.example.com', 'https://api.example.com.evil.net/', false],
])('served at %s, the address %s is the service’s own: %s', (own, url, isOwn) => {
  expect(isSameServer(new URL(url), new URL(own))).toBe(isOwn)
})

test('the length of a secret is within the limits of the contract', () => {
  const ofLength = (chars: number): string => `whsec_${'x'.repeat(chars - 6)}`
  expect(faultOfSecret(ofLength(limits.webhookSecretMinChars))).toBeNull()
  expect(faultOfSecret(ofLength(limits.webhookSecretMaxChars))).toBeNull()
  expect(faultOfSecret(ofLength(limits.webhookSecretMinChars - 1))).toMatch(/24 to 256 characters/)
  expect(faultOfSecret(ofLength(limits.webhookSecretMaxChars + 1))).toMatch(/24 to 256 characters/)
})

test('an unknown event type is reported with its path and name, and with the known types', () => {
  expect(faultOfEvents(['*', 'run.done'])).toEqual({
    param: 'events.1',
    message: expect.stringMatching(/^There is no event "run.done"; there are run.completed, /),
  })
  expect(faultOfEvents(['test'])?.message).toMatch(/^Nobody can subscribe to test/)
})

test('changes are reported by field, and the log keeps no query of an address', () => {
  const before = { url: 'https://a.example/?key=1', events: ['*'], description: null, active: true }
  expect(changedFields(before, { ...before, events: ['*'] })).toEqual([])
  expect(changedFields(before, { ...before, events: ['run.failed'], active: false })).toEqual(['events', 'active'])
  expect(webhookAuditFacts(before)).toEqual({ ...before, url: 'https://a.example/' })
})
