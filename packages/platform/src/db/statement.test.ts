import { expect, test } from 'vitest'
import { compile, sql, statement } from './statement.ts'

test.for([
  ['select :org', 'select $1', ['org']],
  ['a = :org and b = :id and c = :org', 'a = $1 and b = $2 and c = $1', ['org', 'id']],
  ['id = any (:ids::uuid[])', 'id = any ($1::uuid[])', ['ids']],
  ["':none' || :some", "':none' || $1", ['some']],
  ["'it''s :none' || :some", "'it''s :none' || $1", ['some']],
  ['":none" = :some', '":none" = $1', ['some']],
  ['-- a reason: none\nselect :some', '-- a reason: none\nselect $1', ['some']],
  ['/* a reason :none */ select :some', '/* a reason :none */ select $1', ['some']],
  ['list[1:last]', 'list[1:last]', []],
  ['now()::timestamptz', 'now()::timestamptz', []],
] as const)('%s has the parameters %s', ([text, compiled, parameters]) => {
  expect(compile(text)).toEqual({ text: compiled, parameters: [...parameters] })
})

test('values are bound by name', () => {
  const find = statement<{ org: string; limit: number }>('test.values', sql`limit :limit org :org again :limit`)

  expect(find({ org: 'a', limit: 2 })).toEqual({
    name: 'test.values',
    text: 'limit $1 org $2 again $1',
    values: [2, 'a'],
  })
})

test('a parameter that is missing, unknown or of another type does not compile', () => {
  const find = statement<{ org: string; limit: number }>('test.types', sql`limit :limit org :org`)

  // @ts-expect-error `org` is missing.
  expect(find({ limit: 2 }).values).toEqual([2, undefined])
  // @ts-expect-error `id` is unknown.
  find({ org: 'a', limit: 2, id: 'b' })
  // @ts-expect-error The values are swapped.
  find({ org: 2, limit: 'a' })
})

test('two statements cannot have the same name', () => {
  statement('test.name', sql`select 1`)

  expect(() => statement('test.name', sql`select 2`)).toThrow('Two statements are called test.name')
})
