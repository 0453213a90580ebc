import { expect, test } from 'vitest'
import { diffRows } from './diff-lines.ts'

const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => `line ${from + n}`)
const text = (rows: readonly string[]) => rows.join('\n')

test('shows what was removed and added, with three equal lines around it', () => {
  const old = text(lines(1, 20))
  const next = text([...lines(1, 9), 'other', ...lines(11, 20)])
  expect(diffRows(old, next)).toEqual([
    { kind: 'folded', text: '6 equal lines' },
    ...lines(7, 9).map((line) => ({ kind: 'same', text: line })),
    { kind: 'removed', text: 'line 10' },
    { kind: 'added', text: 'other' },
    ...lines(11, 13).map((line) => ({ kind: 'same', text: line })),
    { kind: 'folded', text: '7 equal lines' },
  ])
})

test('a text that begins or ends to exist is all added or all removed', () => {
  expect(diffRows('', 'a\nb')).toEqual([
    { kind: 'added', text: 'a' },
    { kind: 'added', text: 'b' },
  ])
  expect(diffRows('a', '')).toEqual([{ kind: 'removed', text: 'a' }])
})

test('keeps every line of both sides', () => {
  const old = text(['a', 'b', 'c', 'd'])
  const next = text(['b', 'x', 'd', 'e'])
  const rows = diffRows(old, next)
  const side = (kind: string) =>
    text(rows.filter((row) => row.kind === 'same' || row.kind === kind).map((row) => row.text))
  expect(side('removed')).toBe(old)
  expect(side('added')).toBe(next)
})
