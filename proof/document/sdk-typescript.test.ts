import { AgentRunService } from '@agent-run-service/sdk'
import { contract } from '@ars/contract'
import { clientModel } from '@ars/tools/gen/client-model'
import { typescriptFiles } from '@ars/tools/gen/sdk-typescript'
import { expect, test } from 'vitest'
import { z } from 'zod'

const fileOf = (files: Readonly<Record<string, string>>, name: string): string =>
  files[`sdks/typescript/src/generated/${name}.ts`] ?? ''

/** Methods that the client adds by hand. An operation with the same name would be hidden by them. */
const byHand = [
  ...['createAndWait', 'retryFailed', 'wait'].map((name) => `batches.${name}`),
  ...['createAndWait', 'wait'].map((name) => `runs.${name}`),
  ...['handler', 'sign', 'unwrap'].map((name) => `webhooks.${name}`),
]

/** A download of lines, which a program reads as a list instead. */
const withoutMethod = ['batches.export']

test('the client has a method for every other operationId, and no other but its helpers', () => {
  const client = new AgentRunService({ apiKey: 'k', baseUrl: 'https://localhost:1/v2' })
  const methods = Object.entries(client)
    .flatMap(([resource, own]: [string, unknown]) => (typeof own === 'object' && own ? [{ resource, own }] : []))
    .flatMap(({ resource, own }) => Object.keys(own).map((name) => `${resource}.${name}`))
  const ids = Object.entries(contract).flatMap(([resource, own]) =>
    Object.keys(own).map((name) => `${resource}.${name}`),
  )
  expect([...methods, ...withoutMethod].toSorted()).toEqual([...ids, ...byHand].toSorted())
})

test('a new resource gets methods, types, values, schemas and descriptions without a line in the SDK', () => {
  const Thing = z
    .object({ id: z.string(), state: z.enum(['new', 'old']).meta({ description: 'How old.' }) })
    .meta({ id: 'Thing' })
  const make = {
    method: 'POST',
    path: '/boxes/{box_id}/things/{number}',
    summary: 'Make a thing',
    description: 'It is put into a box.',
    scope: 'runs:write',
    names: 'nothing',
    status: 201,
    input: z.strictObject({
      box_id: z.string(),
      number: z.int(),
      name: z.string(),
      kind: z.enum(['a', 'b']).optional(),
      since: z.iso.datetime().optional(),
    }),
    output: Thing,
    errors: ['not_found'],
    idempotent: true,
  } as const
  const files = typescriptFiles(clientModel({ things: { make } }))
  const resources = fileOf(files, 'resources')
  expect(resources).toContain('   * Make a thing.\n   *\n   * It is put into a box.')
  expect(resources).toContain('   * Error codes: `not_found`.\n')
  expect(resources).toContain(
    '  make(boxId: string, number: number, params: ThingsMakeParams, options?: CallOptions & CreateOptions): ApiCall<Thing>',
  )
  expect(resources).toContain(
    "    make: { method: 'POST', path: '/boxes/{box_id}/things/{number}', answers: 'record', takes: 'body', idempotent: true },",
  )
  expect(resources).toContain('  readonly things: Things\n')
  const types = fileOf(files, 'types')
  expect(types).toContain('export type Thing = {\n  id: string\n  /** How old. */\n  state: Open<ThingState>\n}\n')
  expect(types).toContain("export type ThingState = 'new' | 'old'\n")
  // Enumerations of requests stay closed, so that the compiler finds a typing error.
  expect(types).toContain('  kind?: ThingsMakeParamsKind | undefined\n  since?: string | Date | undefined\n')
  expect(fileOf(files, 'values')).toContain("export const thingStates = ['new', 'old'] as const\n")
  expect(fileOf(files, 'schemas')).toContain('export const thingsMakeSchema: JsonSchema = {"type":"object"')
})
