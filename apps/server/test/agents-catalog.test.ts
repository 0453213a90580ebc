import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, sharedGateway, until } from './app.ts'

// Two gateways of one service, the second with the catalog of the next release.
let app: App
let folder: string
let newer: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'catalog-'))
  writeVersion('v1', { version: 1, temperature: 0.2, instructions: 'Version 1.', description: 'Sorts.' })
  writeVersion('v2', { version: 2, temperature: 0.4, instructions: 'Version 2.', description: 'Sorts better.' })
  app = await sharedGateway({ ARS_CATALOG_FOLDER: join(folder, 'v1') })
  newer = (await app.join('gateway', { ARS_CATALOG_FOLDER: join(folder, 'v2') })).url
})
afterAll(async () => {
  await app.stop()
  rmSync(folder, { recursive: true })
})

type Offer = { version: number; temperature: number; instructions: string; description: string }

const writeVersion = (name: string, { version, temperature, instructions, description }: Offer): void => {
  mkdirSync(join(folder, name))
  writeFileSync(
    join(folder, name, 'sorter.yaml'),
    `
key: sorter
version: ${version}
name: Sorter
description: ${description}
category: mail
config: { model: simulated/echo, instructions: ${instructions}, temperature: ${temperature} }
sample_input: { query: Hello }
sample_output: { result: Hello }
`,
  )
}

const hire = async (body: Record<string, unknown> = {}) =>
  (await app.call('POST', '/v2/agents/sorter/deploy', { body })).body
const patch = (id: string, body: unknown) => app.call('PATCH', `/v2/agents/${id}`, { url: newer, body })

test('[S27] a newer version of a catalog agent is offered to the organisations that hired it and never forced on them', async () => {
  const hired = await hire()
  expect([hired.catalog_version, hired.catalog_latest]).toEqual([1, 1])
  const { body: seen } = await app.call('GET', `/v2/agents/${hired.id}`, { url: newer })
  expect([seen.catalog_version, seen.catalog_latest, seen.version]).toEqual([1, 2, 1])
  expect(seen.config.instructions).toBe('Version 1.')
  const { body: taken } = await patch(hired.id, { catalog_version: 2 })
  expect(taken).toMatchObject({
    version: 2,
    catalog_version: 2,
    catalog_latest: 2,
    description: 'Sorts better.',
    config: { instructions: 'Version 2.', temperature: 0.4 },
    deployment: { source: 'update' },
  })
  expect((await patch(hired.id, { catalog_version: 2 })).body.deployment).toBeNull()
})

test('[S60] an upgrade to the newer version emits an event with the values before and after', async () => {
  const { id } = await hire()
  await patch(id, { catalog_version: 2 })
  const event = await until('the event', async () => {
    const { body } = await app.call('GET', '/v2/events?type=agent.updated')
    return body.data.find(({ data }: { data: { agent_id: string } }) => data.agent_id === id)
  })
  const [old, taken] = [
    { description: 'Sorts.', 'config.instructions': 'Version 1.', 'config.temperature': 0.2, catalog_version: 1 },
    {
      description: 'Sorts better.',
      'config.instructions': 'Version 2.',
      'config.temperature': 0.4,
      catalog_version: 2,
    },
  ]
  expect(event.data).toMatchObject({ version: { old: 1, new: 2 }, old, new: taken })
  expect(event.data.changed.toSorted()).toEqual(Object.keys(old).toSorted())
})

test('[S27] fields that the organisation changed, at the hire or since, keep their values in an upgrade', async () => {
  const hired = await hire({ name: 'Ours', config: { temperature: 1 } })
  await app.call('PATCH', `/v2/agents/${hired.id}`, { body: { description: 'Sorts our mail.' } })
  const { body } = await patch(hired.id, { catalog_version: 2, config: { max_output_tokens: 50 } })
  expect(body).toMatchObject({
    version: 3,
    catalog_version: 2,
    name: 'Ours',
    description: 'Sorts our mail.',
    config: { instructions: 'Version 2.', temperature: 1, max_output_tokens: 50 },
  })
})

test('only the current catalog version can be taken', async () => {
  const { id } = await hire()
  for (const version of [1, 3]) {
    const { status, body } = await patch(id, { catalog_version: version })
    expect([status, body.error.code, body.error.param]).toEqual([422, 'config_invalid', 'catalog_version'])
  }
})

test('an upgrade that was rolled back is offered again', async () => {
  const { id } = await hire()
  const rollout = { strategy: 'canary', traffic_percent: 10 }
  const { body } = await patch(id, { catalog_version: 2, rollout })
  const path = `/v2/deployments/${body.deployment.id}/rollback`
  expect((await app.call('POST', path, { url: newer, body: { reason: 'worse' } })).status).toBe(200)
  const { body: back } = await app.call('GET', `/v2/agents/${id}`, { url: newer })
  expect(back).toMatchObject({ version: 1, catalog_version: 1, catalog_latest: 2, config: { temperature: 0.2 } })
  expect((await patch(id, { catalog_version: 2 })).body).toMatchObject({ version: 3, config: { temperature: 0.4 } })
})

test('an agent with a script that gets a model loses the script', async () => {
  const { body: hired } = await app.call('POST', '/v2/agents/summariser/deploy', { body: {} })
  expect(hired.config).toMatchObject({ model: 'simulated/script', script: expect.any(Array) })
  const { body } = await patch(hired.id, { config: { model: 'simulated/echo' } })
  expect(body.config).not.toHaveProperty('script')
  expect(body.config.instructions).toBe(hired.config.instructions)
})
