import { expect, test } from 'vitest'
import { type PiiKind, piiKinds } from '../rule.ts'
import { piiCases } from './pii-cases.fixture.ts'
import { createPiiCheck } from './pii-check.ts'

const checkOf = (kind: PiiKind) => createPiiCheck({ kinds: [kind], countries: ['US'] })

const marked = (kind: PiiKind, text: string): string => {
  let shown = text
  for (const { start, end } of checkOf(kind).find(text).toReversed())
    shown = `${shown.slice(0, start)}«${shown.slice(start, end)}»${shown.slice(end)}`
  return shown
}

for (const kind of piiKinds) {
  const { some, none } = piiCases[kind]

  test(`thirty texts or more with ${kind} and as many without have been written down`, () => {
    expect(some.length).toBeGreaterThanOrEqual(30)
    expect(none.length).toBeGreaterThanOrEqual(30)
  })

  test.for(some)(`${kind} is found in %s`, (text) => {
    expect(marked(kind, text.replaceAll(/[«»]/g, ''))).toBe(text)
  })

  test.for(none)(`no ${kind} is found in %s`, (text) => {
    expect(marked(kind, text)).toBe(text)
  })
}

test('a phone number without a plus is one of the countries that the rule names', () => {
  const text = 'Ruf an: 030 901820 oder 0170 1234567'
  expect(createPiiCheck({ kinds: ['phone'], countries: ['US'] }).find(text)).toEqual([])
  const found = createPiiCheck({ kinds: ['phone'], countries: ['US', 'DE'] }).find(text)
  expect(found.map(({ start, end }) => text.slice(start, end))).toEqual(['030 901820', '0170 1234567'])
})

test('where two kinds fit the same characters, one of them is found', () => {
  const text =
    'DE89 3704 0044 0532 0130 00, 4111 1111 1111 1111, 10.1.2.3, bob@example.com, (415) 555-2671, 123-45-6789'
  const found = createPiiCheck({ kinds: [], countries: ['US'] }).find(text)
  expect(found.map(({ kind }) => kind)).toEqual(['IBAN', 'CARD', 'IP', 'EMAIL', 'PHONE', 'NATIONAL_ID'])
})
