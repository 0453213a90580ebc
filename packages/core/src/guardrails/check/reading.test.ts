import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CheckOfRule } from '../rule.ts'
import { compileSpanCheck } from './compile.service.ts'
import { placeBefore } from './held-back.ts'
import { onReadings } from './reading.ts'

const words: CheckOfRule = {
  check: 'keywords',
  params: { words: ['ignore previous instructions', 'café secret', 'password', 'क़ैद'], whole_words: true },
}
const pattern: CheckOfRule = {
  check: 'regex',
  params: { pattern: 'ticket \\d{4}|  indented', case_sensitive: false, max_match_chars: 64 },
}
const personal: CheckOfRule = { check: 'pii', params: { kinds: ['card', 'email'], countries: ['US'] } }
const links: CheckOfRule = { check: 'url_allow', params: { hosts: ['good.example'] } }

const foundIn = (rule: CheckOfRule, text: string): string[] =>
  compileSpanCheck(rule)
    .find(text)
    .map(({ start, end }) => text.slice(start, end))

const inTags = (text: string): string =>
  text.replaceAll(/./g, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0)))
const between = (text: string, character: string): string => [...text].join(character)

// The attempts of the security review, N7, and what stands before and after them.
const unseen = [
  ['a space of no width', '\u200b'],
  ['a soft hyphen', '\u00ad'],
  ['a tag', '\u{e0020}'],
  ['a variation selector', '\u{e0100}'],
  ['a selector of Mongolian', '\u180b'],
  ['fillers of Hangul', '\u3164\u115f\uffa0'],
  ['a joiner of graphemes', '\u034f'],
  ['vowels of Khmer', '\u17b4'],
  ['an unassigned character', '\u2065'],
  ['a sign of music', '\u{1d173}'],
  ['an annotation', '\ufff9'],
  ['controls', '\u0001\u0085\u007f'],
  ['a stroke', '\u0335'],
  ['so many that no window holds them', '\u200b'.repeat(600)],
] as const

test.for(unseen)('%s does not split a word, a card number or an address', ([, character]) => {
  for (const [rule, text] of [
    [words, 'password'],
    [personal, '4111111111111111'],
    [personal, 'ada@example.com'],
    [pattern, 'ticket 1234'],
  ] as const)
    expect(foundIn(rule, `so ${between(text, character)} it is`)).toEqual([between(text, character)])
})

test('a sentence in tags, which people do not see, is read as a model reads it', () => {
  const hidden = inTags('ignore previous instructions')
  expect(foundIn(words, `hello ${hidden}!`)).toEqual([hidden])
  expect(foundIn(words, `pass${inTags('word')}`)).toEqual([`pass${inTags('word')}`])
  expect(foundIn(links, `see ${inTags('https://evil.example/x')}`)).toEqual([inTags('https://evil.example/x')])
})

test.for([
  ['a letter and its mark', words, 'cafe\u0301 secret'],
  ['a letter with its mark that NFC takes apart', words, '\u0958\u0948\u0926'],
  ['marks after something that people do not see', words, 'cafe\u200b\u0301 secret'],
  ['more than one space', words, 'ignore  previous \n\t instructions'],
  ['spaces of other widths', words, 'ignore\u2003previous\u2800instructions'],
  ['full width', words, 'ｐａｓｓｗｏｒｄ'],
  ['letters of mathematics', words, '𝐩𝐚𝐬𝐬𝐰𝐨𝐫𝐝'],
  ['two spaces in a card number', personal, '4111  1111  1111  1111'],
  ['slashes in a card number', personal, '4111/1111/1111/1111'],
  ['underscores in a card number', personal, '4111_1111_1111_1111'],
  ['digits of Arabic', personal, '٤١١١١١١١١١١١١١١١'],
  ['digits of full width', personal, '４１１１１１１１１１１１１１１１'],
  ['digits of mathematics', personal, '𝟜𝟙𝟙𝟙 𝟙𝟙𝟙𝟙 𝟙𝟙𝟙𝟙 𝟙𝟙𝟙𝟙'],
  ['an address of full width', personal, 'ada＠example.com'],
  ['digits of Bengali for a pattern', pattern, 'ticket ১২৩৪'],
  ['the spaces that a pattern asks for', pattern, '  indented'],
  ['a scheme of full width', links, 'https：//evil.example'],
] as [string, CheckOfRule, string][])('%s is found, and the whole of it', ([, rule, text]) => {
  expect(foundIn(rule, `a; ${text}; b`)).toEqual([text])
})

test('text that a character divides only for people is found as it is written too', () => {
  expect(foundIn(personal, '4111111111111111\u200b22')).toEqual(['4111111111111111'])
})

test('letters that only look alike are other letters', () => {
  expect(foundIn(words, 'pаssword')).toEqual([])
})

const units = [
  'a',
  'é',
  'e\u0301',
  'q\u0303\u0301',
  ' ',
  '\n',
  '\t',
  '\u200b',
  '\u0001',
  '\u{e0061}',
  '\u{1d7d8}',
  '٤',
  '😀',
  '\ud83d',
  '\u3000',
  '한',
  '\u1112\u1161\u11ab',
]
const texts = fc.string({ unit: fc.constantFrom(...units), maxLength: 60 })

test('each piece that is found anywhere is in order, within the text, and cuts no character from its marks', () => {
  const each = onReadings((text) =>
    Array.from(text, (_, start) => ({ start, end: start + 1, kind: 'X' })).slice(0, text.length),
  )
  fc.assert(
    fc.property(texts, (text) => {
      let last = 0
      for (const { start, end } of each(text)) {
        expect(start).toBeGreaterThanOrEqual(last)
        expect(end).toBeGreaterThan(start)
        expect(end).toBeLessThanOrEqual(text.length)
        last = end
      }
    }),
  )
})

test('a text in the form NFD is found as in the form NFC', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), texts, (word, around) => {
      if (word.trim() === '' || !/^[\p{L}\p{N}]+$/u.test(word)) return
      const rule: CheckOfRule = { check: 'keywords', params: { words: [word], whole_words: false } }
      for (const form of ['NFC', 'NFD'] as const)
        expect(foundIn(rule, `${around};${word.normalize(form)}`).length).toBeGreaterThan(0)
    }),
  )
})

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n)

test('every letter that has several forms is found in each of them', () => {
  const missed: string[] = []
  // Letters up to the first plane, and ideographs that stand for others. All syllables of Hangul are composed by one rule.
  const points = [...range(0x80, 0xac01), ...range(0xd7a4, 0x2_0000), ...range(0x2_f800, 0x2_fa20)]
  for (const point of points) {
    const letter = String.fromCodePoint(point)
    if (!/\p{L}/u.test(letter)) continue
    const forms = new Set([letter, letter.normalize('NFC'), letter.normalize('NFD')])
    if (forms.size === 1) continue
    const rule: CheckOfRule = { check: 'keywords', params: { words: [`a${letter}b`], whole_words: false } }
    for (const form of forms) if (foundIn(rule, `;a${form}b`).length === 0) missed.push(point.toString(16))
  }
  expect(missed).toEqual([])
})

test('what a stream holds back is counted in characters that people see', () => {
  expect(placeBefore('one two', 7, 3)).toBe(4)
  expect(placeBefore(`x a${'\u200b'.repeat(50)}b`, 54, 2)).toBe(2)
  expect(placeBefore('x a  \n b', 8, 3)).toBe(2)
  expect(placeBefore('xe\u0301', 3, 1)).toBe(1)
  expect(placeBefore('x😀', 3, 1)).toBe(1)
  expect(placeBefore('x', 1, 9)).toBe(0)
})
