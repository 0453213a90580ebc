import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergeSpans, redactContent, textOf } from './content.ts'

const json = fc.jsonValue({ maxDepth: 4 })

test('all strings, names of fields and long numbers of a value are part of its text', () => {
  const { text } = textOf({ name: 'Ada', more: [{ card: 4111111111111111 }, 'x@example.com'], n: 12 })
  for (const piece of ['name', 'Ada', 'card', '4111111111111111', 'x@example.com']) expect(text).toContain(piece)
  expect(text).not.toContain('12\n')
})

test('the time to read a value grows with its size, however deep it is', () => {
  let deep: unknown = 'SECRET'
  for (let level = 0; level < 200_000; level++) deep = level % 2 === 0 ? [deep] : { a: deep }
  expect(textOf(deep).text.endsWith('SECRET')).toBe(true)
})

test('many pieces in many fields are replaced in a time that grows with their sum', () => {
  const fields = Array.from({ length: 100_000 }, (_, n) => (n % 2 === 0 ? 'SECRET' : 'plain'))
  const read = textOf(fields)
  const found = [...read.text.matchAll(/SECRET/g)].map(({ index }) => ({
    start: index,
    end: index + 6,
    kind: 'WORD',
    token: '[WORD_1]',
  }))
  expect(redactContent(fields, read, found)).toEqual(fields.map((text) => text.replace('SECRET', '[WORD_1]')))
})

test('found pieces are replaced in place, and nothing else changes', () => {
  const content = { a: 'mail x@example.com now', list: ['none', { 'x@example.com': 5 }], n: 4111111111111111 }
  const read = textOf(content)
  const found = [...read.text.matchAll(/x@example\.com|4111111111111111/g)].map(({ index, 0: match }) => ({
    start: index,
    end: index + match.length,
    kind: 'EMAIL',
    token: '[EMAIL_1]',
  }))
  expect(redactContent(content, read, found)).toEqual({
    a: 'mail [EMAIL_1] now',
    list: ['none', { '[EMAIL_1]': 5 }],
    n: '[EMAIL_1]',
  })
})

test('a value without findings stays as it was', () => {
  fc.assert(
    fc.property(json, (content) => {
      expect(redactContent(content, textOf(content), [])).toEqual(content)
    }),
  )
})

test('no character of a found piece stays, wherever it is in the value', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('SECRET', 'plain', 'aSECRETb')), fc.constantFrom('x', 'y'), (texts, name) => {
      const content = { [name]: texts, SECRET: { deep: texts } }
      const read = textOf(content)
      const found = [...read.text.matchAll(/SECRET/g)].map(({ index }) => ({
        start: index,
        end: index + 6,
        kind: 'WORD',
        token: '[WORD_1]',
      }))
      expect(JSON.stringify(redactContent(content, read, found))).not.toContain('SECRET')
    }),
  )
})

test('overlapping pieces become one piece that covers both', () => {
  const spans = [
    { start: 5, end: 9, kind: 'A' },
    { start: 0, end: 6, kind: 'B' },
    { start: 20, end: 21, kind: 'C' },
  ]
  expect(mergeSpans(spans)).toEqual([
    { start: 0, end: 9, kind: 'B' },
    { start: 20, end: 21, kind: 'C' },
  ])
})

test('the character that divides fields cannot be sent by a customer', () => {
  const { text } = textOf({ a: 'pass\u0000word', b: 'x' })
  expect(text).toBe('a\n\u0000\nb\n\u0000\npass\u0001word\n\u0000\nx')
  expect(textOf('pass\u0000word').text).toBe('pass\u0001word')
})
