import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from './app.ts'

// A vendor that accepts no key: the calls show with which one it was asked.
let vendor: Server
let app: App
const authorizations: string[] = []

beforeAll(async () => {
  vendor = createServer((request, response) => {
    authorizations.push(String(request.headers.authorization))
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message: `Incorrect key: ${request.headers.authorization}` } }))
  })
  vendor.listen(0, '127.0.0.1')
  await once(vendor, 'listening')
  const path = join(mkdtempSync(join(tmpdir(), 'keys-')), 'models.yaml')
  const url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}/v1`
  writeFileSync(
    path,
    `providers:\n  openai: { kind: openai, base_url: "${url}", api_key_env: OPERATORS }\nmodels:\n  - { model: openai/listed }\n`,
  )
  app = await startApp({
    env: {
      ARS_MODELS_FILE: path,
      OPERATORS: 'sk-of-the-operator',
      ARS_KEKS: `test:${randomBytes(32).toString('base64')}`,
    },
  })
})
afterAll(async () => {
  await app.stop()
  vendor.closeAllConnections()
  vendor.close()
})

const set = (provider: string, key: string, options: { key?: string } = {}) =>
  app.call('POST', '/v2/provider-keys', { body: { provider, key }, ...options })
const create = (model: string, options: { key?: string } = {}) =>
  app.call('POST', '/v2/agents/custom', { body: { name: model, config: { model } }, ...options })
const errorOf = async (agent_id: string) =>
  (await app.call('POST', '/v2/runs', { body: { agent_id, input: { query: 'hi' } } })).body.error

test('a key that is entered, replaced and deleted acts at the next call, and is never shown, logged or stored as it is', async () => {
  const { body: agent } = await create('openai/listed')
  const keys = ['sk-first-key-of-the-organisation', 'sk-other-key-of-the-organisation']
  await errorOf(agent.id)
  for (const key of keys) {
    const { status, text } = await set('openai', key)
    expect([status, text]).toEqual([200, expect.not.stringContaining(key)])
    const error = await errorOf(agent.id)
    expect(error).toMatchObject({ code: 'model_error', message: expect.stringContaining('the key is not accepted') })
    expect(JSON.stringify(error)).not.toContain(key)
  }
  const { body: listed, text } = await app.call('GET', '/v2/provider-keys')
  expect(listed.data).toMatchObject([{ id: 'openai', object: 'provider_key', key_hint: '…tion' }])
  await app.call('DELETE', '/v2/provider-keys/openai')
  await errorOf(agent.id)
  expect(authorizations).toEqual(['sk-of-the-operator', ...keys, 'sk-of-the-operator'].map((key) => `Bearer ${key}`))
  const [row] = await app.query<{ found: number }>(
    'select count(*)::integer as found from provider_keys where org_id = $1',
    [app.tenant.org],
  )
  expect(row?.found).toBe(0)
  const { text: audited } = await app.call('GET', '/v2/audit-log?limit=100')
  expect(audited).toMatch(/provider_key\.set.*/)
  expect(audited).toContain('provider_key.deleted')
  for (const key of keys) expect(text + audited).not.toContain(key)
})

test('the key is stored sealed', async () => {
  const key = 'sk-sealed-key-of-the-organisation'
  await set('anthropic', key)
  const [row] = await app.query<{ key: Buffer }>(`select key from provider_keys where provider = 'anthropic'`)
  expect(row?.key.includes(Buffer.from(key))).toBe(false)
  await app.call('DELETE', '/v2/provider-keys/anthropic')
})

test('a key makes the models of its provider usable, for its organisation only, and its deletion ends that', async () => {
  const other = await app.addTenant()
  const idsFor = async (key?: string) =>
    (await app.call('GET', '/v2/models?limit=100', key === undefined ? {} : { key })).body.data.map(
      ({ id }: { id: string }) => id,
    )
  expect((await create('google/gemini-x')).body.error.code).toBe('config_invalid')
  await set('google', 'g-key-of-the-organisation')
  expect([await idsFor(), await idsFor(other.key)].map((ids) => ids.includes('google/*'))).toEqual([true, false])
  const { status, body: agent } = await create('google/gemini-x')
  expect(status).toBe(201)
  expect((await create('google/gemini-x', { key: other.key })).body.error.code).toBe('config_invalid')
  expect((await app.call('PATCH', `/v2/agents/${agent.id}`, { body: { description: 'x' } })).status).toBe(200)
  await app.call('DELETE', '/v2/provider-keys/google')
  expect(await idsFor()).not.toContain('google/*')
  expect(await errorOf(agent.id)).toMatchObject({
    code: 'model_error',
    message: 'The provider google has no key here',
  })
})

test('a key needs keys:write and runs:read, a known provider and printable characters; deleting one that is not there has no effect', async () => {
  const { body } = await app.call('POST', '/v2/api-keys', {
    body: { name: 'x', scopes: ['agents:write', 'keys:read'] },
  })
  expect((await set('openai', 'sk-some-key', { key: body.key })).status).toBe(403)
  expect((await app.call('GET', '/v2/provider-keys', { key: body.key })).status).toBe(200)
  // The account of the vendor's key receives the conversations of all runs.
  const { body: writer } = await app.call('POST', '/v2/api-keys', { body: { name: 'x', scopes: ['keys:write'] } })
  const { status, text } = await set('openai', 'sk-key-of-an-attacker', { key: writer.key })
  expect([status, text]).toEqual([403, expect.stringContaining('runs:read')])
  expect((await set('local', 'sk-some-key')).status).toBe(400)
  expect((await set('openai', 'two words')).status).toBe(400)
  expect((await app.call('DELETE', '/v2/provider-keys/openai')).body).toEqual({
    id: 'openai',
    object: 'provider_key',
    deleted: true,
  })
})
