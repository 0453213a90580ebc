import { apiBasePath } from '@ars/contract'
import { createAccess } from '@ars/core/access'
import type { Caller } from '@ars/core/ctx'
import { createPeople, scopesOfRole } from '@ars/core/people'
import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import { fakeClock } from '@ars/testkit/clock'
import type { FastifyRequest } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCredentialWatch, credentialRecheckMs, type Lapse } from '../src/gateway/admit/credential-watch.ts'
import type { Credential } from './access-matrix/credentials.ts'
import { type Row, readRows } from './access-matrix/operations.ts'
import { newId, type Organisation, plantPerson } from './access-matrix/people.ts'
import { type App, startApp, until } from './app.ts'
import { type Asked, type OpenRequest, openRequest } from './credential-ends/open-request.ts'
import { type Ending, type Way, ways } from './credential-ends/ways.ts'

/*
 * Every way in which a credential ends × every stream, every request that waits, a body that is still being sent, and
 * every operation of the contract. All is generated: a new operation or stream needs no new test.
 */

let app: App
let mine: Organisation
let runId: string
let pipelineId: string
const gateways: Record<string, string> = {}

beforeAll(async () => {
  // There is no worker: the runs of the open requests stay queued for as long as the test lasts.
  app = await startApp({ role: 'gateway' })
  const alone = await app.join('gateway', { ARS_REDIS_URL: 'redis://127.0.0.1:1', ARS_PUBLIC_URL: app.url })
  Object.assign(gateways, { 'with Redis': app.url, 'while Redis is away': alone.url })
  const tenant = await app.addTenant()
  mine = { ...tenant, marker: 'ends', person: await plantPerson(app, { ...tenant, marker: 'ends' }, 'owner') }
  const made = await app.call('POST', '/v2/runs', { key: mine.key, body: slowRun(), headers: async })
  runId = made.body.id
  const definition = { steps: [{ key: 'slow', agent_id: mine.agents['test-slow'] }] }
  const pipeline = await app.call('POST', '/v2/pipelines', { key: mine.key, body: { name: 'Slow', definition } })
  pipelineId = pipeline.body.id
})
afterAll(() => app.stop())

const async = { prefer: 'respond-async' }
const slowRun = (marker = '') => ({
  agent_id: mine.agents['test-slow'],
  input: { seconds: 300 },
  metadata: { marker },
})

const rows = readRows()
const authenticated = rows.filter(({ operation }) => operation.scope !== 'anyone')

type OpenRow = { row: Row; kind: 'streams' | 'waits' | 'sends' }

/** The requests that can be open while a credential ends, from the contract. */
const openRows = authenticated.flatMap((row): OpenRow[] => {
  const { streams, prefers } = row.operation
  if (streams) return [{ row, kind: 'streams' }]
  return prefers ? (['waits', 'sends'] as const).map((kind) => ({ row, kind })) : []
})

const pathOf = ({ operation, pathIds }: Row, ids: Readonly<Record<string, string>> = { run: runId }): string =>
  apiBasePath +
  operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const prefix = pathIds[name] ?? ''
    return ids[prefix] ?? newId(prefix as 'run')
  })

type Own = { marker: string; ids: Readonly<Record<string, string>> }

const askedOf = ({ row, kind }: OpenRow, { marker, ids }: Own): Asked => ({
  method: row.operation.method,
  path: pathOf(row, ids),
  ...(row.operation.method === 'POST' ? { body: slowRun(marker) } : {}),
  ...(kind === 'waits' ? { headers: { prefer: 'wait=300' } } : {}),
  ...(kind === 'sends' ? { holdsBody: true } : {}),
})

test('the contract has the streams and the wait that this test opens', () => {
  expect(openRows.map(({ row, kind }) => `${row.name} ${kind}`)).toEqual([
    'runs.create waits',
    'runs.create sends',
    'runs.stream streams',
    'runs.watch streams',
    'events.watch streams',
    'pipelineRuns.watch streams',
  ])
})

describe.for(['with Redis', 'while Redis is away'])('%s', (where) => {
  test.concurrent.for(Object.entries(ways))('%s: every open request and operation is refused', async ([name, way]) => {
    const url = gateways[where] ?? ''
    const marker = `${where}: ${name}`
    const { credential, end } = await way.begin(app, mine)
    // A token sees only the runs that it created.
    const headers = { ...credential.headers, ...async }
    const { body: own } = await app.call('POST', '/v2/runs', { ...credential, url, headers, body: slowRun() })
    const started = await app.call('POST', `/v2/pipelines/${pipelineId}/runs`, { ...credential, url, body: {} })
    const asked = { marker, ids: { run: own.id as string, plr: started.body.id as string } }
    const opened = openRows.map((each) => ({ ...each, request: openRequest(url, credential, askedOf(each, asked)) }))
    for (const { kind, request } of opened) if (kind === 'streams') await begun(request)
    await until('the run that is waited for and the streamed one', async () => {
      const [row] = await app.query<{ n: number }>(
        `select count(*)::int as n from runs where org_id = $1 and metadata ->> 'marker' = $2`,
        [mine.org, marker],
      )
      return row?.n === 2
    })
    await end()
    for (const { kind, request, row } of opened) {
      if (kind === 'sends') continue
      await until(`the end of ${row.name}`, async () => request.isOver())
      if (kind === 'waits') expect([request.status(), codeOf(request)]).toEqual(refusalOf(way))
      else expect(request.text()).toMatch(/retry: \d+\n\n$/)
    }
    const sending = opened.filter(({ kind }) => kind === 'sends')
    for (const { request } of sending) {
      request.finish()
      await until('the refusal', async () => request.isOver())
      expect([request.status(), codeOf(request)]).toEqual(refusalOf(way))
    }
    const wrong = await refuseAll(url, credential, way)
    expect(wrong).toEqual([])
  })
})

const begun = (request: OpenRequest): Promise<unknown> =>
  until('the stream', async () => request.status() === 200 && request.text().includes('retry:'))

const codeOf = (request: OpenRequest): string => JSON.parse(request.text()).error.code
const refusalOf = ({ effect }: Way): [number, string] =>
  effect === 'ended' ? [401, 'unauthorized'] : [403, 'forbidden']

/** An ended credential is refused by every operation; a lessened one by those that need the lost permission. */
const refuseAll = async (url: string, credential: Credential, { effect }: Way): Promise<string[]> => {
  const tried = effect === 'ended' ? authenticated : authenticated.filter(({ name }) => name === 'runs.create')
  const wrong: string[] = []
  for (const row of tried) {
    const { method } = row.operation
    const hasBody = method === 'POST' || method === 'PATCH'
    const { status } = await app.call(method, pathOf(row), {
      ...credential,
      url,
      ...(hasBody ? { body: row.name === 'runs.create' ? slowRun() : {} } : {}),
    })
    if (status !== (effect === 'ended' ? 401 : 403)) wrong.push(`${row.name}: ${status}`)
  }
  return wrong
}

describe('the bound of 5 seconds', () => {
  const databases: Database[] = []
  const open = (url: string): Database => {
    const log = createLog({ level: 'silent' })
    const database = openDatabase({ url, name: 'test', size: 2, acquireTimeoutMs: 30_000, log })
    databases.push(database)
    return database
  }
  afterAll(() => Promise.all(databases.map((each) => each.close())))

  /** A gateway without Redis whose time passes only when the test says so. */
  const gatewayWithoutRedis = () => {
    const clock = fakeClock()
    const log = createLog({ level: 'silent' })
    let lookUps = 0
    const plain = open(app.database.authUrl)
    const auth: Database = {
      ...plain,
      once: (org, statement) => {
        if (/^(access\.find_|people\.find_session)/.test(statement.name ?? '')) lookUps++
        return plain.once(org, statement)
      },
    }
    const parts = { app: open(app.database.appUrl), auth, system: auth, clock, log, newId: createIdMaker(systemClock) }
    const access = createAccess({ ...parts, pubSub: lostPubSub, scopesOfRole })
    const people = createPeople({ ...parts, keys: access.tree, pubSub: lostPubSub, config: { publicUrl: app.url } })
    const watch = createCredentialWatch({ access, people, clock, recheckMs: 2 ** 30 })
    const close = async (): Promise<void> => {
      watch.close()
      await access.close()
      await people.close()
    }
    const admit = async ({ key, headers }: Credential): Promise<FastifyRequest> => {
      const cookie = headers?.cookie
      const bearer = typeof key === 'string' ? { authorization: `Bearer ${key}` } : { cookie }
      const caller = await (typeof key === 'string'
        ? access.authenticate(key)
        : people.authenticateSession(cookie?.split('=')[1] ?? ''))
      return { raw: { headers: bearer, rawHeaders: [] }, caller: caller as Caller } as unknown as FastifyRequest
    }
    return { clock, watch, admit, close, lookUps: () => lookUps }
  }

  test.for(Object.entries(ways))('%s: it is noticed within 5 s of the clock, without Redis', async ([, way]) => {
    const gateway = gatewayWithoutRedis()
    try {
      const { credential, end }: Ending = await way.begin(app, mine)
      // Cached a moment before the end: the worst case.
      const request = await gateway.admit(credential)
      const lapses: Lapse[] = []
      gateway.watch.add(request, (lapse) => lapses.push(lapse))
      await gateway.watch.recheck()
      expect(lapses).toEqual([])
      await end()
      let passedMs = 0
      for (; lapses.length === 0 && passedMs < 10_000; passedMs += credentialRecheckMs) {
        gateway.clock.advance(credentialRecheckMs)
        await gateway.watch.recheck()
      }
      expect(lapses).toEqual([way.effect])
      expect(passedMs).toBeLessThanOrEqual(5_000)
    } finally {
      await gateway.close()
    }
  })

  test('a hundred streams of one credential cost one look-up per interval, and none after they have ended', async () => {
    const gateway = gatewayWithoutRedis()
    try {
      const { credential, end } = await (ways['key revoked'] as Way).begin(app, mine)
      const request = await gateway.admit(credential)
      const lapses: Lapse[] = []
      const before = gateway.lookUps()
      for (let n = 0; n < 100; n++) gateway.watch.add(request, (lapse) => lapses.push(lapse))
      for (let n = 0; n < 5; n++) {
        gateway.clock.advance(5_000)
        await gateway.watch.recheck()
      }
      expect(gateway.lookUps() - before).toBe(5)
      await end()
      gateway.clock.advance(5_000)
      await gateway.watch.recheck()
      expect(lapses).toHaveLength(100)
      gateway.clock.advance(5_000)
      await gateway.watch.recheck()
      expect(gateway.lookUps() - before).toBe(6)
    } finally {
      await gateway.close()
    }
  })

  test('an added permission ends nothing, and an open stream keeps no session alive', async () => {
    const gateway = gatewayWithoutRedis()
    try {
      const lapses: Lapse[] = []
      const key = await app.call('POST', '/v2/api-keys', {
        key: mine.key,
        body: { name: 'few', scopes: ['runs:read'], agent_ids: [mine.agents['test-echo']] },
      })
      gateway.watch.add(await gateway.admit({ key: key.body.key }), (lapse) => lapses.push(lapse))
      const wider = { scopes: ['runs:read', 'runs:write'], agent_ids: null }
      await app.call('PATCH', `/v2/api-keys/${key.body.id}`, { key: mine.key, body: wider })
      const { credential } = await (ways['session idle'] as Way).begin(app, mine)
      const request = await gateway.admit(credential)
      gateway.watch.add(request, (lapse) => lapses.push(lapse))
      const cookie = String(credential.headers?.cookie)
      const unseen = `update sessions set seen_at = app_now() - interval '2 hours' where org_id = $1 returning seen_at`
      await app.query(unseen, [mine.org])
      for (let n = 0; n < 3; n++) {
        gateway.clock.advance(5_000)
        await gateway.watch.recheck()
      }
      expect(lapses).toEqual([])
      await gateway.close()
      const [left] = await app.query<{ n: number }>(
        `select count(*)::int as n from sessions where org_id = $1 and seen_at > app_now() - interval '1 hour'`,
        [mine.org],
      )
      expect([cookie.length > 0, left?.n]).toEqual([true, 0])
    } finally {
      await gateway.close().catch(() => undefined)
    }
  })
})

const lostPubSub: PubSub = {
  publish: () => undefined,
  subscribe: () => Promise.resolve(),
  unsubscribe: () => undefined,
  isUp: () => false,
  version: () => Promise.reject(new Error('away')),
  close: () => undefined,
}
