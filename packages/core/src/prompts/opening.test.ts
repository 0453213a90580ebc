import { expect, test } from 'vitest'
import { inputTemplateOf, openingOf, plainText } from './opening.ts'

test.for([
  [{ query: 'hi' }, 'hi'],
  [{ query: 'hi', lang: 'de' }, '{"query":"hi","lang":"de"}'],
  [{ query: 5 }, '{"query":5}'],
  [{ text: 'hi' }, '{"text":"hi"}'],
  [{}, '{}'],
] as const)('without a template the input %j is the text %j', ([input, text]) => {
  expect(plainText(input)).toBe(text)
})

test('empty instructions are no message', () => {
  expect(openingOf('Be brief.', 'hi')).toEqual([
    { role: 'system', text: 'Be brief.' },
    { role: 'user', text: 'hi' },
  ])
  expect(openingOf('', 'hi')).toEqual([{ role: 'user', text: 'hi' }])
  expect(openingOf(undefined, 'hi')).toEqual([{ role: 'user', text: 'hi' }])
})

test('a template that was cleared is none, and an empty one is one', () => {
  expect([{}, { input_template: null }, { input_template: '' }].map(inputTemplateOf)).toEqual([null, null, ''])
})
