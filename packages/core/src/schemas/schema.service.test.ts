import { limits } from '@ars/contract'
import { systemClock } from '@ars/platform/clock'
import type { Task, TaskOutcome } from '@ars/platform/thread-pool'
import { expect, test } from 'vitest'
import { schemasBounds } from './bounds.ts'
import { createSchemas } from './schema.service.ts'

import { testSchemas } from './schemas.fixture.ts'
import { referenceBomb } from './shapes.fixture.ts'

type Schema = Record<string, unknown>

const org = 'an organisation'
const schemas = testSchemas()
const check = (schema: Schema, value: unknown) => schemas.check(org, schema, value)
const checkSchema = (schema: Schema) => schemas.checkSchema(org, schema)
const faultsOf = (schema: Schema, value: unknown, field: string) => schemas.faultsOf(org, schema, { value, field })

const person = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string', minLength: 1 }, tags: { type: 'array', items: { enum: ['a', 'b'] } } },
  additionalProperties: false,
}
/** The same, but it is checked in a thread. */
const personInThread = { ...person, propertyNames: true }

test.for([person, personInThread])(
  'a value is checked, and every problem is reported with its path',
  async (schema) => {
    expect(await check(schema, { name: 'Ada', tags: ['a'] })).toEqual([])
    expect(await check(schema, { tags: ['a', 'c'], age: 1 })).toEqual(
      expect.arrayContaining(['name is required', 'age is not a known field', 'tags.1 must be one of ["a","b"]']),
    )
    expect(await check(schema, 'Ada')).toEqual(['the value must be an object'])
  },
)

test.for([person, personInThread])('the faults of a field carry its full path and a sentence', async (schema) => {
  const faults = await faultsOf(schema, { tags: ['c'], 'a/b~': 1 }, 'input')
  expect(faults).toHaveLength(3)
  expect(faults).toEqual(
    expect.arrayContaining([
      { param: 'input.name', message: 'input.name is required.' },
      { param: 'input.a/b~', message: 'input.a/b~ is not a known field.' },
      { param: 'input.tags.0', message: 'input.tags.0 must be one of ["a","b"].' },
    ]),
  )
  expect(await faultsOf(schema, 'Ada', 'input')).toEqual([{ param: 'input', message: 'input must be an object.' }])
})

test('the words of a fault name the type, the value or a short path', async () => {
  const messageOf = async (schema: Schema, value: unknown) => (await faultsOf(schema, value, 'input'))[0]?.message
  expect(await messageOf({ type: ['string', 'null'] }, 1)).toBe('input must be a string or null.')
  expect(await messageOf({ properties: { n: { const: 1 } } }, { n: 2 })).toBe('input.n must be 1.')
  const [fault] = await faultsOf({ additionalProperties: false }, { ['x'.repeat(5_000)]: 1 }, 'input')
  expect(fault?.param.length).toBeLessThan(250)
})

test('an invalid schema is reported when it is submitted, and never throws', async () => {
  expect((await checkSchema({ type: 'strin' }))[0]).toMatch(/^The schema cannot be used: /)
  expect(await checkSchema({ properties: { a: { pattern: '(?=x)' } } })).toEqual([
    'properties.a.pattern: the pattern (?=x) uses look-around ((?=…), which is not supported',
  ])
  expect(await check({ type: 'strin' }, 'x')).toHaveLength(1)
  expect(await checkSchema(person)).toEqual([])
})

test('a schema may refer to itself, and the $id of one schema is not visible to another', async () => {
  const tree = {
    type: 'object',
    properties: { next: { $ref: '#' }, value: { $ref: '#/$defs/v' } },
    $defs: { v: { type: 'number' } },
  }
  expect(await check(tree, { next: { value: 'x' } })).toEqual(['next.value must be a number'])
  expect(await checkSchema({ $id: 'https://one.example/secret', type: 'string' })).toEqual([])
  expect(await checkSchema({ $id: 'https://one.example/secret', type: 'number' })).toEqual([])
  expect(await checkSchema({ $ref: 'https://one.example/secret' })).toHaveLength(1)
})

test('the common drafts are interpreted as declared', async () => {
  const tuple = [{ type: 'string' }, { type: 'number' }]
  const old = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'array', items: tuple }
  expect(await check(old, ['a', 'b'])).toEqual(['1 must be a number'])
  expect(await check({ type: 'array', prefixItems: tuple }, ['a', 'b'])).toEqual(['1 must be a number'])
  expect(await checkSchema({ $schema: 'https://json-schema.org/draft/2019-09/schema', type: 'array' })).toEqual([])
  expect(await checkSchema({ $schema: 'http://json-schema.org/draft-03/schema#' })).toHaveLength(1)
})

test('an extremely nested value is refused and does not crash the process', async () => {
  let value: Record<string, unknown> = {}
  for (let depth = 0; depth < 20_000; depth++) value = { next: value }
  const list = { type: 'object', properties: { next: { $ref: '#' } } }
  expect(await check(list, value)).toEqual(['The value is nested too deeply for the schema'])
  expect(await check({ $ref: '#' }, 1)).toHaveLength(1)
})

test('[C1a] references that double 60 times are refused without being followed, at every door', async () => {
  expect((await checkSchema(referenceBomb(60)))[0]).toMatch(/paths through its references; at most 10000 are allowed/)
  expect((await check(referenceBomb(60), {}))[0]).toMatch(/paths through its references/)
  expect((await faultsOf(referenceBomb(26), {}, 'payload'))[0]?.message).toMatch(/paths through its references/)
})

test.for(['(a+)+$', '^(a|a)*$', '^(.*a){20}$', '(.*)*x'])(
  '[C1b] a pattern with catastrophic backtracking ends: %s',
  async (pattern) => {
    const values = ['a'.repeat(128), ...Array(50).fill(`${'a'.repeat(5000)}!`)]
    const problems = await check({ type: 'array', items: { pattern } }, values)
    expect(problems.length).toBeGreaterThan(0)
    expect(await check({ pattern: '^[a-z]+@[a-z]+$' }, 'ada@example')).toEqual([])
  },
)

test('a value with millions of faults is refused with the first one (schemasBounds.pairsForAllFaults)', async () => {
  const many = Array.from({ length: 300_000 }, () => 1)
  expect(await check({ type: 'array', items: { type: 'string' } }, many)).toEqual(['0 must be a string'])
})

test('unique items are checked without comparing all pairs', async () => {
  const unique = { type: 'array', uniqueItems: true }
  const many = Array.from({ length: 20_000 }, (_, index) => ({ index }))
  expect(await check(unique, many)).toEqual([])
  expect(await check(unique, [...many, { index: 5 }])).toEqual(['the value must not have the same item twice'])
  const reordered = [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
  ]
  expect(await check(unique, reordered)).toHaveLength(1)
})

test.for([{}, { uniqueItems: false }])('the list of problems is bounded', async (rest) => {
  const schema = { type: 'array', items: { type: 'string' }, ...rest }
  expect(await check(schema, Array(1000).fill(1))).toHaveLength(schemasBounds.faultsTold.count)
})

const answering = (outcome: TaskOutcome) => {
  const tasks: Task[] = []
  const run = async (task: Task): Promise<TaskOutcome> => {
    tasks.push(task)
    return outcome
  }
  return { tasks, schemas: createSchemas({ threads: { run }, clock: systemClock }) }
}

test('a busy pool is 503 with a time to retry, and nothing is accepted unchecked', async () => {
  const { schemas: busy } = answering({ kind: 'busy' })
  const refusal = { code: 'unavailable', retryAfterSeconds: 1 }
  await expect(busy.check(org, { pattern: 'a' }, 'a')).rejects.toMatchObject(refusal)
  await expect(busy.checkSchema(org, {})).rejects.toMatchObject(refusal)
  // A plain schema needs no thread.
  expect(await busy.check(org, person, { name: 'Ada' })).toEqual([])
})

test('a schema that cannot be compiled in time is remembered; a slow value is not held against its schema', async () => {
  const schema = { pattern: 'a' }
  const slow = answering({ kind: 'out_of_time', progress: null })
  const problem = `Compiling the schema takes more than ${schemasBounds.compileCpu.ms} ms of CPU time`
  expect(await slow.schemas.checkSchema(org, schema)).toEqual([problem])
  expect(await slow.schemas.check(org, schema, 'a')).toEqual([problem])
  expect(slow.tasks).toHaveLength(1)
  const slowValue = answering({ kind: 'out_of_time', progress: 'compiled' })
  for (const value of ['a', 'b']) expect(await slowValue.schemas.check(org, schema, value)).toHaveLength(1)
  expect(slowValue.tasks).toHaveLength(2)
})

test('the organisation pays for its tasks, and their size is known to the pool', async () => {
  const { tasks, schemas: asked } = answering({ kind: 'done', result: { faults: [] } })
  await asked.check(org, { pattern: 'a' }, 'x'.repeat(limits.bodyBytes))
  expect(tasks).toMatchObject([
    { owner: org, maxCpuMs: schemasBounds.checkCpu.ms + schemasBounds.checkCpuOfMib.ms + 1 },
  ])
  expect(tasks[0]?.bytes).toBeGreaterThan(2 * limits.bodyBytes)
})
