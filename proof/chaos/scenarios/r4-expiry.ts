import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { leakMarkerOf } from '../leak-marker.ts'
import { withMovedClock } from '../moved-clock.ts'
import { keyField } from '../records.ts'
import { getRun, type HeardRun, type RunClient } from '../run-client.ts'
import { claim, measured, type Stage, scenario } from '../scenario.ts'

type Size = {
  keys: number
  /** Expired keys that are there to be cleared away while others write. */
  expired: number
}

type User = {
  client: RunClient
  agentId: string
}

/** Expired keys are cleared away every 30 s; that must be seen once. */
const maxClearingMs = 60_000
const maxLockMs = 50

/** Two organisations use the same keys, and a day goes by. */
export const expiry = scenario<Size>({
  name: 'R4',
  promise:
    'Keys do not cross organisations and live for 24 hours of the database’s clock; clearing them away blocks nobody.',
  sizes: { ci: { keys: 20, expired: 5000 }, full: { keys: 200, expired: 200_000 } },
  play: async (stage, size) => {
    const { fleet } = stage
    const other = await fleet.addOrganisation('r4', { concurrentRuns: 50 })
    const users: User[] = [
      { client: fleet.client, agentId: fleet.agentId('test-echo') },
      { client: other.client, agentId: other.agentId('test-echo') },
    ]
    return withMovedClock(stage, async (move) => {
      const begun = performance.now()
      const first = await sendAll(stage, users, 'first', size.keys)
      const roundMs = performance.now() - begun
      await move((await expiryOf(stage)).firstMs - 1000 - 2 * roundMs)
      const before = await sendAll(stage, users, 'first', size.keys)
      const leftMs = (await expiryOf(stage)).firstMs
      await move((await expiryOf(stage)).lastMs + 1000)
      const after = await sendAll(stage, users, 'after', size.keys)
      const clearing = await watchClearing(stage, size.expired)
      const ids = new Set(first.map(({ id }) => id))
      const newIds = new Set(after.map(({ id }) => id))
      return {
        metrics: [
          ['keys, each used by two organisations', size.keys],
          ['seconds that were left when the last replay had come', (leftMs / 1000).toFixed(1)],
          ['expired keys cleared away', size.expired],
          ['keys written meanwhile', clearing.writes],
          ['slowest of these writes, ms', Math.round(clearing.slowestMs)],
        ],
        claims: [
          claim('two runs for each key, one in each organisation', ids.size === 2 * size.keys, `${ids.size} runs`),
          measured('the replays were sent before a key expired', leftMs > 0, `${leftMs} ms too late`),
          {
            says: 'shortly before the 24 hours are over: the same run, as a replay',
            violations: before.filter(({ id, isReplayed }) => !(ids.has(id) && isReplayed)).map(({ id }) => id),
          },
          {
            says: 'a second after them: a new run in each organisation',
            violations: after.filter(({ id, isReplayed }) => ids.has(id) || isReplayed).map(({ id }) => id),
          },
          claim('the number of new runs is the number of first runs', newIds.size === ids.size, `${newIds.size} runs`),
          {
            isMeasured: true,
            says: `clearing keys away blocks no writer for ${maxLockMs} ms`,
            violations: clearing.blocked,
          },
          measured('keys were written while others were cleared away', clearing.writes > 0, 'none'),
        ],
      }
    })
  },
})

/** As low in entropy as keys can be. The journal and the runs name this use of a key separately. */
const sendAll = async (stage: Stage, users: readonly User[], name: string, keys: number): Promise<HeardRun[]> => {
  const orders = users.flatMap((user) => Array.from({ length: keys }, (_, n) => ({ ...user, n })))
  const send = async ({ client, agentId, n }: User & { n: number }): Promise<HeardRun> => {
    const key = stage.key(`${name}-${n}`)
    const leakMarker = leakMarkerOf(client.org)
    const body = {
      agent_id: agentId,
      input: { query: `${leakMarker} ${n}` },
      metadata: { [keyField]: key, leakMarker },
    }
    const headers = { ...client.authorization, 'idempotency-key': `r4-${n}`, prefer: 'wait=10' }
    return getRun(
      await client.insist({ what: 'create', key, call: { method: 'POST', path: '/v2/runs', headers, body } }),
    )
  }
  const heard: HeardRun[] = []
  while (orders.length > 0) heard.push(...(await Promise.all(orders.splice(0, 10).map(send))))
  return heard
}

const expiryOf = async ({ fleet }: Stage): Promise<{ firstMs: number; lastMs: number }> => {
  const [row] = await fleet.records.query<{ firstMs: number; lastMs: number }>(
    `select extract(epoch from min(expires_at) - app_now())::float8 * 1000 as "firstMs",
            extract(epoch from max(expires_at) - app_now())::float8 * 1000 as "lastMs"
       from idempotency_keys where key ~ '^r4-[0-9]+$'`,
  )
  return row ?? { firstMs: Number.NaN, lastMs: Number.NaN }
}

/** Takes over expired keys, as an accepted run does, all the time that they are being cleared away. */
const watchClearing = async (
  { fleet, random, say }: Stage,
  expired: number,
): Promise<{ writes: number; slowestMs: number; blocked: string[] }> => {
  const { records, organisation } = fleet
  await records.query(
    `insert into idempotency_keys (org_id, thing, key, fingerprint, subject_id, expires_at)
     select $1, 'run', 'r4-old-' || n, '\\x00', gen_random_uuid(), app_now() - interval '1 hour'
       from generate_series(1, $2::integer) n`,
    [organisation.id, expired],
  )
  const writer = new pg.Client({ connectionString: fleet.stack.postgres.url('ars_system') })
  await writer.connect()
  const blocked: string[] = []
  let [writes, slowestMs] = [0, 0]
  const dice = random.fork('clearing')
  const deadline = performance.now() + maxClearingMs
  try {
    await writer.query(`set lock_timeout = ${maxLockMs}`)
    while (performance.now() < deadline) {
      const begun = performance.now()
      const takeOver = `insert into idempotency_keys (org_id, thing, key, fingerprint, subject_id, expires_at)
        values ($1, 'run', $2, '\\x00', gen_random_uuid(), app_now() - interval '1 hour')
        on conflict (org_id, thing, key) do update set expires_at = excluded.expires_at, subject_id = excluded.subject_id`
      await writer
        .query(takeOver, [organisation.id, `r4-old-${dice.whole(1, expired)}`])
        .catch((error: unknown) => blocked.push(String(error)))
      slowestMs = Math.max(slowestMs, performance.now() - begun)
      writes++
      await sleep(5)
      const left = `select count(*)::integer as keys from idempotency_keys where key like 'r4-old-%'`
      const [row] = writes % 20 === 0 ? await records.query<{ keys: number }>(left) : []
      say(`${row?.keys ?? '…'} expired keys are left`)
      if (row && row.keys < expired / 10) break
    }
    const [row] = await records.query<{ keys: number }>(
      `with gone as (delete from idempotency_keys where key like 'r4-old-%' returning 1)
       select count(*)::integer as keys from gone`,
    )
    if ((row?.keys ?? expired) >= expired / 5) blocked.push(`${row?.keys} expired keys were never cleared away`)
  } finally {
    await writer.end()
  }
  return { writes, slowestMs, blocked }
}
