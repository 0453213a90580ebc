import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Redaction } from './guarded-run.ts'
import { createTokens } from './tokens-of-run.service.ts'

const secrets = { fingerprint: async (_: string, text: string) => createHash('sha256').update(text).digest() }

const newTokens = (known: readonly Redaction[] = []) => {
  const stored: Redaction[] = []
  const source = { known: async () => known, store: async (added: readonly Redaction[]) => void stored.push(...added) }
  return { stored, ...createTokens({ secrets, org: 'o' }, source) }
}
const valuesOf = (kind: string, ...values: string[]) => values.map((value) => ({ kind, value }))

test('the same value has the same number in the whole run, and each kind counts for itself', async () => {
  const first = newTokens()
  expect(await first.tokensFor([...valuesOf('EMAIL', 'a', 'b', 'a'), ...valuesOf('CARD', 'a')])).toEqual([
    '[EMAIL_1]',
    '[EMAIL_2]',
    '[EMAIL_1]',
    '[CARD_1]',
  ])
  expect(first.stored.map(({ kind, number }) => `${kind} ${number}`)).toEqual(['EMAIL 1', 'EMAIL 2', 'CARD 1'])
  const later = newTokens(first.stored)
  expect(await later.tokensFor(valuesOf('EMAIL', 'c', 'b'))).toEqual(['[EMAIL_3]', '[EMAIL_2]'])
})

test('thousands of hidden values get their numbers in a time that grows with their number', async () => {
  const values = Array.from({ length: 20_000 }, (_, at) => ({ kind: 'WORD', value: String(at) }))
  const tokens = await newTokens().tokensFor(values)
  expect([tokens.length, tokens[0], tokens.at(-1)]).toEqual([20_000, '[WORD_1]', '[WORD_20000]'])
})
