import { type Break, findBreaks } from '@ars/tools/gen/breaking'
import type { Document } from '@ars/tools/gen/document'
import { expect, test } from 'vitest'
import { api, breaksAfter, type Edit, put } from './breaking.fixture.ts'

const list = 'paths /things get'
const create = 'paths /things post'
const touch = 'paths /things/{id}/touch post'
const json = 'content application/json'
const taken = 'components schemas NewThing'

const breaking: [string, Edit, Break['kind'], string][] = [
  [
    'a parameter is new and required',
    put(`${list} parameters 3`, { name: 'kind', in: 'query', required: true, schema: {} }),
    'input-required',
    'things.list (GET /things), query parameter `kind`: it is new and required.',
  ],
  [
    'a header is new and required',
    put(`${list} parameters 3`, { name: 'X-Kind', in: 'header', required: true, schema: {} }),
    'input-required',
    'things.list (GET /things), header `x-kind`: it is new and required.',
  ],
  [
    'a parameter becomes required',
    put(`${list} parameters 0 required`, true),
    'input-required',
    'things.list (GET /things), query parameter `limit`: it is now required.',
  ],
  [
    'a shared header becomes required',
    put('components parameters Prefer required', true),
    'input-required',
    'things.list (GET /things), header `prefer`: it is now required.',
  ],
  [
    'a body field is new and required',
    put(taken, {
      ...api.components.schemas.NewThing,
      properties: { ...api.components.schemas.NewThing.properties, tier: { type: 'string' } },
      required: ['name', 'tier'],
    }),
    'input-required',
    'NewThing in requests: `tier` is new and required.',
  ],
  [
    'a body field becomes required',
    put(`${taken} required`, ['name', 'size']),
    'input-required',
    'NewThing in requests: `size` is now required.',
  ],
  [
    'a body becomes required',
    put(`${touch} requestBody required`, true),
    'input-required',
    'things.touch (POST /things/{id}/touch), body: it is now required.',
  ],
  [
    'a body comes where none was',
    put(`${list} requestBody`, { required: true, content: {} }),
    'input-required',
    'things.list (GET /things), body: it is now required.',
  ],
  [
    'a parameter goes',
    put(`${list} parameters 1`, { $ref: '#/components/parameters/Prefer' }),
    'input-removed',
    'things.list (GET /things), query parameter `status`: it is no longer taken.',
  ],
  [
    'a body field goes',
    put(`${taken} properties note`, undefined),
    'input-removed',
    'NewThing in requests: `note` is no longer taken.',
  ],
  [
    'a body goes',
    put(`${touch} requestBody`, undefined),
    'input-removed',
    'things.touch (POST /things/{id}/touch), body: it is no longer taken.',
  ],
  [
    'a body changes its media type',
    put(`${create} requestBody content`, { 'text/plain': { schema: {} } }),
    'input-removed',
    'things.create (POST /things), body: it is no longer application/json.',
  ],
  [
    'an input changes its type',
    put(`${taken} properties size`, { type: 'string' }),
    'input-narrowed',
    'NewThing in requests: `size` was number and is now string.',
  ],
  [
    'a number input becomes whole',
    put(`${taken} properties size`, { type: 'integer' }),
    'input-narrowed',
    'NewThing in requests: `size` was number and is now integer.',
  ],
  [
    'an input may no longer be null',
    put(`${taken} properties note`, { type: 'string' }),
    'input-narrowed',
    'NewThing in requests: `note` may no longer be null.',
  ],
  [
    'one form of an input goes',
    put(`${taken} properties place`, { type: 'string' }),
    'input-narrowed',
    'NewThing in requests: `place` was string or object and is now string.',
  ],
  [
    'one form of an input grows a duty',
    put(`${taken} properties place anyOf 1 required`, ['x', 'y']),
    'input-required',
    'NewThing in requests: `place.y` is new and required.',
  ],
  [
    'a maximum sinks',
    put(`${list} parameters 0 schema maximum`, 50),
    'input-narrowed',
    'things.list (GET /things), query parameter `limit`: it had maximum 100 and has now 50.',
  ],
  [
    'a minimum rises',
    put(`${list} parameters 0 schema minimum`, 2),
    'input-narrowed',
    'things.list (GET /things), query parameter `limit`: it had minimum 1 and has now 2.',
  ],
  [
    'a maximum length comes',
    put(`${taken} properties note maxLength`, 9),
    'input-narrowed',
    'NewThing in requests: `note` had maxLength unset and has now 9.',
  ],
  [
    'a minimum length rises',
    put(`${taken} properties name minLength`, 2),
    'input-narrowed',
    'NewThing in requests: `name` had minLength 1 and has now 2.',
  ],
  [
    'fewer items are taken',
    put(`${taken} properties tags maxItems`, 8),
    'input-narrowed',
    'NewThing in requests: `tags` had maxItems 16 and has now 8.',
  ],
  [
    'items must be unique',
    put(`${taken} properties tags uniqueItems`, true),
    'input-narrowed',
    'NewThing in requests: `tags` had uniqueItems unset and has now true.',
  ],
  [
    'names of a map must be shorter',
    put(`${taken} properties labels propertyNames maxLength`, 8),
    'input-narrowed',
    'NewThing in requests: `labels.{name}` had maxLength 64 and has now 8.',
  ],
  [
    'values of a map must be shorter',
    put(`${taken} properties labels additionalProperties maxLength`, 8),
    'input-narrowed',
    'NewThing in requests: `labels.*` had maxLength unset and has now 8.',
  ],
  [
    'items must fit a pattern',
    put(`${taken} properties tags items pattern`, '^a'),
    'input-narrowed',
    'NewThing in requests: `tags[]` had no pattern and has now the pattern ^a.',
  ],
  [
    'a path parameter changes its pattern',
    put(`${touch} parameters 0 schema pattern`, '^u_'),
    'input-narrowed',
    'things.touch (POST /things/{id}/touch), path parameter `id`: it had the pattern ^t_ and has now the pattern ^u_.',
  ],
  [
    'an input must fit a format',
    put(`${taken} properties name format`, 'uri'),
    'input-narrowed',
    'NewThing in requests: `name` had no format and has now the format uri.',
  ],
  [
    'a parameter is written in another way',
    put(`${list} parameters 1 style`, 'deepObject'),
    'input-narrowed',
    'things.list (GET /things), query parameter `status`: it is now written in another way.',
  ],
  [
    'an open input is closed',
    put(`${touch} requestBody ${json} schema additionalProperties`, false),
    'input-narrowed',
    'things.touch (POST /things/{id}/touch), body: it no longer takes fields of any other name.',
  ],
  [
    'an input loses a value',
    put(`${list} parameters 1 schema enum`, ['new']),
    'enum-narrowed',
    'things.list (GET /things), query parameter `status`: it no longer has the value "old".',
  ],
  [
    'an input gets a list of values',
    put(`${taken} properties name enum`, ['a', 'b']),
    'enum-narrowed',
    'NewThing in requests: `name` takes only "a", "b" now.',
  ],
  [
    'a default changes',
    put(`${list} parameters 0 schema default`, 10),
    'default-changed',
    'things.list (GET /things), query parameter `limit`: it had the default 20 and has now 10.',
  ],
]

test.each(breaking)('it is found when %s', (_, edit, kind, sentence) => {
  expect(breaksAfter(edit)).toContainEqual({ kind, sentence })
})

const harmless: [string, Edit][] = [
  [
    'a parameter is new and optional',
    put(`${list} parameters 3`, { name: 'kind', in: 'query', required: false, schema: {} }),
  ],
  ['a header is new and optional', put(`${list} parameters 3`, { name: 'X-Kind', in: 'header', schema: {} })],
  ['a header is spelt in other letters', put('components parameters Prefer name', 'prefer')],
  ['parameters change their order', (copy) => copy.paths['/things'].get.parameters.reverse()],
  ['a body field is new and optional', put(`${taken} properties tier`, { type: 'string' })],
  ['a body field is no longer required', put(`${taken} required`, [])],
  ['a body is no longer required', put(`${create} requestBody required`, false)],
  ['a body comes that may be left out', put(`${list} requestBody`, { required: false, content: {} })],
  ['an input takes null too', put(`${taken} properties name type`, ['string', 'null'])],
  ['an input takes a further form', put(`${taken} properties place anyOf 2`, { type: 'boolean' })],
  ['an input takes anything', put(`${taken} properties size`, {})],
  ['an input takes a further value', put(`${list} parameters 1 schema enum`, ['new', 'old', 'gone'])],
  ['an input loses its list of values', put(`${list} parameters 1 schema enum`, undefined)],
  ['bounds of an input widen', put(`${list} parameters 0 schema maximum`, 200)],
  ['a bound of an input goes', put(`${taken} properties name maxLength`, undefined)],
  ['a bound says what goes without saying', put(`${taken} properties note minLength`, 0)],
  ['an input loses its pattern', put(`${touch} parameters 0 schema pattern`, undefined)],
  ['a closed input opens', put(`${taken} additionalProperties`, undefined)],
  [
    'null is written in another way',
    put(`${taken} properties note`, { oneOf: [{ type: 'null' }, { type: 'string' }] }),
  ],
]

test.each(harmless)('nothing is found when %s', (_, edit) => {
  expect(breaksAfter(edit)).toEqual([])
})

test('a parameter that takes a list of words may gain a word and may not lose one', () => {
  const taking = (words: string) => {
    const copy = structuredClone(api)
    put(`${list} parameters 1 schema`, { type: 'string', pattern: `^(${words})(,(${words}))*$` })(copy)
    return copy as unknown as Document
  }
  expect(findBreaks(taking('new|old'), taking('new|odd|old'))).toEqual([])
  expect(findBreaks(taking('new|old'), taking('new|odd'))).toMatchObject([{ kind: 'input-narrowed' }])
})
