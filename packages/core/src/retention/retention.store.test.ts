import { fromUuid } from '@ars/platform/id'
import { testRequest } from '@ars/testkit/caller'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWebhookWorld, type WebhookWorld } from '../../test/webhook-world.ts'
import { dropPartition, listOldPartitions } from './retention.store.ts'

let world: WebhookWorld
beforeAll(async () => {
  world = await openWebhookWorld()
})
afterAll(() => world.close())

const kept = ['deliveries', 'delivery_attempts', 'event_bodies', 'events']

test('delivered events are deleted with their day after a month, but not while a delivery of that day is pending', async () => {
  const org = await world.newOrg()
  const webhook = await world.newWebhook(org)
  const [event = ''] = await world.tell(org, [{ agoSeconds: 5 }])
  const sent = fromUuid('dlv', await world.deliver(org, webhook, event, 'failed'))
  await world.history.redeliver(testRequest(org), { id: webhook, delivery_id: sent })
  const [{ today } = { today: '' }] = await world.sql<{ today: string }>(
    `select (app_now() at time zone 'utc')::date::text as today`,
  )
  await moveDatabaseClock(world.database.ownerUrl, 40 * 86_400_000)
  const oldOfToday = async () =>
    (await listOldPartitions(world.system, { days: 30, deltaHours: 24 }))
      .filter(({ day }) => day === today)
      .map(({ parent }) => parent)
  expect((await oldOfToday()).filter((parent) => kept.includes(parent))).toEqual([])
  expect(await oldOfToday()).toContain('runs')
  await world.end(webhook, 'succeeded')
  expect(await oldOfToday()).toEqual(expect.arrayContaining(kept))
  for (const parent of kept) expect(await dropPartition(world.system, { parent, day: today })).toBe(true)
  await expect(world.history.delivery({ org }, { id: webhook, delivery_id: sent })).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('every partitioned table is in the list of parents, so that its daily partitions are created', async () => {
  const partitioned = await world.sql<{ name: string }>(
    `select relname::text as name from pg_class
      where relkind = 'p' and relnamespace = 'public'::regnamespace order by relname collate "C"`,
  )
  const parents = await world.sql<{ name: string }>(`select name from partition_parents order by name collate "C"`)
  expect(parents).toEqual(partitioned)
})
