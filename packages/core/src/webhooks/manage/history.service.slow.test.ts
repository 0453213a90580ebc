import { contract, eventSample, type WebhookId } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import type { Statement } from '@ars/platform/db/statement'
import { fromUuid, toUuid } from '@ars/platform/id'
import { asClient } from '@ars/testkit/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWebhookWorld, type WebhookWorld } from '../../../test/webhook-world.ts'
import { searchFor } from '../recover/missed.service.ts'
import { lookForMissed } from '../recover/missed.store.ts'
import { idsWithin } from '../webhook/id-window.ts'
import { listDeliveries } from './history.store.ts'

let world: WebhookWorld
beforeAll(async () => {
  world = await openWebhookWorld()
})
afterAll(() => world.close())

const eventId = (uuid: string) => fromUuid('evt', uuid)
const missedOf = async (org: string, id: WebhookId, page: Record<string, unknown> = {}) => {
  const list = await world.missed({ org }, { id, ...page })
  // The planted events have no data.
  const filled = { ...list, data: list.data.map((event) => ({ ...event, data: eventSample(event.type) })) }
  expect(contract.webhooks.missed.output.strict().safeParse(filled).error).toBeUndefined()
  return list
}
const idsOf = (list: { data: readonly { id: string }[] }) => list.data.map(({ id }) => id)

test('a month of 10,000 events is searched by index, and only in partitions that can match', async () => {
  const org = await world.newOrg()
  const webhook = await world.newWebhook(org, { agoSeconds: 30 * 86_400 })
  await world.sql(makeMonth)
  const created = { id: toUuid(webhook), events: ['*'], created_at: new Date(Date.now() - 30 * 86_400_000) }
  const recent = searchFor(created, { since: new Date(Date.now() - 3 * 86_400_000), until: null })
  const look = (db: Database) => lookForMissed(db, org, recent, { order: 'oldest first', events: 5_000, fitting: 200 })
  // A plan that was made on empty tables is kept while they fill up, so it must already be the right one.
  await world.sql('analyze events, deliveries')
  const early = await planOf(look)
  expect(early).toMatch(byEvent)
  expect(early).not.toMatch(/Seq Scan on (events|deliveries)_p|deliveries_p\d+_pkey/)
  const events = await world.tell(
    org,
    Array.from({ length: 10_000 }, (_, n) => ({ agoSeconds: 29 * 86_400 - n * 250 })),
  )
  // All were delivered in time, except the first and one of today.
  const missed = [events[0], events[9_990]]
  await world.sql(
    `insert into deliveries (id, org_id, webhook_id, event_id, event_type, status, source, ended_at, created_at)
     select (left(id::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid, org_id, $2, id, type, 'succeeded', 'event',
            created_at, created_at
       from events where org_id = $1 and id <> all ($3)`,
    [org, toUuid(webhook), missed],
  )
  await world.sql('analyze events, deliveries')
  expect(idsOf(await missedOf(org, webhook))).toEqual([missed[1], missed[0]].map((id) => eventId(id ?? '')))

  const plan = await planOf(look)
  expect(plan).not.toMatch(executedSeqScan)
  expect(plan).toMatch(byEvent)
  // The other partitions of the month were not opened.
  expect(Number(/Subplans Removed: (\d+)/.exec(plan)?.[1])).toBeGreaterThanOrEqual(20)

  const page = {
    webhookId: toUuid(webhook),
    statuses: null,
    eventId: null,
    eventTypes: null,
    createdAfter: null,
    createdBefore: null,
    ids: idsWithin({ since: null, until: null }),
    order: 'desc' as const,
    limit: 21,
  }
  const listed = await planOf((db) => listDeliveries(db, org, page))
  expect(listed).not.toMatch(executedSeqScan)
})

const byEvent = /Index (Only )?Scan using deliveries_p\d+_event_id_webhook_id_id_idx/
/** A sequential scan of an empty table may be planned and does no harm. */
const executedSeqScan = /Seq Scan on (events|deliveries)_p[^\n]*actual rows=[1-9]/

/** The daily partitions of the past month, which a database of that age would have. */
const makeMonth = `do $$
declare
  day date;
  parent text;
begin
  foreach parent in array array['events', 'deliveries', 'delivery_attempts', 'event_bodies'] loop
    for n in 2 .. 31 loop
      day := (app_now() at time zone 'utc')::date - n;
      execute format('create table if not exists %I partition of %I for values from (%L) to (%L)', parent || '_p' || to_char(day, 'YYYYMMDD'),
        parent, uuid_floor(day::timestamp at time zone 'utc'), uuid_floor((day + 1)::timestamp at time zone 'utc'));
    end loop;
  end loop;
end $$`

/** The generic plan, which the service's roles use, for the last statement of the first request. */
const planOf = async (ask: (db: Database) => Promise<unknown>): Promise<string> => {
  let asked: readonly Statement[] = []
  const listening = {
    ...world.app,
    once: (_: string | null, statement: Statement) => {
      if (asked.length === 0) asked = [statement]
      return Promise.resolve([])
    },
    batch: (_: string | null, statements: readonly Statement[]) => {
      if (asked.length === 0) asked = statements
      return Promise.resolve(statements.map(() => []))
    },
  }
  await ask(listening as unknown as Database)
  const { text = '', values = [] } = asked.at(-1) ?? {}
  return asClient(world.database.superuserUrl, async (client) => {
    await client.query('set plan_cache_mode = force_generic_plan')
    await client.query('begin')
    for (const before of asked.slice(0, -1)) await client.query(before.text, [...before.values])
    await client.query(`prepare asked as ${text}`)
    const literals = values.map((value) => {
      if (value === null) return 'null'
      if (typeof value === 'number') return String(value)
      return client.escapeLiteral(value instanceof Date ? value.toISOString() : String(value))
    })
    const { rows } = await client.query(`explain (analyze, timing off) execute asked(${literals.join(', ')})`)
    return rows.map((row) => Object.values(row).join('')).join('\n')
  })
}
