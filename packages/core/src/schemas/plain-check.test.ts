import { limits } from '@ars/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkPlain } from './plain-check.ts'
import { findPlain, isWithinPlainSteps, maxPlainSteps } from './plain-schema.ts'
import { maxFaults, type ValueFault } from './schema-fault.ts'
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
        if (faults.length < maxFaults) expect(textsOf(faults)).toEqual(textsOf(others))
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

test('the steps of a check stay below the bound for the worst schemas and values', () => {
  const empty = { type: 'object' }
  const worst: { schema: Schema; grow(size: number): unknown }[] = [
    // Every item fails every alternative.
    { schema: { items: { anyOf: listOf(200, (at) => ({ const: at + 1 })) } }, grow: (size) => listOf(size, () => 0) },
    { schema: { items: { required: listOf(400, (at) => `r${at}`) } }, grow: (size) => listOf(size, () => ({})) },
    {
      schema: { items: { enum: listOf(900, (at) => `${'x'.repeat(20)}${at}`) } },
      grow: (size) => listOf(size, () => 'x'.repeat(23)),
    },
    {
      schema: { additionalProperties: { allOf: listOf(400, () => empty) } },
      grow: (size) => Object.fromEntries(listOf(size, (at) => [`k${at}`, 0])),
    },
    { schema: { maxLength: 1 }, grow: (size) => '😀'.repeat(size * 20) },
    {
      schema: { items: { anyOf: listOf(60, () => ({ items: { anyOf: listOf(4, () => ({ maxLength: 0 })) } })) } },
      grow: (size) => listOf(Math.ceil(size / 10), () => listOf(10, () => 'aa')),
    },
  ]
  const body = JSON.stringify(listOf(Math.floor(limits.bodyBytes / 3), () => ({})))
  for (const { schema, grow } of worst) {
    const plain = findPlain(schema)
    if (!plain) throw new Error('The schema should be plain')
    let size = 1
    while (isWithinPlainSteps(plain, grow(size + Math.ceil(size / 4)))) size += Math.ceil(size / 4)
    const value = grow(size)
    expect(isWithinPlainSteps(plain, grow(2 * size + 2))).toBe(false)
    // The check of the largest value that stays on the event loop costs less than parsing the largest request body.
    const isCheaper = isFaster(
      () => checkPlain(plain, value),
      () => JSON.parse(body),
    )
    expect({ schema: JSON.stringify(schema).slice(0, 40), isCheaper }).toMatchObject({ isCheaper: true })
    // A value of any size is recognised as too large in less time than parsing it took.
    const largest = grow(maxPlainSteps * 5)
    const text = JSON.stringify(largest)
    expect(
      isFaster(
        () => isWithinPlainSteps(plain, largest),
        () => JSON.parse(text),
      ),
    ).toBe(true)
  }
})

const listOf = <Item>(length: number, make: (at: number) => Item): Item[] => Array.from({ length }, (_, at) => make(at))

/** The fastest of several rounds: other work on the machine only makes rounds slower. */
/** Measured anew a few times: other programs on the machine may delay either of the two. */
const isFaster = (one: () => unknown, other: () => unknown): boolean =>
  listOf(5, () => 0).some(() => fastest(one) < fastest(other))

const fastest = (work: () => unknown): number => {
  const rounds = listOf(9, () => {
    const began = performance.now()
    work()
    return performance.now() - began
  })
  return Math.min(...rounds)
}
