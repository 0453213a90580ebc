import { policyActions, policyChecks, policyStages, streamDelayModes } from '@agent-run-service/sdk'
import { describe, expect, test } from 'vitest'
import { delayWords, listed, ruleSentence } from './rule-words.ts'

const sentence = (check: string, action: string, params: Record<string, unknown> = {}, stages = ['input', 'output']) =>
  ruleSentence({ check, action, stages, params } as Parameters<typeof ruleSentence>[0])

describe('a rule in words', () => {
  test.each([
    ['keywords', 'block', { words: ['red', 'blue'] }, 'Block inputs and outputs with one of the words red, blue.'],
    ['secrets', 'block', {}, 'Block inputs and outputs that contain a secret.'],
    [
      'pii',
      'redact',
      { kinds: ['email', 'card', 'iban'] },
      'Redact e-mail addresses, card numbers and IBANs in inputs and outputs.',
    ],
    ['pii', 'flag', { kinds: ['ip'] }, 'Record a finding for inputs and outputs that contain IP addresses.'],
    ['regex', 'redact', { pattern: 'T-[0-9]+' }, 'Redact matches of the pattern T-[0-9]+ in inputs and outputs.'],
    ['max_length', 'block', { chars: 12_000 }, 'Block inputs and outputs longer than 12,000 characters.'],
    ['json_schema', 'block', { schema: {} }, 'Block inputs and outputs that do not match the JSON Schema.'],
    [
      'url_allow',
      'block',
      { hosts: ['example.com'] },
      'Block inputs and outputs with addresses of other hosts than example.com.',
    ],
    [
      'expression',
      'require_approval',
      { expression: 'tool.args.amount > 5.0', message: 'The amount is above 5.' },
      'Ask a person about inputs and outputs if tool.args.amount > 5.0 (The amount is above 5).',
    ],
    [
      'http',
      'redact',
      { url: 'https://guard.example.com/check' },
      'Redact what the server guard.example.com finds in inputs and outputs.',
    ],
  ])('%s, %s', (check, action, params, words) => {
    expect(sentence(check, action, params)).toBe(words)
  })

  test('every check, action and stage has a sentence without gaps', () => {
    const params = { words: ['a'], kinds: ['email'], hosts: ['a.b'], entities: [], url: 'https://a.b', schema: {} }
    const more = { pattern: 'x', chars: 1, expression: 'true', message: 'No', model: 'a/b', instructions: 'Find it' }
    for (const check of policyChecks)
      for (const action of policyActions)
        for (const stage of policyStages)
          expect(sentence(check, action, { ...params, ...more }, [stage])).toMatch(
            /^[A-Z](?!.*(undefined| {2}|NaN)).*\.$/,
          )
  })

  test('a check and an action that this page does not know still say where they look', () => {
    expect(sentence('smell', 'perfume')).toBe('perfume: inputs and outputs with a finding of the check smell.')
  })

  test('of many words the first are named, and long ones are cut', () => {
    const many = Array.from({ length: 40 }, (_, n) => `w${n}`)
    expect(sentence('keywords', 'block', { words: many })).toContain('w0, w1, w2, w3, w4 and 35 more.')
    expect(sentence('regex', 'block', { pattern: 'x'.repeat(1_000) }).length).toBeLessThan(220)
  })
})

test('lists', () => {
  expect([listed([]), listed(['a']), listed(['a', 'b']), listed(['a', 'b', 'c'], 'or')]).toEqual([
    '',
    'a',
    'a and b',
    'a, b or c',
  ])
})

test('every delay has words', () => {
  const said = streamDelayModes.map((mode) => delayWords({ mode, chars: 256 }))
  expect(new Set(said).size).toBe(streamDelayModes.length)
  expect(said).toContain('Streams hold back the newest 256 characters')
})
