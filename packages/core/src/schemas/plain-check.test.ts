import fc from 'fast-check'
import { expect, test } from 'vitest'
import { schemasBounds } from './bounds.ts'
import { checkPlain } from './plain-check.ts'
import { findPlain } from './plain-schema.ts'
import type { ValueFault } from './schema-fault.ts'
import { createValidator } from './validator.ts'

type Schema = Record<string, unknown>

/** As `JSON.parse` makes objects: `__proto__` is an ordinary field. */
const toObject = (entries: readonly (readonly [string, unknown])[]): unknown =>
  JSON.parse(`{${[...new Map(entries)].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)}}`)

const names = fc.constantFrom('a', 'b', 'constructor', 'é')
const primitives = fc.oneof(fc.constantFrom('', 'a', 'bb', '😀😀', null, true, false, 0, 1, 2.5, -1), fc.integer())
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    primitives,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(fc.oneof(names, fc.constant('__proto__')), tie('value')), { maxLength: 4 }).map(toObject),
  ),
})).value
const types = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']
const bounds = fc.nat(3)
const keywords = [
  'type',
  'enum',
  'const',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'required',
  'items',
  'additionalProperties',
  'properties',
  'anyOf',
  'allOf',
  'title',
  'x-note',
]
const schemas = fc.letrec<{ schema: Schema; any: Schema | boolean }>((tie) => ({
  any: fc.oneof({ maxDepth: 2 }, fc.boolean(), tie('schema')),
  // Few keywords each, so that some values are valid.
  schema: fc
    .tuple(
      fc.record(
        {
          type: fc.oneof(
            fc.constantFrom(...types),
            fc.uniqueArray(fc.constantFrom(...types), { minLength: 1, maxLength: 3 }),
          ),
          enum: fc.uniqueArray(primitives, { minLength: 1, maxLength: 3 }),
          const: primitives,
          minimum: bounds,
          maximum: bounds,
          exclusiveMinimum: bounds,
          exclusiveMaximum: bounds,
          minLength: bounds,
          maxLength: bounds,
          minItems: bounds,
          maxItems: bounds,
          minProperties: bounds,
          maxProperties: bounds,
          required: fc.uniqueArray(names, { maxLength: 2 }),
          items: tie('any'),
          additionalProperties: tie('any'),
          properties: fc
            .uniqueArray(fc.tuple(names, tie('any')), { maxLength: 3, selector: ([name]) => name })
            .map(toObject),
          anyOf: fc.array(tie('any'), { minLength: 1, maxLength: 3 }),
          allOf: fc.array(tie('any'), { minLength: 1, maxLength: 2 }),
          title: fc.constant('a title'),
          'x-note': fc.constant({ $ref: 'ignored' }),
        },
        { requiredKeys: [] },
      ),
      fc.shuffledSubarray(keywords, { maxLength: 3 }),
    )
    .map(([all, chosen]) => Object.fromEntries(Object.entries(all).filter(([keyword]) => chosen.includes(keyword)))),
}))

const textsOf = (faults: readonly ValueFault[]): string[] =>
  [...new Set(faults.map((each) => JSON.stringify(each)))].sort()

test('a plain schema has the same faults on the event loop as in a thread', () => {
  const validator = createValidator()
  const seen = { valid: 0, invalid: 0 }
  fc.assert(
    fc.property(schemas.schema, fc.array(values, { minLength: 1, maxLength: 8 }), (schema, each) => {
      const plain = findPlain(schema)
      if (!plain) throw new Error('The schema should be plain')
      for (const value of each) {
        const faults = checkPlain(plain, value)
        const others = validator.faultsOf(schema, value)
        seen[others.length === 0 ? 'valid' : 'invalid']++
        expect(faults.length === 0).toBe(others.length === 0)
        if (faults.length < schemasBounds.faultsTold.count) expect(textsOf(faults)).toEqual(textsOf(others))
      }
    }),
  )
  expect(Math.min(seen.valid, seen.invalid)).toBeGreaterThan((seen.valid + seen.invalid) / 20)
})

test.for([
  { pattern: 'a' },
  { patternProperties: {} },
  { $ref: '#/$defs/a', $defs: { a: {} } },
  { uniqueItems: true },
  { contains: {} },
  { oneOf: [{}] },
  { not: {} },
  { if: {} },
  { unevaluatedProperties: false },
  { propertyNames: {} },
  { dependentRequired: {} },
  { multipleOf: 2 },
  { prefixItems: [] },
  { items: [{}] },
  JSON.parse('{"properties":{"__proto__":{}}}') as Schema,
  { enum: [{}] },
  { const: [] },
  { minLength: -1 },
  { type: 'strin' },
  { $schema: 'http://json-schema.org/draft-03/schema#' },
  { properties: { a: { items: { pattern: 'a' } } } },
  { anyOf: Array.from({ length: 1_001 }, () => ({})) },
])('%j is not plain', (schema) => {
  expect(findPlain(schema)).toBeNull()
})
