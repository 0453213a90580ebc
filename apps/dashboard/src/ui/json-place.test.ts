import { expect, test } from 'vitest'
import { jsonPlace, lineAndColumn, pathOfParam } from './json-place.ts'

const text = JSON.stringify(
  {
    steps: [
      { key: 'a', when: 'true' },
      { 'odd "key"': [1, { when: 'say "x" == é' }], when: false },
    ],
    output: null,
  },
  null,
  2,
)
const part = (path: string, position: number | null = null): string => {
  const { from, to } = jsonPlace(text, pathOfParam(path), position)
  return text.slice(from, to)
}

test('a path leads to its value, with dots or brackets', () => {
  expect(part('steps.0.when')).toBe('"true"')
  expect(part('steps[1].when')).toBe('false')
  expect(part('output')).toBe('null')
  expect(JSON.parse(part('steps.0'))).toEqual({ key: 'a', when: 'true' })
})

test('a path that is not in the text leads to the nearest value around it', () => {
  expect(part('steps.0.agent_id')).toBe(part('steps.0'))
  expect(part('steps.7.when')).toBe(part('steps'))
  expect(part('output.x')).toBe('null')
})

test('a position counts characters of the string, not of its source', () => {
  const { from } = jsonPlace(text, ['steps', '1', 'odd "key"', '1', 'when'], 8)
  expect(text.slice(from, from + 4)).toBe('== é')
  expect(part('steps.0.when', 99)).toBe('"')
})

test('a text that is not complete gives a part within it', () => {
  for (let length = 0; length <= text.length; length += 1) {
    const cut = text.slice(0, length)
    const { from, to } = jsonPlace(cut, ['steps', '1', 'odd "key"', '1', 'when'], 3)
    expect(from).toBeLessThanOrEqual(cut.length)
    expect(to).toBeLessThanOrEqual(cut.length)
  }
})

test('a deep text does not exhaust the stack', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  expect(jsonPlace(`{"a":${deep},"b":1}`, ['b'])).toEqual({ from: 200_010, to: 200_011 })
})

test('lines and columns begin at 1', () => {
  expect(lineAndColumn('ab\ncd', 0)).toEqual({ line: 1, column: 1 })
  expect(lineAndColumn('ab\ncd', 4)).toEqual({ line: 2, column: 2 })
})
