import { contract } from '@ars/contract'
import { type ClientModel, clientModel, type NamedType, type TypeUse } from '@ars/tools/gen/client-model'
import { allOperations } from '@ars/tools/gen/document'
import { buildDocument } from '@ars/tools/gen/openapi'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const model = clientModel()
const operationsOf = ({ resources }: ClientModel) => resources.flatMap(({ operations }) => operations)
const typeCalled = (name: string, from = model): NamedType => {
  const found = from.types.find((type) => type.name === name)
  if (!found) throw new Error(`${name} is missing`)
  return found
}

const usesIn = (type: NamedType): TypeUse[] => {
  if (type.kind === 'object') return type.fields.map((field) => field.type)
  return type.kind === 'union' ? [...type.variants] : []
}

const namesIn = (type: TypeUse): string[] => {
  if (type.kind === 'list') return namesIn(type.items)
  if (type.kind === 'map') return namesIn(type.values)
  return type.kind === 'named' ? [type.name] : []
}

const referencesIn = (schema: unknown): string[] => {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]) => (key === '$ref' ? [String(value)] : referencesIn(value)))
}

describe('the model of the clients', () => {
  // Lines are a download. A program iterates over the list of the same things.
  test('has every operation of the document once, under its resource, except those that respond with lines', () => {
    const ids = operationsOf(model).map(({ id }) => id)
    const all = allOperations(buildDocument(contract)).map(({ operation }) => operation.operationId)
    expect([...ids, 'batches.export'].toSorted()).toEqual(all.toSorted())
    for (const { name, operations } of model.resources)
      for (const { id, name: own } of operations) expect(id).toBe(`${name}.${own}`)
  })

  test('has every type that it names, and no name twice', () => {
    const names = model.types.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    const used = [
      ...model.types.flatMap(usesIn).flatMap(namesIn),
      ...operationsOf(model).flatMap(({ body }) => body?.type ?? []),
      ...model.events.flatMap(({ data, envelope }) => [...namesIn(data), envelope]),
    ]
    expect(used.filter((name) => !names.includes(name))).toEqual([])
  })

  test('leaves enumerations and unions of answers open, and those of requests closed', () => {
    expect(typeCalled('RunStatus')).toMatchObject({ kind: 'enum', open: true, received: true })
    expect(typeCalled('SendActionType')).toMatchObject({ kind: 'enum', open: false, received: false })
    expect(typeCalled('Event')).toMatchObject({ kind: 'union', open: true, discriminator: { field: 'type' } })
    expect(typeCalled('Rollout')).toMatchObject({ kind: 'union', open: false, discriminator: { field: 'strategy' } })
  })

  test('knows lists, streams and the way back into a stream', () => {
    const answers = new Map(operationsOf(model).map(({ id, answer }) => [id, answer]))
    expect(answers.get('runs.list')).toMatchObject({
      kind: 'page',
      type: 'RunList',
      item: { name: 'Run' },
      paged: true,
    })
    expect(answers.get('runs.stream')).toMatchObject({ kind: 'stream', ends: true, resumedBy: 'runs.watch' })
    expect(answers.get('events.watch')).toMatchObject({ kind: 'stream', ends: false, resumedBy: 'events.watch' })
  })

  test('gives each event the type of its data', () => {
    expect(model.events).toContainEqual({
      type: 'run.failed',
      docs: expect.any(String),
      data: { kind: 'named', name: 'Run', nullable: false },
      envelope: 'RunFailedEvent',
    })
  })

  test('writes the schema of a body so that it stands alone', () => {
    const schemas = operationsOf(model).flatMap(({ body }) => body?.schema ?? [])
    const missing = schemas.flatMap((schema) => {
      const { $defs = {} } = schema as { $defs?: object }
      return referencesIn(schema).filter((each) => !Object.hasOwn($defs, each.replace('#/$defs/', '')))
    })
    expect(schemas.length).toBeGreaterThan(20)
    expect(missing).toEqual([])
  })

  test('gets a new resource from its row alone, with names for what has none', () => {
    const Thing = z
      .object({
        id: z.string(),
        state: z.enum(['new', 'old']),
        sizes: z.array(z.object({ width: z.int().nullable() })),
      })
      .meta({ id: 'Thing' })
    const make = {
      method: 'POST',
      path: '/boxes/{box_id}/things',
      summary: 'Make a thing',
      scope: 'runs:write',
      names: 'nothing',
      status: 201,
      input: z.strictObject({ box_id: z.string(), name: z.string() }),
      output: Thing,
      errors: ['not_found'],
      idempotent: true,
    } as const
    const small = clientModel({ things: { make } })
    const [operation] = operationsOf(small)
    expect(operation).toMatchObject({
      id: 'things.make',
      pathParameters: [{ name: 'box_id', style: 'single' }],
      body: { type: 'ThingsMakeParams', required: true },
      idempotent: true,
      errors: ['not_found'],
    })
    expect(typeCalled('ThingState', small)).toMatchObject({ kind: 'enum', values: ['new', 'old'], open: true })
    expect(typeCalled('ThingSize', small)).toMatchObject({
      fields: [{ name: 'width', type: { kind: 'integer', nullable: true } }],
    })
  })

  test('never gives the name of a component to something else', () => {
    const BoxSize = z.object({ width: z.int() }).meta({ id: 'BoxSize' })
    const Box = z.object({ size: z.object({ depth: z.int() }), other: BoxSize }).meta({ id: 'Box' })
    const show = {
      method: 'GET',
      path: '/box',
      summary: 'Show',
      scope: 'runs:read',
      names: 'nothing',
      status: 200,
      input: z.strictObject({}),
      output: Box,
      errors: [],
    } as const
    const small = clientModel({ boxes: { show } })
    expect(typeCalled('BoxSize', small)).toMatchObject({ fields: [{ name: 'width' }] })
    expect(typeCalled('BoxSizeValue', small)).toMatchObject({ fields: [{ name: 'depth' }] })
  })

  test('refuses what no client could express', () => {
    const show = {
      method: 'GET',
      path: '/things',
      summary: 'Show',
      scope: 'runs:read',
      names: 'nothing',
      status: 200,
      input: z.strictObject({}),
      output: z.object({ size: z.string().meta({ type: ['string', 'integer'] as never }) }),
      errors: [],
    } as const
    expect(() => clientModel({ things: { show } })).toThrow(/several types/)
  })
})
