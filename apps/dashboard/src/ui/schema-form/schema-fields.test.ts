import fc from 'fast-check'
import { expect, test } from 'vitest'
import { emptyValue, fieldOf, type Schema, withProperty } from './schema-fields.ts'

test('each part of a schema gets the control that can show it', () => {
  const kinds = (schema: Schema) => fieldOf(schema).kind
  expect(kinds({ type: 'string' })).toBe('text')
  expect(kinds({ type: 'string', enum: ['a', 'b'] })).toBe('choice')
  expect(kinds({ type: 'integer' })).toBe('number')
  expect(kinds({ type: 'boolean' })).toBe('boolean')
  expect(kinds({ type: 'array', items: { type: 'string' } })).toBe('lines')
  expect(kinds({ type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } })).toBe('list')
  expect(kinds({ type: 'object', properties: { a: { type: 'string' } } })).toBe('object')
  expect(kinds({ type: ['string', 'null'] })).toBe('json')
  expect(kinds({})).toBe('json')
})

test('objects that a constant tells apart are a choice between them', () => {
  const by = (name: string): Schema => ({ type: 'object', properties: { type: { const: name } } })
  expect(fieldOf({ oneOf: [by('a'), by('b')] })).toMatchObject({ kind: 'variant', by: 'type' })
  expect(fieldOf({ oneOf: [by('a'), by('a')] }).kind).toBe('json')
})

test('a text of 200 characters or more gets several lines, a date gets the control of the browser', () => {
  expect(fieldOf({ type: 'string', maxLength: 199 })).toMatchObject({ isLong: false })
  expect(fieldOf({ type: 'string', maxLength: 200 })).toMatchObject({ isLong: true })
  expect(fieldOf({ type: 'string', format: 'date' })).toMatchObject({ input: 'date', isLong: false })
})

test('defaults fill the form, and nothing else', () => {
  const schema: Schema = { type: 'object', properties: { a: { type: 'string', default: 'x' }, b: { type: 'string' } } }
  expect(emptyValue(schema)).toEqual({ a: 'x' })
})

test('a change of one property keeps all others', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.jsonValue(), (value, name, next) => {
      const changed = withProperty(value, name, next)
      for (const key of Object.keys(value)) if (key !== name) expect(changed[key]).toEqual(value[key])
      expect(changed[name]).toEqual(next)
    }),
  )
})
