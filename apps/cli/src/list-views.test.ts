import { expect, test } from 'vitest'
import { cellOf, listViews } from './list-views.ts'
import { operations } from './operation.ts'

test('every view belongs to a list of the API', () => {
  const lists = operations.filter(({ answers }) => answers === 'page').map(({ id }) => id)
  expect(Object.keys(listViews).filter((id) => !lists.includes(id))).toEqual([])
})

test('a cell is a field, a part of a field or a text, and every time has one form', () => {
  const item = { id: 'con_1', tools: { approved: 2 }, description: null, created_at: '2026-11-19T02:01:54.385Z' }
  expect(cellOf(item, 'id')).toBe('con_1')
  expect(cellOf(item, 'tools.approved')).toBe('2')
  expect(cellOf(item, 'tools.missing.part')).toBe('')
  expect(cellOf(item, 'description')).toBe('')
  expect(cellOf(item, 'created_at')).toMatch(/^2026-11-\d\d \d\d:\d\d:54$/)
  expect(cellOf(item, ({ id }) => `<${id}>`)).toBe('<con_1>')
})
