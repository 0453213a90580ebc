import { systemClock } from '@ars/platform/clock'
import { expect, test } from 'vitest'
import { createSchemas, schemaLimits } from './schema.service.ts'

const schemas = createSchemas(systemClock)
const person = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string', minLength: 1 }, tags: { type: 'array', items: { enum: ['a', 'b'] } } },
  additionalProperties: false,
}

test('a valid value has no problems', () => {
  expect(schemas.check(person, { name: 'Ada', tags: ['a'] })).toEqual([])
})

test('every problem is reported with its path', () => {
  expect(schemas.check(person, { tags: ['a', 'c'], age: 1 })).toEqual([
    'name is required',
    'age is not a known field',
    'tags.1 must be one of ["a","b"]',
  ])
  expect(schemas.check(person, 'Ada')).toEqual(['the value must be an object'])
})

test('the faults of a field carry its full path and a sentence', () => {
  expect(schemas.faultsOf(person, { tags: ['c'], 'a/b~': 1 }, 'input')).toEqual([
    { param: 'input.name', message: 'input.name is required.' },
    { param: 'input.a/b~', message: 'input.a/b~ is not a known field.' },
    { param: 'input.tags.0', message: 'input.tags.0 must be one of ["a","b"].' },
  ])
  expect(schemas.faultsOf(person, 'Ada', 'input')).toEqual([{ param: 'input', message: 'input must be an object.' }])
  expect(schemas.faultsOf({ type: ['string', 'null'] }, 1, 'payload')[0]?.message).toBe(
    'payload must be a string or null.',
  )
  expect(schemas.faultsOf({ properties: { n: { const: 1 } } }, { n: 2 }, 'input')[0]?.message).toBe(
    'input.n must be 1.',
  )
  const [fault] = schemas.faultsOf({ additionalProperties: false }, { ['x'.repeat(5_000)]: 1 }, 'input')
  expect(fault?.param.length).toBeLessThan(250)
})

test('an invalid schema is reported when it is submitted, and never throws', () => {
  expect(schemas.checkSchema({ type: 'strin' })[0]).toMatch(/^The schema cannot be used: /)
  expect(schemas.checkSchema({ type: 'string', pattern: '(' })[0]).toMatch(/^The schema cannot be used: /)
  expect(schemas.check({ type: 'strin' }, 'x')).toHaveLength(1)
  expect(schemas.checkSchema(person)).toEqual([])
})

test('a schema may refer only to itself', () => {
  const tree = {
    type: 'object',
    properties: { next: { $ref: '#' }, value: { $ref: '#/$defs/v' } },
    $defs: { v: { type: 'number' } },
  }
  expect(schemas.check(tree, { next: { value: 'x' } })).toEqual(['next.value must be a number'])
  expect(schemas.checkSchema({ $ref: 'https://example.com/schema.json' })).toHaveLength(1)
  expect(schemas.checkSchema({ $ref: 'file:///etc/passwd' })).toHaveLength(1)
})

test('the $id of one schema is not visible to another', () => {
  expect(schemas.checkSchema({ $id: 'https://one.example/secret', type: 'string' })).toEqual([])
  expect(schemas.checkSchema({ $id: 'https://one.example/secret', type: 'number' })).toEqual([])
  expect(schemas.checkSchema({ $ref: 'https://one.example/secret' })).toHaveLength(1)
})

test('the common drafts are interpreted as declared', () => {
  const tuple = [{ type: 'string' }, { type: 'number' }]
  const old = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'array', items: tuple }
  expect(schemas.check(old, ['a', 'b'])).toEqual(['1 must be a number'])
  expect(schemas.check({ type: 'array', prefixItems: tuple }, ['a', 'b'])).toEqual(['1 must be a number'])
  expect(schemas.checkSchema({ $schema: 'https://json-schema.org/draft/2019-09/schema', type: 'array' })).toEqual([])
  expect(schemas.checkSchema({ $schema: 'http://json-schema.org/draft-03/schema#' })).toHaveLength(1)
})

test('a schema that is too long or too deep is refused', () => {
  expect(schemas.checkSchema({ description: 'x'.repeat(schemaLimits.chars) })).toHaveLength(1)
  let deep: Record<string, unknown> = {}
  for (let depth = 0; depth < 1000; depth++) deep = { not: deep }
  expect(schemas.checkSchema(deep)).toEqual([`The schema is nested deeper than ${schemaLimits.depth}`])
})

test('an extremely nested value is refused and does not crash the process', () => {
  let value: Record<string, unknown> = {}
  for (let depth = 0; depth < 20_000; depth++) value = { next: value }
  const list = { type: 'object', properties: { next: { $ref: '#' } } }
  expect(schemas.check(list, value)).toEqual(['The value is nested too deeply for the schema'])
  expect(schemas.check({ $ref: '#' }, 1)).toHaveLength(1)
})

test.for(['(a+)+$', '(a|a)*$', '^(.*a){20}$', '(.*)*x'])(
  'a pattern with catastrophic backtracking is stopped: %s',
  (pattern) => {
    const began = performance.now()
    const problems = schemas.check({ type: 'array', items: { pattern } }, Array(50).fill(`${'a'.repeat(5000)}!`))
    expect(problems.length).toBeGreaterThan(0)
    expect(performance.now() - began).toBeLessThan(5000)
    // No state is left that would stop the next one.
    expect(schemas.check({ pattern: '^[a-z]+@[a-z]+$' }, 'ada@example')).toEqual([])
  },
)

test('the patterns of a schema are independent', () => {
  const two = {
    properties: { a: { pattern: '^x+$' }, b: { pattern: '^y+$' } },
    patternProperties: { '^n_': { type: 'number' } },
  }
  expect(schemas.check(two, { a: 'xx', b: 'yy', n_1: 1 })).toEqual([])
  expect(schemas.check(two, { a: 'yy', b: 'xx', n_1: 'x' })).toEqual([
    'a must match pattern "^x+$"',
    'b must match pattern "^y+$"',
    'n_1 must be a number',
  ])
})

test('a pattern that is longer than allowed is refused', () => {
  expect(schemas.checkSchema({ pattern: 'a'.repeat(schemaLimits.patternChars + 1) })).toHaveLength(1)
})

test('unique items are checked without comparing all pairs', () => {
  const unique = { type: 'array', uniqueItems: true }
  const many = Array.from({ length: 100_000 }, (_, index) => ({ index }))
  const began = performance.now()
  expect(schemas.check(unique, many)).toEqual([])
  expect(schemas.check(unique, [...many, { index: 5 }])).toEqual(['the value must not have the same item twice'])
  expect(
    schemas.check(unique, [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ]),
  ).toHaveLength(1)
  expect(performance.now() - began).toBeLessThan(10_000)
})

test('the list of problems is bounded', () => {
  expect(schemas.check({ type: 'array', items: { type: 'string' } }, Array(1000).fill(1))).toHaveLength(
    schemaLimits.problems,
  )
})
