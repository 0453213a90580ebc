import { expect, test } from 'vitest'
import { problemsOf, problemsOfRefusals } from './schema-problems.ts'

const schema = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 3 }, list: { type: 'array', items: { type: 'integer' } } },
  required: ['name'],
} as const

test('a problem stands at the path of its field', () => {
  expect(problemsOf(schema, { name: 'ab' })).toHaveProperty('/name')
  expect(problemsOf(schema, { name: 'abc', list: [1, 'x'] })).toHaveProperty('/list/1')
  expect(problemsOf(schema, {})).toHaveProperty('')
  expect(problemsOf(schema, { name: 'abc', list: [1] })).toEqual({})
})

test('a pattern is left to the service, because it could hang the page', () => {
  const hostile = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
  expect(problemsOf(hostile, { a: `${'a'.repeat(40)}!` })).toEqual({})
})

test('what the service refused lands at its fields', () => {
  const refusals = [
    { param: 'input.items[0].name', message: 'is missing' },
    { param: 'input', message: 'is wrong' },
    { param: 'agent_id', message: 'belongs to another form' },
  ]
  expect(problemsOfRefusals(refusals, 'input')).toEqual({ '/items/0/name': 'is missing', '': 'is wrong' })
})
