import { expect, test } from 'vitest'
import { excerptOf } from './excerpt.ts'

const at = (text: string, piece: string, kind = 'EMAIL') => {
  const start = text.indexOf(piece)
  return { start, end: start + piece.length, kind }
}

test('an excerpt shows 40 characters on each side of what was found, and never what was found', () => {
  const text = `${'a'.repeat(100)} anna@example.com ${'b'.repeat(100)}`
  const span = at(text, 'anna@example.com')
  expect(excerptOf(text, [span], span)).toBe(`…${'a'.repeat(39)} [EMAIL] ${'b'.repeat(39)}…`)
})

test('everything else that was found near it is masked too, also a piece that is cut by the excerpt', () => {
  const secret = `sk-${'x'.repeat(200)}`
  const text = `${secret} of anna@example.com and ${secret}`
  const [key, email] = [at(text, secret, 'SECRET'), at(text, 'anna@example.com')]
  const second = { start: text.lastIndexOf(secret), end: text.length, kind: 'SECRET' }
  expect(excerptOf(text, [key, email, second], email)).toBe('[SECRET] of [EMAIL] and [SECRET]')
  expect(excerptOf(text, [key, email, second], second)).not.toContain('xx')
})

test('an excerpt stays within a field, and without a found piece it is the beginning', () => {
  const text = ['prompt', 'write to anna@example.com', 'other'].join('\n\u0000\n')
  const span = at(text, 'anna@example.com')
  expect(excerptOf(text, [span], span)).toBe('write to [EMAIL]')
  expect(excerptOf(text, [span], null)).toBe('prompt write to [EMAIL] other')
})
