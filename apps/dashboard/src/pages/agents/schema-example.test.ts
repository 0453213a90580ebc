import { type Schema, Validator } from '@cfworker/json-schema'
import { expect, test } from 'vitest'
import { exampleOf, schemaFrom } from './schema-example.ts'

test('an example has what the schema requires', () => {
  const schema = {
    type: 'object',
    required: ['text', 'fields'],
    properties: {
      text: { type: 'string' },
      fields: {
        type: 'array',
        items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
      },
      language: { enum: ['en', 'de'] },
    },
  }
  expect(exampleOf(schema)).toEqual({ text: '…', fields: [{ name: '…' }] })
  expect(new Validator(schema as Schema).validate(exampleOf(schema)).valid).toBe(true)
  expect(exampleOf(null)).toEqual({})
  expect(exampleOf({ type: 'object', properties: { query: { type: 'string', examples: ['Hello'] } } })).toEqual({
    query: 'Hello',
  })
})

test('a schema from an example takes this example and refuses another one', () => {
  const example = { order: 'A-1', amount: 2.5, lines: [{ sku: 'x', count: 3 }], note: null, paid: true }
  const schema = new Validator(schemaFrom(example), '2020-12')
  expect(schema.validate(example).valid).toBe(true)
  expect(schema.validate({ ...example, amount: 'much' }).valid).toBe(false)
  expect(schema.validate({ ...example, other: 1 }).valid).toBe(false)
  expect(schema.validate({ ...example, lines: [{ sku: 'x', count: 0.5 }] }).valid).toBe(false)
})
