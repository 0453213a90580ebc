import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readFields } from './given.ts'
import { operations } from './operation.ts'

const bodyOf = (id: string) => operations.find((operation) => operation.id === id)?.body ?? []

test('a secret is read from a file, and never taken from the command line', async () => {
  const inputs = bodyOf('providerKeys.set')
  const file = join(mkdtempSync(join(tmpdir(), 'key-')), 'key')
  writeFileSync(file, ' sk-key-of-a-vendor \nsecond line\n')
  expect(await readFields(inputs, { provider: 'openai', key: `@${file}` })).toEqual({
    provider: 'openai',
    key: 'sk-key-of-a-vendor',
  })
  const refused = readFields(inputs, { provider: 'openai', key: 'sk-key-of-a-vendor' })
  await expect(refused).rejects.toThrow(/^--key does not take the secret itself/)
  await expect(refused).rejects.not.toThrow('sk-key')
})

test('every field that is sent and never returned is a secret of the command line', () => {
  const secrets = operations.flatMap(({ id, body }) =>
    (body ?? []).flatMap(({ name, isSecret }) => (isSecret ? [`${id} ${name}`] : [])),
  )
  expect(secrets).toEqual(
    expect.arrayContaining(['providerKeys.set key', 'webhooks.create secret', 'webhooks.rotateSecret secret']),
  )
})
