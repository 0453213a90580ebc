import { contract } from '@ars/contract'
import { type Break, findBreaks } from '@ars/tools/gen/breaking'
import { buildDocument } from '@ars/tools/gen/openapi'
import { expect, test } from 'vitest'
import { api, breaksAfter, type Edit, put } from './breaking.fixture.ts'

const create = 'paths /things post'
const given = 'components schemas Thing'

const breaking: [string, Edit, Break['kind'], string][] = [
  ['an operation is removed', put(create, undefined), 'operation-removed', 'things.create (POST /things) is gone.'],
  [
    'a path is renamed',
    (copy) => put('paths', { '/items': copy.paths['/things'] })(copy),
    'operation-removed',
    'things.list (GET /things) is gone.',
  ],
  [
    'an operation is renamed',
    put(`${create} operationId`, 'things.make'),
    'operation-renamed',
    'things.create (POST /things) is now called things.make.',
  ],
  [
    'the base address moves',
    put('servers 0 url', 'https://{host}/api'),
    'address-changed',
    'The base address was https://{host}/v2 and is now https://{host}/api.',
  ],
  [
    'the scope changes',
    put(`${create} x-scope`, 'things:admin'),
    'scope-changed',
    'things.create (POST /things) needed the scope things:write and now needs the scope things:admin.',
  ],
  [
    'what any credential opened needs a scope',
    put('paths /things/{id}/touch post x-scope', 'things:write'),
    'scope-changed',
    'things.touch (POST /things/{id}/touch) needed any valid credential and now needs the scope things:write.',
  ],
  [
    'what was open to anyone needs a credential',
    put('paths /health get x-scope', 'signed_in'),
    'scope-changed',
    'health.get (GET /health) needed nothing and now needs any valid credential.',
  ],
  [
    'a way to authenticate goes',
    put('security 1', undefined),
    'security-changed',
    'things.list (GET /things) no longer admits a caller by `session`.',
  ],
  [
    'one operation takes keys only',
    put(`${create} security`, [{ bearer: [] }]),
    'security-changed',
    'things.create (POST /things) no longer admits a caller by `session`.',
  ],
  [
    'the cookie gets another name',
    put('components securitySchemes session name', 'sid'),
    'security-changed',
    'things.create (POST /things) no longer admits a caller by `session`.',
  ],
  [
    'a success status is new',
    put(`${create} responses 201`, { description: '' }),
    'status-new',
    'things.create (POST /things) may now answer 201.',
  ],
  [
    'an error status is new',
    put(`${create} responses 409`, { description: '' }),
    'status-new',
    'things.create (POST /things) may now answer 409.',
  ],
  [
    'a success status goes',
    put(`${create} responses 202`, undefined),
    'status-gone',
    'things.create (POST /things) no longer answers 202.',
  ],
]

test.each(breaking)('it is found when %s', (_, edit, kind, sentence) => {
  expect(breaksAfter(edit)).toContainEqual({ kind, sentence })
})

const harmless: [string, Edit][] = [
  ['nothing changes', () => undefined],
  ['an operation is new', put('paths /others', { get: { operationId: 'others.list', responses: { 200: {} } } })],
  ['a further way to authenticate comes', put('security 2', { session: [], bearer: [] })],
  ['an operation opens to every signed-in caller', put(`${create} x-scope`, 'signed_in')],
  [
    'an operation opens to anyone',
    (copy) => {
      put(`${create} x-scope`, 'anyone')(copy)
      put(`${create} security`, [])(copy)
    },
  ],
  ['words change', put('components securitySchemes bearer description', 'An API key.')],
  ['an operation is described', put(`${create} description`, 'Makes a thing.')],
  ['a component is inlined', put(`${create} responses 404`, api.components.responses.NotFound)],
]

test.each(harmless)('nothing is found when %s', (_, edit) => {
  expect(breaksAfter(edit)).toEqual([])
})

test('a component that many operations share is reported once', () => {
  expect(breaksAfter(put(`${given} properties count`, undefined))).toHaveLength(1)
})

test('a schema that goes round in a circle ends', () => {
  const round: Edit = (copy) => {
    put('components schemas Loop', { anyOf: [{ $ref: '#/components/schemas/Loop' }, { type: 'string' }] })(copy)
    put(`${given} properties parent`, { $ref: '#/components/schemas/Loop' })(copy)
  }
  expect(breaksAfter(round).map(({ sentence }) => sentence)).toEqual([
    'Thing in answers: `parent` was object or null and is now string.',
  ])
})

test('of the real document, only a planted break is found', () => {
  const before = buildDocument(contract)
  const { post: _, ...rest } = before.paths['/runs'] ?? {}
  const after = structuredClone({ ...before, paths: { ...before.paths, '/runs': rest } })
  expect(findBreaks(before, after).map(({ sentence }) => sentence)).toEqual(['runs.create (POST /runs) is gone.'])
})
