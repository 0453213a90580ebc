import { moveDatabaseClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EndpointQueueWorld, endOf, openEndpointQueueWorld } from '../../../test/endpoint-queue-world.ts'
import { relayEvents } from '../../../test/relay-events.ts'
import type { AttemptOutcome } from '../webhook/endpoint-queue.ts'
import { findWebhook, listWebhooks } from '../webhook/webhook.store.ts'
import { toWireWebhook } from '../webhook/webhook.ts'
import { endAttempts } from './delivery-end.store.ts'
import { claimAttempts } from './endpoint-queue.store.ts'

let world: EndpointQueueWorld
beforeAll(async () => {
  world = await openEndpointQueueWorld(3)
})
afterAll(() => world.close())

/** Sends as many events as there are outcomes, one attempt each. */
const deliver = async (org: string, webhook: string, outcomes: readonly AttemptOutcome[]): Promise<void> => {
  await world.addEvents(org, outcomes.length)
  while ((await relayEvents(world.system))?.length);
  const claimed = (await claimAttempts(world.system, { count: 128, heavyCount: 128, perOrg: 128, uses: [] })).filter(
    ({ webhook_id }) => webhook_id === webhook,
  )
  expect(claimed).toHaveLength(outcomes.length)
  await endAttempts(
    world.system,
    claimed.map((each, at) => endOf(each, outcomes[at] ?? 'failed')),
  )
}
const lastDay = async (org: string, webhook: string) => {
  const found = await findWebhook(world.system, org, webhook)
  return found && toWireWebhook(found).last_day
}
const hour = 3_600_000

test('a webhook shows how many deliveries ended in the last day, and the share that succeeded', async () => {
  const org = await world.addOrganisation()
  const [webhook, quiet] = [await world.addWebhook(org), await world.addWebhook(org, ['run.failed'])]
  const none = { deliveries: 0, succeeded: 0, failed: 0, success_rate: null }
  expect(await lastDay(org, webhook)).toEqual(none)

  // A failed attempt is repeated, and an event that is gone says nothing about the endpoint.
  await deliver(org, webhook, ['acknowledged', 'acknowledged', 'acknowledged', 'gone', 'failed', 'unsent', 'void'])
  expect(await lastDay(org, webhook)).toEqual({ deliveries: 4, succeeded: 3, failed: 1, success_rate: 0.75 })
  await world.query('delete from delivery_heads')
  await world.query('update webhook_lanes set waiting = 0, under_way = 0, due_at = null, failing_since = null')

  // The same hour of the next day takes the row of this one.
  await moveDatabaseClock(world.database.superuserUrl, 2 * hour)
  await deliver(org, webhook, ['acknowledged'])
  expect(await lastDay(org, webhook)).toEqual({ deliveries: 5, succeeded: 4, failed: 1, success_rate: 0.8 })
  await moveDatabaseClock(world.database.superuserUrl, 22 * hour)
  expect(await lastDay(org, webhook)).toEqual({ deliveries: 1, succeeded: 1, failed: 0, success_rate: 1 })
  await deliver(org, webhook, ['acknowledged', 'acknowledged'])
  expect(await lastDay(org, webhook)).toEqual({ deliveries: 3, succeeded: 3, failed: 0, success_rate: 1 })
  await moveDatabaseClock(world.database.superuserUrl, 72 * hour)
  expect(await lastDay(org, webhook)).toEqual(none)

  const listed = await listWebhooks(world.system, org, { after: null, before: null, status: null, limit: 10 })
  expect(listed.map(({ id }) => id)).toEqual([quiet, webhook])
  const [rows] = await world.query<{ rows: number }>('select count(*)::integer as rows from webhook_hours')
  expect(rows?.rows).toBe(2)
  await world.query('delete from webhooks')
  expect(await world.query('select slot from webhook_hours')).toEqual([])
})
