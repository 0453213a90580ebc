import { type Database, openDatabase } from '@ars/platform/db/database'
import { toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askedRun } from '../../../test/asked-run.ts'
import { plantTenant, usageOf } from '../../../test/run-gateway.ts'
import { acceptRuns, acceptRunsOfSeveral, type NewRun } from './accept.store.ts'
import { createAccept } from './accept-batch.service.ts'
import { shardOf } from './monthly-quota.ts'

const log = createLog({ level: 'silent' })
const settings = { relayAfterMs: 60_000, cellSlots: 100_000 }
let database: TestDatabase
const apps: Database[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  for (let n = 0; n < 2; n++) {
    const app = openDatabase({ url: database.appUrl, name: 'app', size: 3, acquireTimeoutMs: 30_000, log })
    apps.push(app)
  }
})
afterAll(async () => {
  for (const app of apps) await app.close()
  await database.drop()
})

const app = (): Database => apps[0] as Database
const tenant = async (options: Parameters<typeof plantTenant>[1] = {}) => {
  const { org, agentId } = await plantTenant(database, options)
  return { org, agentId: toUuid(agentId) }
}
type Tenant = Awaited<ReturnType<typeof tenant>>
const query = async <Row>(sql: string, values: unknown[] = []) =>
  asClient(database.superuserUrl, async (client) => (await client.query(sql, values)).rows as Row[])
const keyed = (key: string): Partial<NewRun> => ({ idempotency: { key, fingerprint: Buffer.from('00', 'hex') } })

/** The stored rows of an organisation, without ids and times. */
const storedOf = async (org: string) => {
  const [row] = await query<{ stored: unknown }>(
    `select json_build_object(
       'runs', (select json_agg(json_build_array(input, metadata, agent_version, timeout_seconds, input_bytes) order by id) from runs where org_id = $1),
       'heads', (select json_agg(json_build_array(status, is_admitted, waits_for is null, seq, stored_bytes) order by run_id) from run_heads where org_id = $1),
       'events', (select json_agg(json_build_array(type, seq) order by run_id, seq) from run_events where org_id = $1),
       'labels', (select json_agg(json_build_array(key, value) order by key, value) from run_labels where org_id = $1),
       'keys', (select json_agg(key order by key) from idempotency_keys where org_id = $1),
       'calls', (select sum(calls) from call_counts where org_id = $1),
       'orders', (select count(*) from outbox where org_id = $1)) as stored`,
    [org],
  )
  return row?.stored
}

/** The rows that two organisations ask for, each naming what belongs to the other. */
const rowsOf = (own: Tenant, other: Tenant, takenKey: string): NewRun[] => [
  askedRun(own.agentId, { input: { n: 1 }, metadata: { team: 'a' }, ...keyed('the same key') }),
  askedRun(other.agentId, { ...keyed('of a run that is refused') }),
  askedRun(own.agentId, { ...keyed(takenKey) }),
  askedRun(own.agentId, { timeoutSeconds: 100_000 }),
  askedRun(own.agentId, { policySetId: own.org }),
  askedRun(own.agentId, { input: { n: 2 }, budgetKeyId: other.agentId, timeoutSeconds: 30 }),
]

const pair = async () => {
  const [one, other] = [await tenant(), await tenant()]
  // Each has a key that is taken; the other organisation uses the same one freely.
  for (const [at, { org, agentId }] of [one, other].entries()) {
    await acceptRuns(app(), org, [askedRun(agentId, keyed(`taken ${at}`))], settings)
  }
  return [one, other] as const
}

test('in a batch of two organisations that name each other’s agents and keys, each gets what it would get alone', async () => {
  const [a, b] = await pair()
  const [alone, other] = await pair()
  const expected = [
    await acceptRuns(app(), alone.org, rowsOf(alone, other, 'taken 0'), settings),
    await acceptRuns(app(), other.org, rowsOf(other, alone, 'taken 0'), settings),
  ]
  const rows = [rowsOf(a, b, 'taken 0'), rowsOf(b, a, 'taken 0')] as const
  const asked = rows[0].flatMap((run, at) => [
    { org: b.org, run: rows[1][at] as NewRun },
    { org: a.org, run },
  ])
  const { verdicts } = await acceptRunsOfSeveral(app(), asked, settings)
  const kinds = verdicts.map((verdict) => (verdict === 'undecided' ? verdict : verdict.kind))
  const [ofAlone, ofOther] = expected.map(({ verdicts: each }) => each.map(({ kind }) => kind))
  expect(kinds.filter((_, at) => at % 2 === 1)).toEqual(ofAlone)
  expect(kinds.filter((_, at) => at % 2 === 0)).toEqual(ofOther)
  expect(ofAlone).toEqual(['accepted', 'no_agent', 'key_taken', 'timeout_not_allowed', 'policies_changed', 'accepted'])
  expect(ofOther?.[2]).toBe('accepted')
  expect(await storedOf(a.org)).toEqual(await storedOf(alone.org))
  expect(await storedOf(b.org)).toEqual(await storedOf(other.org))
})

test('an organisation without calls, one with a full queue and one that stores too much leave the others alone', async () => {
  const tenants = [await tenant(), await tenant({ calls: 0 }), await tenant(), await tenant()] as const
  await query('update organisations set concurrent_runs = 1 where id = $1', [tenants[2].org])
  // One is admitted, and ten wait.
  const crowd = Array.from({ length: 11 }, () => askedRun(tenants[2].agentId))
  await acceptRuns(app(), tenants[2].org, crowd, settings)
  await query(`update organisations set stored_bytes = 100, plan = 'business' where id = $1`, [tenants[3].org])
  const before = await Promise.all(tenants.map(({ org }) => storedOf(org)))
  const asked = tenants.map(({ org, agentId }) => ({ org, run: askedRun(agentId, keyed('k')) }))
  const { verdicts } = await acceptRunsOfSeveral(app(), asked, { ...settings, storageLimits: { business: 100 } })
  expect(verdicts).toMatchObject([{ kind: 'accepted' }, 'undecided', { kind: 'queue_full' }, { kind: 'storage_full' }])
  for (const at of [1, 2, 3]) expect(await storedOf(tenants[at]?.org ?? '')).toEqual(before[at])
  expect(await storedOf(tenants[0].org)).toMatchObject({ keys: ['k'], calls: 1 })
})

test('an organisation that loses the race for its last call gets no run and keeps no key, and the others get theirs', async () => {
  // Each of the 32 shards has one call.
  const short = await tenant({ calls: 32 })
  const other = await tenant()
  for (;;) {
    const run = askedRun(short.agentId, keyed('k'))
    const asked = [
      { org: short.org, run },
      { org: other.org, run: askedRun(other.agentId, keyed('k')) },
    ]
    const outcome = await asClient(database.superuserUrl, async (client) => {
      await client.query('delete from call_counts where org_id = $1', [short.org])
      await client.query('begin')
      await client.query(
        `insert into call_counts values ($1, date_trunc('month', app_now() at time zone 'utc')::date, $2, 1)`,
        [short.org, shardOf(run.id)],
      )
      let isOver = false
      const accepting = acceptRunsOfSeveral(app(), asked, settings)
        .catch((error: Error) => error)
        .finally(() => {
          isOver = true
        })
      // The connection that holds the lock also looks: another one would have to be opened, which may take too long.
      const waits = async () => isOver || (await client.query('select from pg_locks where not granted')).rowCount !== 0
      await expect.poll(waits, { interval: 2 }).toBe(true)
      await client.query('commit')
      return accepting
    })
    // On a slow machine the statement may have given up waiting; nothing was written then.
    if (outcome instanceof Error) continue
    expect(outcome.verdicts).toMatchObject(['undecided', { kind: 'accepted' }])
    break
  }
  expect(await storedOf(short.org)).toMatchObject({ runs: null, keys: null, calls: 1 })
  expect(await storedOf(other.org)).toMatchObject({ keys: ['k'], calls: 1 })
})

test('a quota is used completely and exactly beside other organisations', async () => {
  const [few, ...others] = [await tenant({ calls: 40 }), await tenant(), await tenant(), await tenant()]
  const accepts = apps.map((db) => createAccept({ app: db, admission: { follow: () => undefined }, ...settings }))
  const ask = ({ org, agentId }: Tenant, n: number) => accepts[n % 2]?.(org, askedRun(agentId))
  const all = await Promise.all(
    Array.from({ length: 60 }, (_, n) => [ask(few as Tenant, n), ...others.map((each) => ask(each, n))]).flat(),
  )
  expect(all.filter((verdict) => verdict?.kind === 'quota_exhausted')).toHaveLength(20)
  expect(await usageOf(database, (few as Tenant).org)).toMatchObject([{ calls: 40, runs: 40 }])
  for (const { org } of others) expect(await usageOf(database, org)).toMatchObject([{ calls: 60, runs: 60 }])
})

test('batches of many organisations with the same keys never deadlock, and each key gets one run', async () => {
  const tenants = await Promise.all(Array.from({ length: 12 }, () => tenant()))
  const accepts = apps.map((db) => createAccept({ app: db, admission: { follow: () => undefined }, ...settings }))
  const combined: number[] = []
  for (const db of apps) {
    const batchOf = db.batchOf
    Object.assign(db, {
      batchOf: (...args: Parameters<Database['batchOf']>) => {
        combined.push(args[0].length)
        return batchOf(...args)
      },
    })
  }
  const asks = Array.from({ length: 400 }, (_, n) => {
    const { org, agentId } = tenants[(n * 7) % tenants.length] as Tenant
    // Neighbours have different orders of keys and organisations.
    return accepts[n % 2]?.(org, askedRun(agentId, keyed(`k${(n * (n % 2 ? 5 : 11)) % 6}`)))
  })
  const verdicts = await Promise.all(asks)
  const accepted = verdicts.filter((verdict) => verdict?.kind === 'accepted')
  expect(verdicts.filter((verdict) => verdict?.kind === 'key_taken')).toHaveLength(400 - accepted.length)
  const [counted] = await query<{ keys: number; runs: number }>(
    `select (select count(*)::integer from idempotency_keys where org_id = any ($1)) as keys,
            (select count(*)::integer from runs where org_id = any ($1)) as runs`,
    [tenants.map(({ org }) => org)],
  )
  expect(counted).toEqual({ keys: accepted.length, runs: accepted.length })
  expect(Math.max(...combined)).toBeGreaterThan(2)
  await query('select pg_stat_force_next_flush()')
  expect(await query('select deadlocks::integer from pg_stat_database where datname = $1', [database.name])).toEqual([
    { deadlocks: 0 },
  ])
})
