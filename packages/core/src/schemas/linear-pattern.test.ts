import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileLinear } from './linear-pattern.ts'

test.for([
  ['(?=a)b', 'uses look-around ((?=…), which is not supported'],
  ['a(?!b)', 'uses look-around ((?!…), which is not supported'],
  ['(?<=a)b', 'uses look-around ((?<=…), which is not supported'],
  ['(?<!a)b', 'uses look-around ((?<!…), which is not supported'],
  ['(a)\\1', 'uses a back-reference, which is not supported'],
  ['(?<n>a)\\k<n>', 'uses a back-reference, which is not supported'],
  ['(', 'is not a regular expression'],
  ['a**', 'is not a regular expression'],
  ['a{1001}', 'is not supported: invalid repeat count'],
  ['((a{100}){100}){100}', 'is not supported: invalid repeat count'],
] as const)('the pattern %s is refused in plain words', ([source, words]) => {
  expect(() => compileLinear(source)).toThrow(words)
})

test.for([
  '^\\d{4}-\\d{2}-\\d{2}$',
  '^[\\w.+-]+@[\\w-]+\\.[a-z]{2,}$',
  '^\\S+\\s?.$',
  '[^\\s]x',
  '[\\S.]y',
  '^\\p{Lu}\\p{L}*$',
  '^[\\u0041-\\u005a]+$',
  '\\u{1F600}|\\uD83D\\uDE01',
  '(?<year>\\d+)\\/x',
  '[[:al:]',
  '[a[b]+',
  '^(?:a|b)*?$',
  '\\bword\\b',
  'a$',
])('the pattern %s means the same as in ECMAScript', (source) => {
  const native = new RegExp(source, 'u')
  const linear = compileLinear(source)
  const known = [
    '2026-11-16',
    'a@b.de',
    'Éa',
    'AZ',
    '😀',
    '😁',
    '12/x',
    'a]',
    ':]',
    'word',
    'a\n',
    'x\u00a0y',
    '\ufeffx',
    'a\u2028',
  ]
  const alphabet = fc.constantFrom(...'aAbx1-_@./[]:é \n\r\t\u00a0\u2028\ufeffé', '😀', 'É')
  const texts = fc.oneof(fc.constantFrom(...known), fc.string({ unit: alphabet, maxLength: 8 }))
  fc.assert(
    fc.property(texts, (text) => {
      expect({ text, matches: linear.test(text) }).toEqual({ text, matches: native.test(text) })
    }),
  )
})
