import { expect, test } from 'vitest'
import type { Rule } from '../rule.ts'
import { keepCredentials, takeCredentials } from './rule-credential.ts'

type Sent = { url?: string; credential?: string; credential_set?: boolean }

const host = (id: string, { url = 'https://a.example', ...more }: Sent = {}): Rule => ({
  id,
  stages: ['output'],
  action: 'block',
  check: 'http',
  params: { url, time_limit_ms: 2_000, ...more },
})
const words: Rule = {
  id: 'words',
  stages: ['input'],
  action: 'flag',
  check: 'keywords',
  params: { words: ['x'], whole_words: true },
}
const none = { rules: [], credentials: {} }
const before = { rules: [host('one', { credential_set: true })], credentials: { one: 'old' } }
const save = (sent: Rule, known: typeof none | typeof before = before) =>
  keepCredentials(takeCredentials([sent]), known)

test('a credential is taken out of its rule, which then says that it has one', () => {
  const taken = takeCredentials([words, host('one', { credential: 'new' })])
  expect(JSON.stringify(taken.rules)).not.toContain('new')
  expect(keepCredentials(taken, none)).toEqual({
    rules: [words, host('one', { credential_set: true })],
    credentials: { one: 'new' },
    missing: [],
  })
})

test.each([host('one'), host('one', { credential_set: true })])('a rule that is saved without it keeps it', (sent) => {
  expect(save(sent)).toEqual({ ...before, missing: [] })
})

test('a new credential replaces it, and credential_set false removes it', () => {
  expect(save(host('one', { credential: 'new' })).credentials).toEqual({ one: 'new' })
  expect(save(host('one', { credential_set: false }))).toEqual({ rules: [host('one')], credentials: {}, missing: [] })
})

test('it never goes to another address, nor to another rule', () => {
  const url = 'https://b.example'
  expect(save(host('one', { url }))).toMatchObject({ credentials: {}, missing: [0] })
  expect(save(host('one', { url, credential_set: true }))).toMatchObject({ credentials: {}, missing: [0] })
  expect(save(host('one', { url, credential_set: false }))).toMatchObject({ credentials: {}, missing: [] })
  expect(save(host('one', { url, credential: 'new' }))).toMatchObject({ credentials: { one: 'new' }, missing: [] })
  expect(save(host('two'))).toEqual({ rules: [host('two')], credentials: {}, missing: [] })
})

test('a rule cannot claim a credential that it does not have', () => {
  expect(save(host('one', { credential_set: true }), none).missing).toEqual([0])
})
