import { DatabaseBusy } from '@ars/platform/db/unavailable'
import { fromUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { testRequest } from '@ars/testkit/caller'
import { asClient } from '@ars/testkit/client'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWebhookWorld, type WebhookWorld } from '../../test/webhook-world.ts'
import { createOldDeliveryEnd } from '../webhooks/deliver/orphans.sweep.ts'
import { createMissingPartitions } from './partition.service.ts'
import { dropPartition, listPartitions } from './retention.store.ts'
import { retentionSweep } from './retention.sweep.ts'

const log = createLog({ level: 'silent' })
let world: WebhookWorld
beforeAll(async () => {
  world = await openWebhookWorld()
})
afterAll(() => world.close())

const keep = { days: 30, deltaHours: 24 }
const deps = () => ({ system: world.system, log })
const moveDays = (days: number) => moveDatabaseClock(world.database.ownerUrl, Math.round(days * 86_400_000))

test('every partitioned table is in the list of parents, so that its partitions are created', async () => {
  const partitioned = await world.sql<{ name: string }>(
    `select relname::text as name from pg_class
      where relkind = 'p' and relnamespace = 'public'::regnamespace order by relname collate "C"`,
  )
  const parents = await world.sql<{ name: string }>(`select name from partition_parents order by name collate "C"`)
  expect(parents).toEqual(partitioned)
})

test('an attached partition equals one that its parent created, in all catalogs', async () => {
  await asClient(world.database.ownerUrl, async (owner) => {
    const { rows: parents } = await owner.query<{ name: string; is_by_time: boolean }>(
      'select name, is_by_time from partition_parents order by position',
    )
    expect(parents.length).toBeGreaterThan(10)
    await owner.query(
      `select make_partition(name, (app_now() at time zone 'utc')::date + 40, 1) from partition_parents`,
    )
    for (const { name, is_by_time } of parents) {
      const border = (days: number) => {
        const moment = `(((app_now() at time zone 'utc')::date + ${days})::timestamp at time zone 'utc')`
        return is_by_time ? moment : `uuid_floor(${moment})`
      }
      const { rows } = await owner.query<{ from: string; to: string; attached: string }>(
        `select ${border(41)}::text as from, ${border(42)}::text as to,
                ${`'${name}_p'`} || to_char((app_now() at time zone 'utc')::date + 40, 'YYYYMMDD') as attached`,
      )
      const { from, to, attached } = rows[0] as { from: string; to: string; attached: string }
      const created = attached.replace(/\d{8}$/, '20991231')
      await owner.query(`create table ${created} partition of ${name} for values from ('${from}') to ('${to}')`)
      const describe = async (partition: string) =>
        (await owner.query<{ facts: unknown }>(catalogsOf, [partition])).rows.map(({ facts }) =>
          JSON.stringify(facts).replaceAll(partition, 'partition'),
        )
      expect(await describe(attached)).toEqual(await describe(created))
      await owner.query(`drop table ${created}, ${attached}`)
    }
  })
})

// A primary key has a flag about tables below its own, which differs; a partition has none below it. Postgres numbers the
// versions of a column in its options (pg_attver), and two tables have different numbers.
const catalogsOf = `
  select json_build_object(
    'table', (select row_to_json(t) from (select relkind, relpersistence, reloptions, relrowsecurity, relforcerowsecurity,
        relreplident, relacl::text, relispartition, relhasrules, relhastriggers, relam, reltablespace,
        pg_get_userbyid(relowner) as owner, relnatts, relchecks, obj_description(c.oid) as comment) t),
    'columns', (select json_agg(row_to_json(t)) from (select attname, atttypid, attnotnull, attislocal, attinhcount,
        attstorage, attcompression, attstattarget, attidentity, attgenerated, attacl::text,
        array(select o from unnest(attoptions) with ordinality u (o, n) where o not like 'pg\\_attver=%' order by n) as attoptions,
        pg_get_expr(d.adbin, d.adrelid) as default_value
       from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and attnum > 0 order by attnum) t),
    'constraints', (select json_agg(row_to_json(t)) from (select conname, contype, convalidated, conislocal, coninhcount,
        case when contype = 'c' then connoinherit end as no_inherit, conparentid::regclass is not null as has_parent, pg_get_constraintdef(k.oid) as definition
       from pg_constraint k where k.conrelid = c.oid order by conname) t),
    'indexes', (select json_agg(row_to_json(t)) from (select i.relname, x.indisunique, x.indisprimary, x.indisvalid,
        x.indisreplident, pg_get_indexdef(x.indexrelid) as definition, i.reloptions, i.relispartition,
        (select inhparent::regclass::text from pg_inherits h where h.inhrelid = i.oid) as parent
       from pg_index x join pg_class i on i.oid = x.indexrelid where x.indrelid = c.oid order by i.relname) t),
    'triggers', (select json_agg(pg_get_triggerdef(g.oid) order by tgname) from pg_trigger g where g.tgrelid = c.oid),
    'policies', (select json_agg(polname order by polname) from pg_policy p where p.polrelid = c.oid),
    'statistics', (select json_agg(stxname) from pg_statistic_ext s where s.stxrelid = c.oid)) as facts
    from pg_class c where c.oid = $1::regclass`

test('a partition whose table is read is not waited for, and is dropped when the readers are gone', async () => {
  await moveDays(2)
  const old = (await listPartitions(world.system)).partitions.filter(({ parent }) => parent === 'runs')[0]
  if (!old) throw new Error('No partition is old')
  await asClient(world.database.superuserUrl, async (client) => {
    await client.query('begin; select from runs limit 1')
    await expect(dropPartition(world.system, old)).rejects.toThrow(DatabaseBusy)
    await client.query('rollback')
  })
  expect(await dropPartition(world.system, old)).toBe(true)
  expect(await dropPartition(world.system, old)).toBe(false)
  const { today } = await listPartitions(world.system)
  const yesterday = { parent: 'runs', firstDay: today - 1, endDay: today }
  await expect(dropPartition(world.system, yesterday)).rejects.toThrow('too young')
}, 60_000)

test('a delivery that is pending past the retention fails, and its event goes with its day', async () => {
  const org = await world.newOrg()
  const webhook = await world.newWebhook(org)
  // Ids carry the time of the process, so the clock of the database returns to it.
  await moveDatabaseClock(world.database.ownerUrl, -(await moveDays(0)))
  await createMissingPartitions(deps(), keep.days)
  const [event = ''] = await world.tell(org, [{ agoSeconds: 5 }])
  const sent = fromUuid('dlv', await world.deliver(org, webhook, event, 'failed'))
  await world.history.redeliver(testRequest(org), { id: webhook, delivery_id: sent })
  const pending = () => world.sql<{ count: string }>('select count(*) from delivery_heads')
  let countedUntil: Date | undefined
  const sweep = retentionSweep({
    ...deps(),
    keep,
    countedUntil: async () => countedUntil ?? new Date((await listPartitions(world.system)).nowMs),
    endOldDeliveries: createOldDeliveryEnd({ deliveries: world.system, log }),
  })
  await moveDays(29)
  await sweep.run()
  expect(await pending()).toEqual([{ count: '1' }])
  const read = () => world.history.delivery({ org }, { id: webhook, delivery_id: sent })
  // A minute more than the retention: with half a day more, the day of the event would depend on the time of day.
  await moveDays(1.001)
  await createOldDeliveryEnd({ deliveries: world.system, log })(keep.days)
  expect(await pending()).toEqual([{ count: '0' }])
  const [ended] = await world.sql<{ status: string; error: string }>(
    'select status, error from deliveries order by id desc limit 1',
  )
  expect(ended).toEqual({
    status: 'failed',
    error: 'The event reached the end of its retention, so nothing more was sent',
  })
  // A run that is not counted yet keeps all days that were kept when it ended.
  countedUntil = new Date((await listPartitions(world.system)).nowMs)
  await moveDays(1)
  await sweep.run()
  expect(await read()).toMatchObject({ status: 'failed' })
  countedUntil = undefined
  await sweep.run()
  await expect(read()).rejects.toMatchObject({ code: 'not_found' })
  const { partitions, today } = await listPartitions(world.system)
  expect(Math.min(...partitions.map(({ endDay }) => endDay))).toBe(today - 29)
}, 120_000)
