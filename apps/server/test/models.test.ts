import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, sharedGateway } from './app.ts'

const modelsFile = `providers:
  openai: { kind: openai, api_key_env: OPENAI_API_KEY }
  local: { kind: openai-compatible, base_url: "http://127.0.0.1:9/v1" }
models:
  - { model: openai/gpt-5, price_per_million: { input: 1.25, output: 10 } }
  - { model: "local/*" }
`

const path = join(mkdtempSync(join(tmpdir(), 'models-')), 'models.yaml')
let app: App
beforeAll(async () => {
  writeFileSync(path, modelsFile)
  app = await sharedGateway({ ARS_MODELS_FILE: path })
})
afterAll(() => app.stop())

const list = async (query = '') => (await app.call('GET', `/v2/models${query}`)).body
const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)

test('the models that agents can use are listed with their prices', async () => {
  const { data, ...rest } = await list('?limit=100')
  expect(rest).toMatchObject({ object: 'list', has_more: false, first_id: 'local/*', last_id: 'simulated/stream' })
  expect(data).toEqual(
    expect.arrayContaining([
      {
        id: 'openai/gpt-5',
        object: 'model',
        provider: 'openai',
        is_pattern: false,
        price: {
          input_usd_per_million: 1.25,
          output_usd_per_million: 10,
          cached_input_usd_per_million: 1.25,
          cache_write_usd_per_million: 1.25,
          reasoning_usd_per_million: 10,
        },
        supports_tools: null,
      },
      { id: 'local/*', object: 'model', provider: 'local', is_pattern: true, price: null, supports_tools: null },
    ]),
  )
  expect(data).toContainEqual(expect.objectContaining({ id: 'simulated/script', supports_tools: true }))
  for (const { id, is_pattern } of data) {
    if (is_pattern || id === 'simulated/script') continue
    const made = await app.call('POST', '/v2/agents/custom', { body: { name: id, config: { model: id } } })
    expect(made.status, made.text).toBe(201)
  }
})

test('the list of models is paged by id in both directions and searched by text', async () => {
  const all = idsOf(await list('?limit=100'))
  const first = await list('?limit=4')
  const second = await list(`?limit=4&after=${encodeURIComponent(first.last_id)}`)
  const back = await list(`?limit=4&before=${encodeURIComponent(second.first_id)}`)
  expect([first.has_more, ...idsOf(first), ...idsOf(second)]).toEqual([true, ...all.slice(0, 8)])
  expect(back.data).toEqual(first.data)
  expect(idsOf(await list('?q=GPT'))).toEqual(['openai/gpt-5'])
})

test('models that the operator has switched off are not listed', async () => {
  const without = await app.join('gateway', { ARS_MODELS_FILE: path, ARS_SIMULATED_MODELS: 'off' })
  const { body } = await app.call('GET', '/v2/models', { url: without.url })
  expect(idsOf(body)).toEqual(['local/*', 'openai/gpt-5'])
})
