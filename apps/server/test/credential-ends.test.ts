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
import type { Organisation } from './access-matrix/people.ts'
import type { App } from './app.ts'
import { expectRefusals, type Idle, openRows, startIdle } from './credential-ends/refusals.ts'
import { type Ending, type Way, ways } from './credential-ends/ways.ts'

let idle: Idle
let app: App
let mine: Organisation
beforeAll(async () => {
  idle = await startIdle()
  app = idle.app
  mine = idle.mine
})
afterAll(() => app.stop())

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

// `credential-ends.slow.test.ts` waits for those that a gateway notices after some seconds only.
const noticedAtOnce = Object.entries(ways).filter(([, { isPublished }]) => isPublished)

describe('with Redis', () => {
  test.concurrent.for(noticedAtOnce)('%s: every open request and operation is refused', async ([name, way]) => {
    await expectRefusals(idle, app.url, name, way)
  })
})

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
