import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@ars/platform/log/log'
import { fakeClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createModels, type ModelService } from './model.service.ts'
import { requestFor } from './model-request.fixture.ts'

// A customer chooses the name of a model where the operator lists a star, and some vendors have the name in their path.
const paths: (string | undefined)[] = []
const vendor = createServer((request, response) => {
  paths.push(request.url)
  response.writeHead(404).end('{}')
})
let models: ModelService

beforeAll(async () => {
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`
  const file = join(mkdtempSync(join(tmpdir(), 'models-')), 'models.yaml')
  writeFileSync(
    file,
    `
providers:
  google: { kind: google, base_url: "${url}/v1beta", api_key_env: THE_KEY }
models:
  - { model: "google/*" }
  - { model: google/listed, provider_model: models/of-the-operator }
`,
  )
  const log = createLog({ level: 'silent' })
  models = createModels({ modelsFile: file, environment: { THE_KEY: 'key-1234' }, clock: fakeClock(), log })
})
afterAll(async () => {
  await models.close()
  vendor.closeAllConnections()
  vendor.close()
})

const call = (model: string, ownKey: string | null = null) =>
  models
    .call({ ...requestFor(model), ownKeys: { org: 'org', open: async () => ownKey } })
    .catch((error: Error) => error.message)

test.for([
  'google/../../private?x=',
  'google/../files?x=',
  'google/cachedContents?x=',
  'google/x#',
  'google/a/../../b',
  'google/./a',
  'google//a',
  'google/a/',
  'google/a%2f..%2fb',
  'google/a\\..\\b',
  'google/a b',
  'google/a\nb',
  // The same model under another pattern would have another price.
  'google/models/a',
])('the name %j of a model leads to no other path of its vendor, with no key', async (model) => {
  for (const ownKey of [null, 'key-of-the-organisation'])
    expect(await call(model, ownKey)).toMatch(/^There is no model/)
  expect(models.find(model)).toBeNull()
  expect(paths).toEqual([])
})

test('names that vendors give are called at the path of the model', async () => {
  for (const model of ['google/gemini-2.5-pro', 'google/tunedModels/mine-1', 'google/listed']) await call(model)
  expect(paths.splice(0)).toEqual(
    ['models/gemini-2.5-pro', 'tunedModels/mine-1', 'models/of-the-operator'].map(
      (name) => `/v1beta/${name}:streamGenerateContent?alt=sse`,
    ),
  )
  for (const name of ['meta-llama/Llama-3.1-8B', '@cf/meta/llama-3', 'ft:gpt-4o:org::id', 'hf.co/unsloth/Q:Q4_K_M'])
    expect(models.find(`google/${name}`)).not.toBeNull()
})
