import { randomBytes } from 'node:crypto'
import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createEgress } from '@ars/platform/egress/egress'
import { createKeyring, parseKek } from '@ars/platform/envelope'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { testCaller, testRequest } from '@ars/testkit/caller'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addOrganisation } from '../../test/add-organisation.ts'
import { createSecrets } from '../secrets/index.ts'
import { testAgents } from './agents.fixture.ts'
import { agentsBounds } from './bounds.ts'
import { openRemoteSecrets, SecretsLost } from './remote-agent.service.ts'
import type { NewAuth } from './remote-agent.ts'
import { type RemoteConfig, readRemoteConfig } from './remote-agent.ts'

const newId = createIdMaker(systemClock)
const keyring = createKeyring({ keks: [parseKek(`k1:${randomBytes(32).toString('base64')}`)], activeKekId: 'k1' })
const egress = createEgress()
const url = 'https://agent.example.com/run'
const token = 'a-credential-that-nobody-may-read'
let database: TestDatabase
let app: Database
let org: string

beforeAll(async () => {
  database = await createTestDatabase()
  app = openDatabase({
    url: database.appUrl,
    name: 'app',
    size: 2,
    log: createLog({ level: 'silent' }),
    acquireTimeoutMs: 30_000,
  })
  org = await addOrganisation(database)
})
afterAll(async () => {
  egress.close()
  await app.close()
  await database.drop()
})

const agents = () => testAgents({ app, newId, egress, keyring })
const make = async (auth?: NewAuth, address = url) => {
  const config = { url: address, ...(auth && { auth }) }
  const { body } = await agents().create(testRequest(org), { name: 'Mine', kind: 'remote', config })
  return body
}
const configOf = async (id: string): Promise<RemoteConfig> => {
  const agent = await agents().get(testCaller(org), id as `ag_${string}`)
  return readRemoteConfig(agent.config) as RemoteConfig
}

test('a new remote agent has a signing secret that is shown once and that the worker can decrypt', async () => {
  const made = await make({ type: 'bearer', token })
  const config = await configOf(made.id)
  expect(config).toEqual({ url, auth: { type: 'bearer', header: null, hint: '…read' } })
  const opened = await openRemoteSecrets({ app, secrets: createSecrets({ app, keyring }) }, org, {
    id: toUuid(made.id),
    version: 1,
    config,
  })
  expect(opened).toEqual({ signing_secret: made.signing_secret, credential: token })
})

test('neither the agent nor its row contains a secret', async () => {
  const auth = { type: 'header', header: 'X-Api-Key', value: token } as const
  const made = await make(auth)
  const wire = agents().toWireAgent(await agents().get(testCaller(org), made.id))
  expect(wire).toMatchObject({ kind: 'remote', source: 'custom', config: { auth: { header: 'x-api-key' } } })
  const { row, secrets } = await asClient(database.superuserUrl, async (client) => {
    const text =
      'select row_to_json(v)::text || row_to_json(a)::text as row, a.secrets from agents a join agent_versions v on v.agent_id = a.id where id = $1'
    const found = await client.query<{ row: string; secrets: Buffer }>(text, [toUuid(made.id)])
    return found.rows[0] ?? { row: '', secrets: Buffer.alloc(0) }
  })
  expect(secrets.length).toBeGreaterThan(100)
  for (const shown of [JSON.stringify(wire), row, secrets.toString('latin1')]) {
    expect(shown).not.toContain(token)
    expect(shown).not.toContain(made.signing_secret as string)
  }
})

test('the secrets of an agent do not decrypt for another address, agent or organisation', async () => {
  const made = await make({ type: 'bearer', token })
  const other = await make({ type: 'bearer', token })
  const stranger = await addOrganisation(database, 'Other')
  const deps = { app, secrets: createSecrets({ app, keyring }) }
  const config = await configOf(made.id)
  const elsewhere = { ...config, url: 'https://evil.example.com/' }
  const id = toUuid(made.id)
  await expect(openRemoteSecrets(deps, org, { id, version: 1, config: elsewhere })).rejects.toBeInstanceOf(SecretsLost)
  await expect(openRemoteSecrets(deps, stranger, { id, version: 1, config })).rejects.toBeInstanceOf(SecretsLost)
  await asClient(database.superuserUrl, (client) =>
    client.query(
      'update agent_versions set secrets = (select secrets from agent_versions where agent_id = $1) where agent_id = $2',
      [id, toUuid(other.id)],
    ),
  )
  await expect(openRemoteSecrets(deps, org, { id: toUuid(other.id), version: 1, config })).rejects.toBeInstanceOf(
    SecretsLost,
  )
  await expect(openRemoteSecrets(deps, org, { id, version: 1, config })).resolves.toMatchObject({ credential: token })
})

test('a forbidden address is refused before anything is stored', async () => {
  for (const bad of [
    'http://agent.example.com/',
    'https://127.0.0.1/',
    'https://localhost/',
    'https://a.example.com:22/',
  ])
    await expect(make(undefined, bad)).rejects.toMatchObject({ code: 'url_not_allowed', param: 'config.url' })
})

test('a remote agent cannot be created without an encryption key for secrets', async () => {
  const without = testAgents({ app, newId, egress })
  const asked = { name: 'Mine', kind: 'remote', config: { url } } as const
  await expect(without.create(testRequest(org), asked)).rejects.toMatchObject({ code: 'secrets_disabled' })
})

test('a credential of an agent that others change all the time is refused after the tries of agentsBounds.updateTries', async () => {
  const made = await make({ type: 'bearer', token })
  const agent = await agents().get(testCaller(org), made.id as `ag_${string}`)
  let tries = 0
  // Each time, another version is there when the lock is held.
  const moving: Database = {
    ...app,
    transaction: (owner, work) =>
      app.transaction(owner, (tx) =>
        work({
          query: async (statement) => {
            const rows = await tx.query(statement)
            if (statement.name !== 'agents.lock') return rows
            tries++
            return rows.map((row) => ({ ...row, version: 1_000 + tries }))
          },
        }),
      ),
  }
  const update = testAgents({ app: moving, newId, egress, keyring }).update(
    { ...testRequest(org), agentIds: null },
    { config: { auth: { type: 'bearer', token: 'another-credential' } } },
    agent,
  )
  await expect(update).rejects.toMatchObject({ code: 'unavailable', reason: 'contended', retryAfterSeconds: 1 })
  expect(tries).toBe(agentsBounds.updateTries.count)
  expect(await configOf(made.id)).toEqual({ url, auth: { type: 'bearer', header: null, hint: '…read' } })
})
