import { contract, type Operation } from '@ars/contract'
import { allOperations, type RequestBody, type Response, resolve } from '@ars/tools/gen/document'
import { buildDocument } from '@ars/tools/gen/openapi'
import { recordedExamples, withExamples } from '@ars/tools/gen/openapi-examples'
import { findUndescribed } from '@ars/tools/gen/undescribed'
import { expect, test } from 'vitest'
import { z } from 'zod'

test('every property and parameter of the contract has a description, and every type a name', () => {
  expect(findUndescribed(buildDocument(contract))).toEqual([])
})

test('every operation has an example of its body and of its response', () => {
  const document = withExamples(buildDocument(contract), recordedExamples())
  for (const { operation } of allOperations(document)) {
    const { operationId, requestBody, responses } = operation
    const body = requestBody && resolve<RequestBody>(document, requestBody)
    if (body?.required) expect(body.content['application/json'], operationId).toHaveProperty('example')
    const success = Object.entries(responses).filter(([status]) => status.startsWith('2'))
    for (const [, response] of success) {
      const [media] = Object.values(resolve<Response>(document, response).content ?? {})
      expect(media, operationId).toHaveProperty('examples.default')
    }
  }
})

test('the document is at most 350 KB, and later 4 KB for each operation', () => {
  const operations = Object.values(contract).flatMap((each) => Object.values(each)).length
  const bytes = Buffer.byteLength(JSON.stringify(withExamples(buildDocument(contract), recordedExamples())))
  expect(bytes).toBeLessThanOrEqual(Math.max(350_000, 4_000 * operations))
})

const faultsOf = (spec: Partial<Operation>): string[] => {
  const made: Operation = {
    method: 'POST',
    path: '/things',
    summary: 'Do it',
    scope: 'runs:write',
    names: 'nothing',
    status: 200,
    input: z.strictObject({}),
    output: z.object({ ok: z.boolean().meta({ description: 'It is.' }) }).meta({ id: 'Thing' }),
    errors: [],
    ...spec,
  }
  return findUndescribed(buildDocument({ things: { make: made } })).filter((each) => !each.startsWith('Error'))
}
const output = (fields: z.ZodRawShape) => ({ output: z.object(fields).meta({ id: 'Thing' }) })
const word = z.string().meta({ description: 'A word.' })

test.each<[string, Partial<Operation>, string]>([
  ['a field is mute', output({ name: z.string() }), 'Thing.name has no description.'],
  [
    'a field inside another is mute',
    output({ part: z.object({ n: z.int() }).meta({ description: 'A part.' }) }),
    'Thing.part.n has no description.',
  ],
  [
    'an object has no name',
    output({ part: z.object({ word }).meta({ description: 'A part.' }) }),
    'Thing.part is an object without a name: give its schema an id.',
  ],
  [
    'an enumeration has no name',
    output({ colour: z.enum(['red', 'blue']).meta({ description: 'A colour.' }) }),
    'Thing.colour is an enumeration without a name.',
  ],
  [
    'a body has no name',
    { input: z.strictObject({ word }) },
    'A body of things.make has no name: give its schema an id.',
  ],
  [
    'a parameter is mute',
    { method: 'GET', input: z.strictObject({ q: z.string() }) },
    'The parameter q of things.make has no description.',
  ],
])('it is found when %s', (_, spec, sentence) => {
  expect(faultsOf(spec)).toContain(sentence)
})

test('a reference is described by its component', () => {
  const Part = z.object({ word }).meta({ id: 'Part', description: 'A part.' })
  expect(faultsOf(output({ part: Part, other: Part.nullable() }))).toEqual([])
})
