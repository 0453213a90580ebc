import { contract, type Operation } from '@ars/contract'
import {
  allOperations,
  type Document,
  type Parameter,
  type RequestBody,
  type Response,
  resolve,
  type Schema,
} from '@ars/tools/gen/document'
import { buildDocument } from '@ars/tools/gen/openapi'
import { printDocument } from '@ars/tools/gen/openapi-tidy'
import { expect, test } from 'vitest'
import { z } from 'zod'

const base = {
  summary: 'Do it',
  scope: 'runs:write',
  names: 'nothing',
  status: 200,
  output: z.object({ n: z.int() }),
  errors: [],
} as const

const operation = (spec: Operation): Operation => spec

const operationIn = (document: Document, id: string) => {
  const found = allOperations(document).find(({ operation }) => operation.operationId === id)
  if (!found) throw new Error(`The document has no ${id}`)
  return found.operation
}
const placesOf = (document: Document, id: string) =>
  (operationIn(document, id).parameters ?? []).map((each) => {
    const parameter = resolve<Parameter>(document, each)
    return `${parameter.in} ${parameter.name}${parameter.required ? '' : '?'}`
  })
const schemaOf = (document: Document, content: RequestBody['content'] | undefined): Schema =>
  resolve<Schema>(document, content?.['application/json']?.schema ?? {})

test('fields go where the convention puts them: path, query or body', () => {
  const input = z
    .strictObject({ id: z.string(), part: z.string().optional(), size: z.int() })
    .meta({ id: 'TouchThing' })
  const things = {
    get: operation({ ...base, method: 'GET', path: '/things/{id}', input }),
    remove: operation({ ...base, method: 'DELETE', path: '/things', input: z.strictObject({ id: z.string() }) }),
    touch: operation({ ...base, method: 'POST', path: '/things/{id}/touch', input }),
    bump: operation({ ...base, method: 'POST', path: '/things/{id}/bump', input: z.strictObject({ id: z.string() }) }),
  }
  const document = buildDocument({ things })
  expect(placesOf(document, 'things.get')).toEqual(['path id', 'query part?', 'query size'])
  expect(placesOf(document, 'things.remove')).toEqual(['query id'])
  expect(placesOf(document, 'things.touch')).toEqual(['path id'])
  expect(operationIn(document, 'things.get').requestBody).toBeUndefined()
  expect(operationIn(document, 'things.bump').requestBody).toBeUndefined()
  expect(operationIn(document, 'things.touch').requestBody).toEqual({
    required: true,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/TouchThing' } } },
  })
  expect(document.components?.schemas).toMatchObject({
    TouchThing: { properties: { part: {}, size: {} }, required: ['size'], additionalProperties: false },
  })
})

test('a body without a required field may be left out', () => {
  const make = operation({
    ...base,
    method: 'POST',
    path: '/things',
    input: z.strictObject({ name: z.string().optional() }),
  })
  expect(operationIn(buildDocument({ things: { make } }), 'things.make').requestBody).toMatchObject({ required: false })
})

test('a named schema that may be null is the reference or null, and the component itself is not null', () => {
  const document = buildDocument(contract)
  const schemas = document.components?.schemas as Record<string, Schema>
  expect(schemas.Run?.properties?.error).toEqual({
    anyOf: [{ $ref: '#/components/schemas/RunError' }, { type: 'null' }],
    description: 'Why the run failed; null otherwise.',
  })
  expect(schemas.RunError?.type).toBe('object')
})

test('a named schema keeps the words that are said about it at one place', () => {
  const Part = z.object({ n: z.int() }).meta({ id: 'Part' })
  const output = z
    .object({
      one: Part,
      two: Part.optional().meta({ description: 'The second.' }),
      three: Part.nullable().describe('The third.'),
    })
    .meta({ id: 'Whole' })
  const get = operation({ ...base, method: 'GET', path: '/parts', input: z.strictObject({}), output })
  const schemas = buildDocument({ parts: { get } }).components?.schemas as Record<string, Schema>
  expect(schemas.Whole?.properties).toEqual({
    one: { $ref: '#/components/schemas/Part' },
    two: { $ref: '#/components/schemas/Part', description: 'The second.' },
    three: { anyOf: [{ $ref: '#/components/schemas/Part' }, { type: 'null' }], description: 'The third.' },
  })
})

test('an answer that is closed to new fields is refused, with its place', () => {
  const output = z.object({ inner: z.array(z.strictObject({ n: z.int() })) })
  const get = operation({ ...base, method: 'GET', path: '/things', input: z.strictObject({}), output })
  expect(() => buildDocument({ things: { get } })).toThrow(
    'The answer 200 of things.get.inner[] is closed to new fields',
  )
})

test('two schemas of one name are refused', () => {
  const same = () => z.object({ n: z.int() }).meta({ id: 'Same' })
  const get = operation({
    ...base,
    method: 'GET',
    path: '/things',
    input: z.strictObject({}),
    output: z.object({ a: same(), b: same() }),
  })
  expect(() => buildDocument({ things: { get } })).toThrow('Two schemas of the contract are called Same')
})

test('every object that the API takes is closed, however deep', () => {
  const document = buildDocument(contract)
  const open: string[] = []
  const visit = (schema: Schema, place: string): void => {
    const whole = resolve<Schema>(document, schema)
    if (whole.properties && whole.additionalProperties !== false) open.push(place)
    for (const [name, part] of Object.entries(whole.properties ?? {})) visit(part, `${place}.${name}`)
    for (const part of [whole.anyOf, whole.oneOf, whole.items ? [whole.items] : []].flatMap((parts) => parts ?? []))
      visit(part, place)
  }
  for (const { operation } of allOperations(document)) {
    const body = operation.requestBody && resolve<RequestBody>(document, operation.requestBody)
    if (body) visit(schemaOf(document, body.content), operation.operationId)
  }
  expect(open).toEqual([])
})

test('POST /runs says all that a client must know', () => {
  const document = buildDocument(contract)
  const create = operationIn(document, 'runs.create')
  expect(create['x-scope']).toBe('runs:write')
  expect(create.security).toEqual([{ bearer: ['runs:write'] }, { session: ['runs:write'] }])
  expect(placesOf(document, 'runs.create')).toEqual(['header Idempotency-Key?', 'header Prefer?'])
  expect(Object.keys(create.responses)).toEqual(['200', '202', '400', '401', '403', '404', '422', '429', 'default'])
  const headers = (status: string) =>
    Object.keys(resolve<Response>(document, create.responses[status] ?? {}).headers ?? {})
  const ofCreated = [
    'X-Request-Id',
    'Location',
    'Idempotency-Replayed',
    'X-Run-Id',
    'Preference-Applied',
    'Retry-After',
  ]
  expect(headers('202')).toEqual(ofCreated)
  const limits = ['RateLimit-Policy', 'RateLimit', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']
  expect(headers('429')).toEqual(['X-Request-Id', 'X-Api-Revision', 'Retry-After', ...limits, 'Deprecation', 'Sunset'])
  expect(create.responses[422]).toEqual({
    $ref: '#/components/responses/Unprocessable',
    description: expect.stringContaining('`idempotency_key_reused`'),
  })
})

test('a stream is text for a generator, and says of what form its frames are', () => {
  const document = buildDocument(contract)
  for (const [id, frame] of [
    ['runs.stream', 'RunFrame'],
    ['runs.watch', 'RunFrame'],
    ['events.watch', 'Event'],
  ] as const) {
    const { content } = resolve<Response>(document, operationIn(document, id).responses[200] ?? {})
    expect(content?.['text/event-stream']).toMatchObject({
      schema: { type: 'string' },
      'x-item-schema': { $ref: `#/components/schemas/${frame}` },
    })
    const union = resolve<Schema>(document, { $ref: `#/components/schemas/${frame}` }) as Schema & {
      discriminator: { propertyName: string; mapping: Record<string, string> }
    }
    expect(union.discriminator.propertyName).toBe('type')
    for (const [type, $ref] of Object.entries(union.discriminator.mapping))
      expect(resolve<Schema>(document, { $ref }).properties?.type?.const).toBe(type)
    expect(Object.values(union.discriminator.mapping)).toEqual(union.oneOf?.map(({ $ref }) => $ref))
  }
  expect(placesOf(document, 'runs.watch')).toContain('header Last-Event-ID?')
})

test('an enumeration is open in responses and closed in requests', () => {
  const Colour = z.enum(['red', 'blue']).meta({ id: 'Colour' })
  const output = z.object({ colour: Colour, other: Colour.nullable() }).meta({ id: 'Thing' })
  const input = z.strictObject({ colour: Colour.optional(), colours: z.array(Colour) }).meta({ id: 'MakeThing' })
  const make = operation({ ...base, method: 'POST', path: '/things', input, output })
  const list = operation({
    ...base,
    method: 'GET',
    path: '/things',
    input: z.strictObject({ colour: Colour.optional() }),
    output,
  })
  const document = buildDocument({ things: { make, list } })
  const schemas = document.components?.schemas as Record<string, Schema>
  expect(schemas.Colour).toMatchObject({ anyOf: [{ type: 'string', enum: ['red', 'blue'] }, { type: 'string' }] })
  expect(schemas.Thing?.properties?.colour).toEqual({ $ref: '#/components/schemas/Colour' })
  const closed = { type: 'string', enum: ['red', 'blue'] }
  expect(schemas.MakeThing?.properties).toEqual({ colour: closed, colours: { type: 'array', items: closed } })
  expect(operationIn(document, 'things.list').parameters).toMatchObject([{ name: 'colour', schema: closed }])
})

test('numbers have a format, and a field with one value is a constant', () => {
  const output = z.object({ object: z.literal('thing'), n: z.int(), x: z.number().nullable() }).meta({ id: 'Thing' })
  const get = operation({ ...base, method: 'GET', path: '/things', input: z.strictObject({}), output })
  const schemas = buildDocument({ things: { get } }).components?.schemas as Record<string, Schema>
  expect(schemas.Thing?.properties).toMatchObject({
    object: { type: 'string', const: 'thing' },
    n: { type: 'integer', format: 'int64' },
    x: { type: ['number', 'null'], format: 'double' },
  })
})

const route = (spec: Partial<Operation>) =>
  operationIn(
    buildDocument({
      things: { get: operation({ ...base, method: 'GET', path: '/things', input: z.strictObject({}), ...spec }) },
    }),
    'things.get',
  ) as ReturnType<typeof operationIn> & { description: string; servers?: { url: string }[] }

test('who may call is said in words, and to programs', () => {
  const scoped = route({})
  expect(scoped['x-scope']).toBe('runs:write')
  expect(scoped.security).toEqual([{ bearer: ['runs:write'] }, { session: ['runs:write'] }])
  expect(scoped.description).toBe('Requires the scope `runs:write`.')
  const signedIn = route({ scope: 'signed_in' })
  expect([signedIn['x-scope'], signedIn.security]).toEqual(['signed_in', undefined])
  expect(signedIn.description).toContain('Requires any valid credential')
  const person = route({ scope: 'signed_in', session: 'required' })
  expect([person.security, person.description]).toEqual([[{ session: [] }], 'Requires a browser session.'])
  expect(route({ session: 'required' })).toMatchObject({
    security: [{ session: ['runs:write'] }],
    description: 'Requires the scope `runs:write`. Only a browser session can call it.',
  })
  expect(route({ session: 'suffices' })).toMatchObject({
    security: [{ bearer: ['runs:write'] }, { session: [] }],
    description: 'Requires the scope `runs:write`. A browser session needs no scope.',
  })
  const open = route({ scope: 'anyone' })
  expect([open['x-scope'], open.security]).toEqual(['anyone', []])
  expect(open.description).toContain('Requires no credential')
})

test('an operation that is served at the root too, or that other origins may call, says so', () => {
  // Servers of an operation would replace the host that a generated client was given.
  expect(route({ alsoAtRoot: true }).servers).toBeUndefined()
  expect(route({ alsoAtRoot: true }).description).toContain('Also served at the root')
  const shared = route({ crossOrigin: true })
  expect(shared.description).toContain('with a short-lived token only')
  expect(Object.keys((shared.responses[200] as Response).headers ?? {})).toContain('Access-Control-Allow-Origin')
})

test('a secret is marked as one that is taken and never given back', () => {
  const input = z.strictObject({ secret: z.string().meta({ writeOnly: true }) }).meta({ id: 'NewThing' })
  const make = operation({ ...base, method: 'POST', path: '/things', input })
  expect(buildDocument({ things: { make } }).components?.schemas).toMatchObject({
    NewThing: { properties: { secret: { type: 'string', writeOnly: true } } },
  })
})

test('an object in a query is written as name[key]=value, and the document says so', () => {
  const input = z.strictObject({ labels: z.record(z.string(), z.string()).optional() })
  const list = operation({ ...base, method: 'GET', path: '/things', input })
  const document = buildDocument({ things: { list } })
  const [parameter] = operationIn(document, 'things.list').parameters ?? []
  expect(parameter).toMatchObject({ name: 'labels', style: 'deepObject', explode: true })
})

test('the idempotency key is 1 to 255 printable characters of ASCII', () => {
  const parameters = buildDocument(contract).components?.parameters as Record<string, Parameter>
  const { pattern = '', minLength, maxLength } = parameters['Idempotency-Key']?.schema ?? {}
  expect({ minLength, maxLength }).toEqual({ minLength: 1, maxLength: 255 })
  for (const good of ['a', '~', 'order 7', '{"n":1}']) expect(good).toMatch(new RegExp(pattern))
  for (const bad of ['', ' ', ' a', 'a ', 'é', 'a\tb', 'a\n', '\u007f', '"a"'])
    expect(bad).not.toMatch(new RegExp(pattern))
})

test('the same contract gives the same bytes', () => {
  expect(printDocument(buildDocument(contract))).toBe(printDocument(buildDocument(contract)))
})
