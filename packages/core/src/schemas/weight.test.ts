import { limits } from '@ars/contract'
import { expect, test } from 'vitest'
import { compileBombs, largestOf, referenceBomb } from './shapes.fixture.ts'
import { weigh } from './weight.ts'

const problemsOf = (schema: Record<string, unknown>): string[] => {
  const weighed = weigh(schema)
  return weighed.kind === 'refused' ? weighed.problems : []
}

const weightOf = (schema: Record<string, unknown>) => {
  const weighed = weigh(schema)
  if (weighed.kind === 'refused') throw new Error(weighed.problems.join())
  return weighed.weight
}

test('references that double with every level are counted without following them', () => {
  expect(weightOf(referenceBomb(10))).toMatchObject({ subSchemas: 32, paths: 2 ** 10 * 4 - 3 + 1 })
  expect(problemsOf(referenceBomb(12))).toEqual([
    `The schema has 16382 paths through its references; at most ${limits.schemaPaths} are allowed`,
  ])
  expect(problemsOf(referenceBomb(60))[0]).toMatch(/more than 1e15 paths/)
  expect(problemsOf(referenceBomb(160))[0]).toMatch(/more than 1e15 paths/)
})

test('a definition that contains itself does not hide references that double', () => {
  const $defs: Record<string, unknown> = { x0: {} }
  for (let level = 1; level <= 20; level++) {
    $defs[`a${level}`] = {
      properties: { p: { $ref: `#/$defs/x${level}` } },
      allOf: [{ $ref: `#/$defs/x${level - 1}` }, { $ref: `#/$defs/x${level - 1}` }],
    }
    $defs[`x${level}`] = { allOf: [{ $ref: `#/$defs/a${level}` }, { $ref: `#/$defs/a${level}` }] }
  }
  const first = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`q${at}`, { $ref: `#/$defs/a${at + 1}` }]))
  expect(problemsOf({ $defs, properties: first })[0]).toMatch(/paths through its references/)
})

test('sub-schemas, bytes, levels and the length of a pattern are limited; the message names the limit and the actual value (limits.schemaDepth, limits.schemaPatternChars)', () => {
  for (const [name, make] of Object.entries(compileBombs)) {
    expect({ name, problems: problemsOf(largestOf(make)) }).toEqual({ name, problems: [] })
    expect(problemsOf(make(3_000))[0]).toMatch(/^The schema has \d+ (sub-schemas|bytes); at most \d+ are allowed$/)
  }
  expect(problemsOf({ description: 'é'.repeat(limits.schemaBytes / 2) })).toEqual([
    `The schema has ${limits.schemaBytes + 18} bytes; at most ${limits.schemaBytes} are allowed`,
  ])
  let deep: Record<string, unknown> = {}
  for (let depth = 0; depth < 5_000; depth++) deep = { not: deep }
  expect(problemsOf(deep)).toEqual(['The schema is nested deeper than the 64 levels that are allowed'])
  expect(problemsOf({ properties: { a: { pattern: 'a'.repeat(513) } } })).toEqual([
    'properties.a.pattern has 513 characters; at most 512 are allowed',
  ])
})

test('a schema may refer only to itself, by pointer or anchor', () => {
  const tree = {
    type: 'object',
    properties: { left: { $ref: '#' }, right: { $ref: '#' }, value: { $ref: '#/$defs/v' }, name: { $ref: '#n' } },
    $defs: { v: { type: 'number' }, n: { $anchor: 'n', type: 'string' }, 'a/b': {} },
    items: { $ref: '#/$defs/a~1b' },
  }
  expect(problemsOf(tree)).toEqual([])
  expect(
    problemsOf({ ...tree, $id: 'https://one.example/s', not: { $ref: 'https://one.example/s#/$defs/v' } }),
  ).toEqual([])
  for (const $ref of ['https://example.com/s.json', 'file:///etc/passwd', '#/$defs/none', '#none', 'other'])
    expect(problemsOf({ items: { $ref } })).toEqual([`items.$ref refers to ${$ref}, which is not in the schema`])
  expect(problemsOf({ $defs: { a: { $id: 'https://two.example/' } } })).toEqual([
    '$id is allowed only at the root of the schema',
  ])
  // Data is not a schema, whatever it looks like.
  expect(problemsOf({ const: { $id: 'x' }, enum: [{ $ref: 'https://example.com' }] })).toEqual([])
})

test('a schema that refers to itself without end is refused', () => {
  for (const schema of [
    { $ref: '#' },
    {
      allOf: [{ $ref: '#/$defs/a' }],
      $defs: { a: { anyOf: [{}, { $ref: '#/$defs/b' }] }, b: { not: { $ref: '#/$defs/a' } } },
    },
  ])
    expect(problemsOf(schema)).toEqual([
      'The schema refers to itself without descending into the value, so it has no end',
    ])
})

test('patterns are found with their paths', () => {
  const schema = { items: { anyOf: [{ pattern: 'a' }, { patternProperties: { '^b': { pattern: 'c' } } }] } }
  const found = new Map(weightOf(schema).patterns.map(({ source, path }) => [source, path]))
  expect(Object.fromEntries(found)).toEqual({
    a: 'items.anyOf.0.pattern',
    '^b': 'items.anyOf.1.patternProperties',
    c: 'items.anyOf.1.patternProperties.^b.pattern',
  })
})
