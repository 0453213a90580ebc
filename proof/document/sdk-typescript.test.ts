import { contract } from '@ars/contract'
import { allOperations } from '@ars/tools/gen/document'
import { buildDocument } from '@ars/tools/gen/openapi'
import { sdkFiles } from '@ars/tools/gen/sdk-typescript'
import { expect, test } from 'vitest'
import { z } from 'zod'

const fileOf = (files: Readonly<Record<string, string>>, name: string): string =>
  files[`sdks/typescript/src/generated/${name}.ts`] ?? ''

test('every operation that a key may call has a method in the SDK, and no other has', () => {
  const document = buildDocument(contract)
  const [, table = ''] = fileOf(sdkFiles(document), 'resources').split('const table')
  const rows = table.split('\n').filter((line) => line.includes('method: '))
  const callable = allOperations(document).filter(({ operation }) => !/^(auth|sessions)\./.test(operation.operationId))
  expect(rows).toHaveLength(callable.length)
  for (const { address, operation } of callable) {
    const [verb, path] = address.split(' ')
    const [, name] = operation.operationId.split('.')
    expect(table).toContain(`    ${name}: { method: '${verb}', path: '${path}', `)
  }
})

test('a new resource gets methods, types and descriptions without a line in the SDK', () => {
  const Thing = z.object({ id: z.string() }).meta({ id: 'Thing' })
  const make = {
    method: 'POST',
    path: '/boxes/{box_id}/things',
    summary: 'Make a thing',
    description: 'It is put into a box.',
    scope: 'runs:write',
    status: 201,
    input: z.strictObject({ box_id: z.string(), name: z.string() }),
    output: Thing,
    errors: [],
    idempotent: true,
  } as const
  const files = sdkFiles(buildDocument({ things: { make } }))
  const resources = fileOf(files, 'resources')
  expect(resources).toContain('   * Make a thing.\n   *\n   * It is put into a box.')
  expect(resources).toContain(
    '  make(boxId: string, params: ThingsMakeParams, options?: CallOptions & CreateOptions): Promise<Thing>',
  )
  expect(resources).toContain(
    "    make: { method: 'POST', path: '/boxes/{box_id}/things', answers: 'record', takes: 'body', idempotent: true },",
  )
  expect(resources).toContain('  readonly things: Things\n')
  expect(fileOf(files, 'types')).toContain("export type Thing = components['schemas']['Thing']\n")
  expect(fileOf(files, 'schema')).toMatch(/"things\.make": \{[^}]*\}/)
})
