import type { CatalogAgent } from '@ars/contract'
import { createValidator } from '@ars/core/schemas'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type App, framesOf, patient, sharedGateway, textLeftOf } from './app.ts'
import { createOwnCatalog, greeter } from './own-catalog.ts'

const { folderWith, catalogFolder, modelsFile, remove } = createOwnCatalog()
const validator = createValidator()
let app: App
let offered: CatalogAgent[]

beforeAll(async () => {
  app = patient(await sharedGateway({ ARS_CATALOG_FOLDER: catalogFolder, ARS_MODELS_FILE: modelsFile }))
  offered = (await app.call('GET', '/v2/catalog?limit=100')).body.data
})
afterAll(async () => {
  await app.stop()
  remove()
})

const hire = async (key: string, body: Record<string, unknown> = {}) => {
  const answer = await app.call('POST', `/v2/agents/${key}/deploy`, { body })
  expect(answer.body).toMatchObject({ object: 'agent', catalog_key: key })
  return answer.body
}

const run = async (agent: { id: string }, input: unknown, decision = 'approve') => {
  const begun = await app.call('POST', '/v2/runs', { body: { agent_id: agent.id, input } })
  if (begun.body.status !== 'requires_action') return begun.body
  await app.call('POST', `/v2/runs/${begun.body.id}/action`, { body: { type: decision } })
  const ended = await app.call('GET', `/v2/runs/${begun.body.id}/stream`)
  expect(ended.text).toContain('event: run.completed')
  return (await app.call('GET', `/v2/runs/${begun.body.id}`)).body
}

describe('the catalog', () => {
  test('is listed by key, built-in and operator agents, with all fields', async () => {
    const keys = offered.map(({ key }) => key)
    expect(keys).toEqual(keys.toSorted())
    expect(keys).toEqual(expect.arrayContaining(['classifier', 'greeter', 'summariser', 'test-echo']))
    expect(offered.filter(({ category }) => !['test', 'own'].includes(category)).length).toBeGreaterThanOrEqual(10)
    expect(offered.filter(({ needs_connector }) => needs_connector).map(({ key }) => key)).toEqual(['web-researcher'])
    expect(offered.every(({ config }) => !('script' in config))).toBe(true)
  })

  test('is paged by key in both directions, and searchable', async () => {
    const first = (await app.call('GET', '/v2/catalog?limit=2')).body
    expect(first).toMatchObject({ object: 'list', has_more: true, first_id: offered[0]?.id, last_id: offered[1]?.id })
    const second = (await app.call('GET', `/v2/catalog?limit=2&after=${first.last_id}`)).body
    expect(second.first_id).toBe(offered[2]?.id)
    const back = (await app.call('GET', `/v2/catalog?limit=2&before=${second.first_id}`)).body
    expect(back.data).toEqual(first.data)
    const found = (await app.call('GET', '/v2/catalog?q=GLOSSARY')).body
    expect(found.data.map(({ key }: CatalogAgent) => key)).toEqual(['translator'])
  })

  test('shows each agent by key, and an unknown key is 404', async () => {
    expect((await app.call('GET', '/v2/catalog/classifier')).body).toEqual(
      offered.find(({ key }) => key === 'classifier'),
    )
    for (const key of ['nobody', '%E2%82%AC', 'ag_01kf3xw0fqe1vrr9m8sdv2wbx4', 'constructor']) {
      expect(await app.call('GET', `/v2/catalog/${key}`)).toMatchObject({
        status: 404,
        body: { error: { code: 'not_found' } },
      })
    }
  })
})

describe('a hired agent', () => {
  test('[S19] runs without any model, for every agent of the catalog, and its output matches its schema', async () => {
    for (const { key, output_schema, sample_input, sample_output } of offered) {
      const ended = await run(await hire(key), sample_input)
      if (key === 'test-fail') {
        expect(ended).toMatchObject({ status: 'failed', error: { code: 'tool_error', message: sample_input.message } })
        continue
      }
      expect({ key, status: ended.status, error: ended.error }).toEqual({ key, status: 'completed', error: null })
      if (output_schema)
        expect({ key, problems: validator.faultsOf(output_schema, ended.output) }).toEqual({ key, problems: [] })
      else if (sample_output) expect(ended.output).toEqual(sample_output)
    }
  })

  test('refuses input that does not match its schema', async () => {
    const agent = await hire('summariser')
    for (const input of [{}, { text: '' }, { text: 'a', colour: 'red' }, { text: 'a', length: 'endless' }]) {
      const refused = await app.call('POST', '/v2/runs', { body: { agent_id: agent.id, input } })
      expect([refused.status, refused.body.error.code]).toEqual([422, 'input_invalid'])
    }
  })

  test('answers with the customer’s labels and fields, and also as a stream', async () => {
    const labels = [{ name: 'Größe' }, { name: 'Farbe' }]
    expect((await run(await hire('classifier'), { text: 'rot', labels })).output.label).toBe('Größe')
    const fields = [{ name: 'iban' }, { name: 'total', type: 'number' }]
    const agent = await hire('extractor')
    const body = { agent_id: agent.id, input: { text: 'an invoice', fields } }
    const frames = framesOf((await app.call('POST', '/v2/runs/stream', { body })).text)
    const said = JSON.parse(textLeftOf(frames))
    expect(said.fields.map(({ name }: { name: string }) => name)).toEqual(['iban', 'total'])
    expect(frames.at(-1)).toMatchObject({ event: 'run.completed', data: { run: { output: said } } })
  })

  test('asks a person before a reply is sent, and reports the decision', async () => {
    const agent = await hire('support-triage')
    const input = { message: 'Where is my refund?', customer: 'Ada' }
    const waiting = (await app.call('POST', '/v2/runs', { body: { agent_id: agent.id, input } })).body
    expect(waiting.required_actions).toMatchObject([
      { type: 'approval', tool_call: { name: 'send_reply', arguments: { to: 'Ada' } } },
    ])
    expect((await run(agent, input, 'approve')).output.approval).toBe('approved')
    expect((await run(agent, input, 'reject')).output.approval).toBe('rejected')
  })

  test('with a model chosen by the customer has no script', async () => {
    const { config } = await hire('summariser', { config: { model: 'local/small', temperature: 1 } })
    expect(config).toMatchObject({ model: 'local/small', temperature: 1, max_output_tokens: 2000 })
    expect(config).not.toHaveProperty('script')
  })

  test('is offered a newer catalog version, and stays unchanged until that is taken', async () => {
    const agent = await hire('greeter')
    const newer = await app.join('gateway', {
      ARS_CATALOG_FOLDER: folderWith({ 'greeter.yaml': greeter(2, 'Good evening') }),
    })
    onTestFinished(() => newer.stop())
    const at = { url: newer.url }
    expect((await app.call('GET', `/v2/agents/${agent.id}`, at)).body).toMatchObject({
      catalog_version: 1,
      catalog_latest: 2,
      version: 1,
    })
    expect((await run(agent, { name: 'Ada' })).output).toEqual({ result: 'Hello Ada' })
    const taken = await app.call('PATCH', `/v2/agents/${agent.id}`, { ...at, body: { catalog_version: 2 } })
    expect(taken.body).toMatchObject({ catalog_version: 2, version: 2, deployment: { status: 'active' } })
    expect((await run(agent, { name: 'Ada' })).output).toEqual({ result: 'Good evening Ada' })
  })
})

test('hired agents use the operator’s model, and the test agents stay unchanged', async () => {
  const gateway = await app.join('gateway', { ARS_CATALOG_MODEL: 'local/small' })
  onTestFinished(() => gateway.stop())
  const modelOf = async (key: string, body = {}) =>
    (await app.call('POST', `/v2/agents/${key}/deploy`, { url: gateway.url, body })).body.config
  expect((await app.call('GET', '/v2/catalog/translator', { url: gateway.url })).body.config.model).toBe('local/small')
  expect(await modelOf('translator')).toMatchObject({ model: 'local/small' })
  expect(await modelOf('test-echo')).toEqual({ model: 'simulated/echo' })
  const tried = await modelOf('translator', { config: { model: 'simulated/script' } })
  expect(tried.script).toBeInstanceOf(Array)
})

test('each test agent has a schema that a form can be drawn from, and takes fields that it does not name', async () => {
  const names = Object.keys(app.tenant.agents).filter((name) => name.startsWith('test-'))
  expect(names).toHaveLength(7)
  for (const name of names) {
    const { body: agent } = await app.call('GET', `/v2/agents/${app.tenant.agents[name]}`)
    const { body: offer } = await app.call('GET', `/v2/catalog/${name}`)
    expect(agent.input_schema).toEqual(offer.input_schema)
    expect(agent.input_schema).toMatchObject({ type: 'object', examples: [offer.sample_input] })
    for (const part of Object.values<{ type: string; description: string }>(agent.input_schema.properties)) {
      expect([part.type, part.description]).toEqual([
        expect.stringMatching(/^(string|number|object)$/),
        expect.any(String),
      ])
    }
    // A negative number and an unknown code are ignored, as without a schema.
    const input = { ...offer.sample_input, seconds: 0, steps: -1, code: 'unknown', more: [1] }
    const made = await app.call('POST', '/v2/runs', {
      body: { agent_id: agent.id, input },
      headers: { prefer: 'respond-async' },
    })
    expect([name, made.status]).toEqual([name, 202])
  }
})

test('an invalid operator file prevents the start and is reported with path and line', async () => {
  const folder = folderWith({ 'greeter.yaml': greeter(1, 'Hello').replace('version: 1', 'version: none') })
  await expect(app.join('gateway', { ARS_CATALOG_FOLDER: folder })).rejects.toThrow(
    `${folder}/greeter.yaml, version (line 2): must be a number`,
  )
})
