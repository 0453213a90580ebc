import { expect, test } from 'vitest'
import { guardrailsBounds } from '../bounds.ts'
import type { CheckOfRule } from '../rule.ts'
import { problemsOfCheck } from './check-problem.service.ts'
import { compileSpanCheck } from './compile.service.ts'

const foundIn = (rule: CheckOfRule, text: string): string[] =>
  compileSpanCheck(rule)
    .find(text)
    .map(({ start, end }) => text.slice(start, end))

const regex = (pattern: string, max = 256, caseSensitive = false): CheckOfRule => ({
  check: 'regex',
  params: { pattern, case_sensitive: caseSensitive, max_match_chars: max },
})
const keywords = (words: string[], wholeWords = true): CheckOfRule => ({
  check: 'keywords',
  params: { words, whole_words: wholeWords },
})

test('a pattern finds each of its matches, in upper and lower case unless it says otherwise', () => {
  expect(foundIn(regex('ticket-\\d+'), 'Ticket-1, TICKET-22 and ticket-x')).toEqual(['Ticket-1', 'TICKET-22'])
  expect(foundIn(regex('ticket-\\d+', 256, true), 'Ticket-1 and ticket-22')).toEqual(['ticket-22'])
  expect(foundIn(regex('é+'), '😀 Éé')).toEqual(['Éé'])
  expect(foundIn(regex('password'), 'pass\u200bword')).toEqual(['pass\u200bword'])
})

test('a match is never longer than the rule allows', () => {
  expect(foundIn(regex('secret.*', 10), `a secret ${'x'.repeat(50)} b`)).toEqual(['secret xxx'])
  expect(foundIn(regex('a.*b', 10), `a${'x'.repeat(50)}b axb`)).toEqual(['axb'])
})

test('a pattern finds the same in a long text as in its parts', () => {
  const rule = regex('\\b(?:ab+|x[0-9]{2})\\b', 16)
  const text = 'abb x12 abbx x123 ab '
  const inOne = foundIn(rule, text)
  expect(inOne).toEqual(['abb', 'x12', 'ab'])
  expect(foundIn(rule, text.repeat(150))).toEqual(Array.from({ length: 150 }, () => inOne).flat())
  expect(foundIn(regex('^ab', 16), text.repeat(150))).toEqual(['ab'])
})

test('words are found whole, in any case, also with spaces and in scripts without spaces', () => {
  expect(foundIn(keywords(['cat', 'project x']), 'Cat, concat, cats, PROJECT X. project xy')).toEqual([
    'Cat',
    'PROJECT X',
  ])
  expect(foundIn(keywords(['機密', 'café']), 'これは機密です CAFÉ cafés')).toEqual(['機密', 'CAFÉ'])
  expect(foundIn(keywords(['c++', '.net']), 'C++ and .NET, but c+')).toEqual(['C++', '.NET'])
  expect(foundIn(keywords(['two words']), 'Two\nwords')).toEqual(['Two\nwords'])
  expect(foundIn(keywords(['ｓｅｃｒｅｔ']), 'a secret')).toEqual(['secret'])
  expect(foundIn(keywords(['secret']), 'ａ ｓｅｃｒｅｔ, se\u00adcret')).toEqual(['ｓｅｃｒｅｔ', 'se\u00adcret'])
})

test('words within words are found when the rule asks for it; the longest counts', () => {
  expect(foundIn(keywords(['he', 'hers', 'she', 'his'], false), 'ushers')).toEqual(['she'])
  expect(foundIn(keywords(['ab', 'abcd', 'cd'], false), 'xabcdx cd')).toEqual(['abcd', 'cd'])
  expect(foundIn(keywords(['bc', 'abcde', 'd'], false), 'abcdx abcde')).toEqual(['bc', 'd', 'abcde'])
})

test('what exceeds a maximum length is found', () => {
  const rule: CheckOfRule = { check: 'max_length', params: { chars: 5 } }
  expect(foundIn(rule, '12345')).toEqual([])
  expect(foundIn(rule, '1234567')).toEqual(['67'])
})

test('a text has at most a thousand pieces', () => {
  const rules: [CheckOfRule, string][] = [
    [regex('a'), 'a '],
    [keywords(['a']), 'a '],
    [{ check: 'pii', params: { kinds: [], countries: ['US'] } }, 'a@b.de 10.1.2.3 '],
    [{ check: 'secrets', params: {} }, '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 '],
    [{ check: 'url_allow', params: { hosts: ['example.com'] } }, 'http://a.de '],
  ]
  for (const [rule, piece] of rules)
    expect(compileSpanCheck(rule).find(piece.repeat(1_500)).length).toBe(guardrailsBounds.spansOfCheck.count)
})

test.for([
  [regex('(?=a)b'), 'pattern uses look-around'],
  [regex('('), 'pattern is not a regular expression'],
  [regex('(a)\\1'), 'pattern uses a back-reference'],
  [regex('a*'), 'pattern matches the empty text'],
  [regex('(?:[a-z]{1,100}\\d){1,9}'), 'pattern is too large'],
  [keywords([]), 'words must not be empty'],
  [keywords([' ']), 'words must not contain a blank word'],
  [keywords(['a', '\u200b\u{e0041}']), 'words must not contain a blank word'],
  [keywords(Array.from({ length: 1_000 }, (_, index) => `${index}`.padEnd(200, 'x'))), 'words have 200000 characters'],
  [{ check: 'url_allow', params: { hosts: ['https://example.com'] } }, 'hosts contains "https://example.com"'],
  [{ check: 'url_allow', params: { hosts: ['*.*'] } }, 'hosts contains "*.*"'],
  [{ check: 'url_allow', params: { hosts: ['example.com:80'] } }, 'hosts contains "example.com:80"'],
  [{ check: 'pii', params: { kinds: [], countries: ['Germany'] } }, 'countries contains "Germany"'],
  [{ check: 'pii', params: { kinds: [], countries: ['XX'] } }, 'countries contains "XX"'],
] as [CheckOfRule, string][])('%j is refused at the save: %s', ([rule, problem]) => {
  expect(problemsOfCheck(rule).map(({ path, message }) => `${path} ${message}`)).toEqual([
    expect.stringContaining(`params.${problem}`),
  ])
})

test.for([
  regex('\\b(?:internal|confidential)\\b'),
  keywords(['a', 'b c']),
  {
    check: 'url_allow',
    params: { hosts: ['example.com', '*.example.com', 'bücher.de', 'localhost', '10.0.0.1', '[::1]'] },
  },
  { check: 'pii', params: { kinds: [], countries: ['US', 'DE', 'gb'] } },
  { check: 'secrets', params: {} },
] as CheckOfRule[])('%j has no problem', (rule) => {
  expect(problemsOfCheck(rule)).toEqual([])
})
