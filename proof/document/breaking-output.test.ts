import type { Break } from '@ars/tools/gen/breaking'
import { compareSchemas } from '@ars/tools/gen/breaking-schema'
import type { Document, Schema } from '@ars/tools/gen/document'
import { expect, test } from 'vitest'
import { api, breaksAfter, type Edit, put } from './breaking.fixture.ts'

const list = 'paths /things get'
const create = 'paths /things post'
const json = 'content application/json'
const given = 'components schemas Thing'

const breaking: [string, Edit, Break['kind'], string][] = [
  [
    'an output field goes',
    put(`${given} properties count`, undefined),
    'output-removed',
    'Thing in answers: `count` is gone.',
  ],
  [
    'a nested output field goes',
    put(`${given} properties maker properties name`, undefined),
    'output-removed',
    'Thing in answers: `maker.name` is gone.',
  ],
  [
    'an output header goes',
    put(`${create} responses 200 headers Location`, undefined),
    'output-removed',
    'things.create (POST /things), answer 200, header Location: it is gone.',
  ],
  [
    'an answer changes its media type',
    put(`${list} responses 200 content`, { 'text/plain': { schema: {} } }),
    'output-removed',
    'things.list (GET /things), answer 200: it is no longer application/json.',
  ],
  [
    'an output field changes its type',
    put(`${given} properties count type`, 'string'),
    'output-retyped',
    'Thing in answers: `count` was integer and is now string.',
  ],
  [
    'a whole output number gets a fraction',
    put(`${given} properties count type`, 'number'),
    'output-retyped',
    'Thing in answers: `count` was integer and is now number.',
  ],
  [
    'an output field may be null',
    put(`${given} properties note type`, ['string', 'null']),
    'output-retyped',
    'Thing in answers: `note` may now be null.',
  ],
  [
    'an output object may be null',
    put(`${given} properties maker type`, ['object', 'null']),
    'output-retyped',
    'Thing in answers: `maker` may now be null.',
  ],
  [
    'an output changes its format',
    put(`${given} properties at format`, 'date'),
    'output-retyped',
    'Thing in answers: `at` had the format date-time and has now the format date.',
  ],
  [
    'an output changes its pattern',
    put(`${given} properties id pattern`, '^u_'),
    'output-retyped',
    'Thing in answers: `id` had the pattern ^t_ and has now the pattern ^u_.',
  ],
  [
    'an output gets a further form',
    put(`${given} properties maker`, { anyOf: [api.components.schemas.Thing.properties.maker, { type: 'string' }] }),
    'output-retyped',
    'Thing in answers: `maker` was object and is now object or string.',
  ],
  [
    'values of an output map change their type',
    put(`${given} properties labels additionalProperties type`, 'integer'),
    'output-retyped',
    'Thing in answers: `labels.*` was string and is now integer.',
  ],
  [
    'a list of output values is given up',
    put(`${given} properties status enum`, undefined),
    'output-retyped',
    'Thing in answers: `status` is no longer one of "new", "old".',
  ],
  [
    'an output loses a value',
    put(`${given} properties status enum`, ['new']),
    'enum-narrowed',
    'Thing in answers: `status` no longer has the value "old".',
  ],
  [
    'an output field may be missing',
    put(`${given} required`, ['id', 'status', 'at', 'count', 'parent']),
    'output-optional',
    'Thing in answers: `maker` may now be missing.',
  ],
  [
    'an output header may be missing',
    put(`${create} responses 200 headers X-Request-Id required`, false),
    'output-optional',
    'things.create (POST /things), answer 200, header X-Request-Id: it may now be missing.',
  ],
  [
    'an error body loses a field',
    put('components schemas Error properties code', undefined),
    'output-removed',
    'Error in answers: `code` is gone.',
  ],
  [
    'an answer is no longer of one component',
    put(`${create} responses 200 ${json} schema`, {
      type: 'object',
      properties: { id: { type: 'string', pattern: '^t_' } },
      required: ['id'],
    }),
    'output-removed',
    'things.create (POST /things), answer 200: `status` is gone.',
  ],
]

test.each(breaking)('it is found when %s', (_, edit, kind, sentence) => {
  expect(breaksAfter(edit)).toContainEqual({ kind, sentence })
})

const harmless: [string, Edit][] = [
  ['an output field is new', put(`${given} properties colour`, { type: 'string' })],
  [
    'an output field is new and always there',
    put(given, {
      ...api.components.schemas.Thing,
      properties: { ...api.components.schemas.Thing.properties, colour: { type: 'string' } },
      required: [...api.components.schemas.Thing.required, 'colour'],
    }),
  ],
  ['an output field is now always there', put(`${given} required`, [...api.components.schemas.Thing.required, 'note'])],
  ['an output is never null any more', put(`${given} properties parent`, { $ref: '#/components/schemas/Thing' })],
  ['an output has a further value', put(`${given} properties status enum`, ['new', 'old', 'gone'])],
  ['an output gets a format', put(`${given} properties note format`, 'uri')],
  ['bounds of an output change', put(`${given} properties note maxLength`, 3)],
  ['an output header is new', put(`${create} responses 202 headers`, { Location: { schema: { type: 'string' } } })],
  ['an error is no longer answered', put(`${create} responses 404`, undefined)],
  [
    'an object is put together from parts',
    put(`${given} properties maker`, {
      allOf: [
        { type: 'object', properties: { name: { type: 'string' } } },
        { type: 'object', required: ['name'] },
      ],
    }),
  ],
]

test.each(harmless)('nothing is found when %s', (_, edit) => {
  expect(breaksAfter(edit)).toEqual([])
})

test('a response may have a new kind of a union, but a known kind keeps its fields', () => {
  const kind = (name: string, field: string): Schema => ({
    type: 'object',
    properties: { type: { type: 'string', const: name }, [field]: { type: 'string' } },
    required: ['type', field],
  })
  const union = (...oneOf: Schema[]): Schema => ({ oneOf, discriminator: { propertyName: 'type' } })
  const documents = { before: {} as Document, after: {} as Document }
  const found = (before: Schema, after: Schema) => compareSchemas({ documents, direction: 'output' }, before, after)
  const [one, two] = [kind('one', 'a'), kind('two', 'b')]
  expect(found(union(one), union(one, two))).toEqual([])
  expect(found(union(one, two), union(one, kind('two', 'c')))).toMatchObject([{ path: 'b', kind: 'output-removed' }])
  const gone = { kind: 'enum-narrowed', path: '', what: 'no longer has the kind "two"' }
  expect(found(union(one, two), union(one))).toEqual([gone])
  expect(found(union(one, two), union(one, kind('three', 'b')))).toEqual([gone])
})

test('a kind of a union that a request may have stays', () => {
  const kind = (name: string): Schema => ({
    type: 'object',
    properties: { type: { type: 'string', const: name } },
    required: ['type'],
    additionalProperties: false,
  })
  const union = (...oneOf: Schema[]): Schema => ({ oneOf, discriminator: { propertyName: 'type' } })
  const documents = { before: {} as Document, after: {} as Document }
  const found = compareSchemas({ documents, direction: 'input' }, union(kind('one'), kind('two')), union(kind('one')))
  expect(found).toMatchObject([{ kind: 'enum-narrowed' }])
})
