import { expect, test } from 'vitest'
import { csvOf } from './csv.ts'

test('cells with commas, quotes and line breaks are quoted, and absent values are empty', () => {
  expect(
    csvOf([
      ['name', 'runs'],
      ['Refunds, "fast"', 12],
      ['two\nlines', null],
    ]),
  ).toBe('name,runs\r\n"Refunds, ""fast""",12\r\n"two\nlines",\r\n')
})

test.each(['=1+1', '+1', '-1', '@sum(a1)', '\t=1'])('the text %j does not become a formula', (name) => {
  expect(csvOf([[name]])).toBe(`'${name}\r\n`)
  expect(csvOf([[-1]])).toBe('-1\r\n')
})
