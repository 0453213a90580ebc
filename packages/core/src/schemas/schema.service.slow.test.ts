import { expect, test } from 'vitest'
import { testSchemas, testThreads } from './schemas.fixture.ts'
import { compileBombs, largestOf } from './shapes.fixture.ts'

type Schema = Record<string, unknown>

const org = 'an organisation'
const schemas = testSchemas()
const check = (schema: Schema, value: unknown) => schemas.check(org, schema, value)
const checkSchema = (schema: Schema) => schemas.checkSchema(org, schema)

const person = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string', minLength: 1 }, tags: { type: 'array', items: { enum: ['a', 'b'] } } },
  additionalProperties: false,
}
/** The same, but it is checked in a thread. */
const personInThread = { ...person, propertyNames: true }

test('[C1c] the heaviest schemas that are accepted by weight compile within the limit, or are refused and not tried again', async () => {
  for (const make of Object.values(compileBombs)) {
    const schema = largestOf(make)
    const problems = await checkSchema(schema)
    expect(problems.filter((problem) => !problem.includes('ms of CPU time'))).toEqual([])
    if (problems.length === 0) continue
    const { outOfTime } = testThreads().metrics()
    expect(await check(schema, {})).toEqual(problems)
    expect(testThreads().metrics().outOfTime).toBe(outOfTime)
  }
})

test('[C1d] a check that takes too long is stopped, reported, and leaves the pool usable', async () => {
  // Two alternatives for each level, both with the same field: 2³⁰ evaluations.
  const branch = { properties: { a: { $ref: '#' } }, required: ['b'] }
  const doubling = { anyOf: [branch, { ...branch }] }
  let value: Record<string, unknown> = {}
  for (let depth = 0; depth < 30; depth++) value = { a: value }
  expect(await checkSchema(doubling)).toEqual([])
  const [problem] = await check(doubling, value)
  expect(problem).toMatch(
    /^The check of the value against the schema (takes more than 501 ms of CPU time|needs too much memory)$/,
  )
  expect(await check(personInThread, { name: 'Ada' })).toEqual([])
})
