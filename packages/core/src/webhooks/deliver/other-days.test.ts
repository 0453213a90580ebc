import { openDatabase } from '@ars/platform/db/database'
import { createLog } from '@ars/platform/log/log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EndpointQueueWorld, endOf, openEndpointQueueWorld } from '../../../test/endpoint-queue-world.ts'
import { relayEvents } from '../../../test/relay-events.ts'
import { findBodies, freezeBodies } from '../../events/event-body.store.ts'
import { endAttempts } from './delivery-end.store.ts'
import { claimAttempts } from './endpoint-queue.store.ts'

let world: EndpointQueueWorld
beforeAll(async () => {
  world = await openEndpointQueueWorld(2)
})
afterAll(() => world.close())

const log = createLog({ level: 'silent' })
const tables = ['deliveries', 'event_bodies']

/** The partition of each table for the day that lies `days` days ahead. */
const partitionsOf = (days: number): Promise<{ name: string; day: string }[]> =>
  world.query(
    `select t || '_p' || to_char(day, 'YYYYMMDD') as name, day::text
       from unnest($1::text[]) as t, lateral (select (app_now() at time zone 'utc')::date + $2::integer) as d (day)`,
    [tables, days],
  )

const scansOf = async (partitions: readonly { name: string }[]): Promise<number | undefined> => {
  const [row] = await world.query<{ scans: number }>(
    `select (coalesce(sum(seq_scan), 0) + coalesce(sum(idx_scan), 0))::integer as scans
       from pg_stat_user_tables where relname = any ($1)`,
    [partitions.map(({ name }) => name)],
  )
  return row?.scans
}

const deliverThree = async (org: string): Promise<void> => {
  const open = (url: string) => openDatabase({ url, name: 'test', size: 1, acquireTimeoutMs: 30_000, log })
  const [app, system] = [open(world.database.appUrl), open(world.database.systemUrl)]
  try {
    // After five executions Postgres may choose a plan for all parameters.
    for (let n = 0; n < 8; n++) {
      const events = await world.addEvents(org, 3)
      while ((await relayEvents(system))?.length);
      const claimed = await claimAttempts(system, { count: 9, heavyCount: 9, perOrg: 9, uses: [] })
      expect(claimed.map(({ event_id, source }) => [event_id, source])).toEqual(events.map((id) => [id, 'event']))
      const bodies = events.map((id) => ({ id, run: null, pipelineRun: null, body: `{"n":${n}}` }))
      expect((await freezeBodies(app, org, bodies)).size).toBe(3)
      expect((await findBodies(app, org, events)).size).toBe(3)
      const acknowledged = claimed.map((each) => endOf(each, 'acknowledged'))
      const ended = await endAttempts(system, acknowledged)
      expect(ended.map((end) => end?.deliveryOutcome.kind)).toEqual(['succeeded', 'succeeded', 'succeeded'])
    }
  } finally {
    // A connection reports its scans when it ends.
    await Promise.all([app.close(), system.close()])
  }
}

test('a delivery reads no partition of another day, however often its statements were planned', async () => {
  const otherDays = (await Promise.all([20, 21, 22].map(partitionsOf))).flat()
  for (const { name, day } of otherDays) {
    await world.query('select make_partition($1, $2::date, 1)', [name.replace(/_p\d+$/, ''), day])
  }
  // Attaching a partition reads it.
  const before = await scansOf(otherDays)
  const org = await world.addOrganisation()
  await world.addWebhook(org)
  await deliverThree(org)
  const today = await partitionsOf(0)
  await expect.poll(() => scansOf(today)).toBeGreaterThan(16)
  expect(await scansOf(otherDays)).toBe(before)
})
