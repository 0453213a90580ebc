import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromUuid } from '@ars/platform/id'
import { testEngine, testRedisUrl } from '@ars/testkit/stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, framesOf, startApp, type Tenant } from './app.ts'
import { arsServer } from './ars-server.slow.ts'

// A hostile organisation, with valid credentials, uses both cells while it is moved from one to the other.
const dir = mkdtempSync(join(tmpdir(), 'ars-move-attacked-'))
const kek = `dev:${randomBytes(32).toString('base64')}`
let old: App
let fresh: App
let neighbour: Tenant

beforeAll(async () => {
  const env = { ARS_KEKS: kek, ARS_EGRESS_ALLOW_RANGES: '127.0.0.0/8', ARS_EGRESS_ALLOW_PORTS: 'any' }
  // Each cell has a separate engine and Redis.
  const engine = testEngine('shared')
  const ofFresh = {
    ARS_REDIS_URL: testRedisUrl('shared'),
    ARS_ENGINE_INGRESS_URL: engine.ingressUrl,
    ARS_ENGINE_ADMIN_URL: engine.adminUrl,
    ARS_ENGINE_METRICS_URL: engine.metricsUrl,
    ARS_ENGINE_IDENTITY_KEY: engine.identityKey,
  }
  ;[old, fresh] = [await startApp({ env }), await startApp({ env: { ...env, ...ofFresh } })]
  neighbour = await old.addTenant()
})
afterAll(async () => {
  await old?.stop()
  await fresh?.stop()
  rmSync(dir, { recursive: true, force: true })
})

const settingsOf = (app: App) => ({ ...app.env, ARS_DATABASE_OWNER_URL: app.database.ownerUrl })
const admin = (...args: string[]) => arsServer(['admin', ...args], settingsOf(old))

const move = (org: string) => {
  const file = join(dir, 'fresh.env')
  const lines = Object.entries(settingsOf(fresh)).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(file, lines.join(''), { mode: 0o600 })
  return admin('move-org', '--org', fromUuid('org', org), '--to', file, '--json')
}

test('credentials, idempotency keys and streams work in one cell at a time, and nothing of the move reaches others', async () => {
  const { org, key, agents } = old.tenant
  const at = (
    app: App,
    method: string,
    path: string,
    body?: object,
    more: { key?: string; headers?: Record<string, string> } = {},
  ) => app.call(method, `/v2${path}`, { key, ...(body && { body }), ...more })
  const made = async (path: string, body: object) => {
    const answer = await at(old, 'POST', path, body)
    expect([200, 201, 202], answer.text).toContain(answer.status)
    return answer.body
  }
  const echo = { agent_id: agents['test-echo'], input: { query: 'hello' } }
  const token = (await made('/session-tokens', { scopes: ['runs:read', 'runs:write'] })).token
  const { key: revoked, id: revokedId } = await made('/api-keys', { name: 'Revoked', scopes: ['runs:read'] })
  expect((await at(old, 'DELETE', `/api-keys/${revokedId}`)).status).toBe(200)
  const steps = { agent_id: agents['test-steps'], input: { steps: 40, delay_ms: 500 } }
  const { body: long } = await at(old, 'POST', '/runs', steps, { headers: { prefer: 'respond-async' } })
  const stranger = (await fresh.call('GET', '/v2/runs', { key: fresh.tenant.key })).body
  for (const credential of [key, token])
    expect((await at(fresh, 'GET', '/runs', undefined, { key: credential })).status).toBe(401)

  // Each request is sent to both cells until one of them has answered it, and then to both once more.
  const accepted = new Map<string, Set<string>>()
  let isOver = false
  const attack = async (n: number): Promise<void> => {
    for (let round = 0; !isOver; round++) {
      const headers = { 'idempotency-key': `attack-${n}-${round}`, prefer: 'respond-async' }
      const ids = new Set<string>()
      for (let tries = 0; tries < 500 && ids.size === 0; tries++)
        for (const app of [old, fresh, old, fresh]) {
          const answer = await at(app, 'POST', '/runs', echo, { headers })
          if (answer.status < 300) ids.add(answer.body.id)
          else expect([401, 429, 503], answer.text).toContain(answer.status)
        }
      accepted.set(headers['idempotency-key'], ids)
    }
  }
  const attackers = [attack(0), attack(1)]
  await expect.poll(() => accepted.size).toBeGreaterThan(5)
  const stream = old.call('GET', `/v2/runs/${long.id}/stream`, { key })
  const moved = await move(org)
  expect(moved, moved.stderr).toMatchObject({ code: 0 })
  const before = accepted.size
  await expect.poll(() => accepted.size).toBeGreaterThan(before + 5)
  isOver = true
  await Promise.all(attackers)
  expect([...accepted].filter(([, ids]) => ids.size !== 1)).toEqual([])
  const keyed = await fresh.query<{ runs: number }>(
    `select count(*)::integer as runs from idempotency_keys where org_id = $1 and key like 'attack-%'`,
    [org],
  )
  expect(keyed).toEqual([{ runs: accepted.size }])

  // The stream ended with the organisation, and goes on in the other cell.
  const frames = framesOf((await stream).text)
  expect(frames.some(({ event }) => event === 'run.completed')).toBe(false)
  const headers = { 'last-event-id': frames.at(-1)?.id ?? '' }
  const rest = framesOf((await at(fresh, 'GET', `/runs/${long.id}/stream`, undefined, { headers })).text)
  expect(rest.at(-1)?.event).toBe('run.completed')

  // The old cell does nothing with any credential, and says nothing about anything.
  const calls: [string, string, object?][] = [
    ['GET', '/runs'],
    ['GET', `/runs/${long.id}`],
    ['GET', `/runs/${long.id}/stream`],
    ['POST', '/runs', echo],
    ['DELETE', `/runs/${long.id}`],
    ['DELETE', `/runs/${long.id}/data`],
    ['PATCH', '/organisation', { name: 'Taken' }],
    ['POST', '/api-keys', { name: 'Late', scopes: ['runs:read'] }],
    ['POST', '/session-tokens', { scopes: ['runs:read'] }],
    ['GET', '/events'],
    ['GET', '/audit-log'],
  ]
  for (const [method, path, body] of calls) {
    const answer = await at(old, method, path, body)
    expect({ method, path, status: answer.status }).toEqual({ method, path, status: 503 })
    expect(answer.text).not.toContain('hello')
  }
  for (const credential of [token, revoked])
    expect([401, 503]).toContain((await at(old, 'GET', '/runs', undefined, { key: credential })).status)

  // In the new one they are what they were, and one that is revoked there comes back nowhere.
  expect((await at(fresh, 'GET', '/runs', undefined, { key: revoked })).status).toBe(401)
  expect((await at(fresh, 'GET', '/runs', undefined, { key: token })).status).toBe(200)
  const { id: own } = (await at(fresh, 'GET', '/api-keys')).body.data.find(
    ({ name }: { name: string }) => name === 'test',
  )
  expect((await at(fresh, 'DELETE', `/api-keys/${own}`)).status).toBe(200)
  for (const credential of [key, token]) {
    await expect.poll(async () => (await at(fresh, 'GET', '/runs', undefined, { key: credential })).status).toBe(401)
    expect([401, 503]).toContain((await at(old, 'GET', '/runs', undefined, { key: credential })).status)
  }

  // Neighbours in both cells saw nothing.
  expect(
    (
      await old.call('POST', '/v2/runs', {
        key: neighbour.key,
        body: { ...echo, agent_id: neighbour.agents['test-echo'] },
      })
    ).body,
  ).toMatchObject({ status: 'completed' })
  expect((await fresh.call('GET', '/v2/runs', { key: fresh.tenant.key })).body).toEqual(stranger)
  const [{ name }] = (await old.query<{ name: string }>('select name from organisations where id = $1', [org])) as [
    { name: string },
  ]
  expect(await admin('delete-org', '--org', fromUuid('org', org), '--confirm', name)).toMatchObject({ code: 0 })
  expect((await at(old, 'GET', '/runs')).status).toBe(401)
}, 600_000)
