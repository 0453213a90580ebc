import { contract, type DeliveryId, eventSample, type WebhookId } from '@ars/contract'
import { fromUuid, toUuid } from '@ars/platform/id'
import { testRequest } from '@ars/testkit/caller'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWebhookWorld, type WebhookWorld } from '../../../test/webhook-world.ts'

let world: WebhookWorld
beforeAll(async () => {
  world = await openWebhookWorld()
})
afterAll(() => world.close())

const eventId = (uuid: string) => fromUuid('evt', uuid)
const deliveryId = (uuid: string): DeliveryId => fromUuid('dlv', uuid)
const isoAgo = (seconds: number): string => new Date(Date.now() - seconds * 1_000).toISOString()
const missedOf = async (org: string, id: WebhookId, page: Record<string, unknown> = {}) => {
  const list = await world.missed({ org }, { id, ...page })
  // The planted events have no data.
  const filled = { ...list, data: list.data.map((event) => ({ ...event, data: eventSample(event.type) })) }
  expect(contract.webhooks.missed.output.strict().safeParse(filled).error).toBeUndefined()
  return list
}
const idsOf = (list: { data: readonly { id: string }[] }) => list.data.map(({ id }) => id)

test('missed events match the subscription and are neither acknowledged nor pending', async () => {
  const org = await world.newOrg()
  const webhook = await world.newWebhook(org, { events: ['run.completed', 'run.failed'], agoSeconds: 1_000 })
  const [, acknowledged = '', failed = '', both = '', waiting = '', never = ''] = await world.tell(org, [
    { agoSeconds: 2_000 },
    { agoSeconds: 900 },
    { agoSeconds: 800 },
    { agoSeconds: 700 },
    { agoSeconds: 600 },
    { agoSeconds: 500, type: 'run.failed' },
    { agoSeconds: 400, type: 'agent.updated' },
    { agoSeconds: 300, isTold: false },
    { agoSeconds: 200, testFor: webhook },
  ])
  await world.tell(await world.newOrg(), [{ agoSeconds: 100 }])
  await world.deliver(org, webhook, acknowledged, 'succeeded')
  const sent = await world.deliver(org, webhook, failed, 'failed')
  await world.deliver(org, webhook, both, 'failed')
  await world.deliver(org, webhook, both, 'succeeded')
  await world.deliver(org, await world.newWebhook(org), never, 'succeeded')
  await world.deliver(org, webhook, waiting, 'failed')
  expect(idsOf(await missedOf(org, webhook))).toEqual([never, waiting, failed].map(eventId))
  const [last = ''] = (await world.sql<{ id: string }>('select id from deliveries where event_id = $1', [waiting])).map(
    ({ id }) => id,
  )
  await world.history.redeliver(testRequest(org), { id: webhook, delivery_id: deliveryId(last) })
  expect(idsOf(await missedOf(org, webhook))).toEqual([never, failed].map(eventId))
  expect(idsOf(await missedOf(org, webhook, { created_after: isoAgo(550) }))).toEqual([eventId(never)])
  expect(idsOf(await missedOf(org, webhook, { created_before: isoAgo(550) }))).toEqual([eventId(failed)])
  await world.history.redeliver(testRequest(org), { id: webhook, delivery_id: deliveryId(sent) })
  await world.end(webhook, 'failed', 1)
  await world.end(webhook, 'succeeded')
  expect(idsOf(await missedOf(org, webhook))).toEqual([eventId(never), eventId(failed)])
  await expect(missedOf(org, webhook, { created_after: isoAgo(1), created_before: isoAgo(2) })).rejects.toMatchObject({
    code: 'invalid_request',
  })
  await expect(missedOf(await world.newOrg(), webhook)).rejects.toMatchObject({ code: 'not_found' })
})

test('missed events are paged both ways', async () => {
  const org = await world.newOrg()
  const webhook = await world.newWebhook(org)
  const events = await world.tell(
    org,
    Array.from({ length: 7 }, (_, n) => ({ agoSeconds: 700 - n * 10 })),
  )
  const newest = events.toReversed().map(eventId)
  const first = await missedOf(org, webhook, { limit: 3 })
  expect([idsOf(first), first.has_more]).toEqual([newest.slice(0, 3), true])
  const second = await missedOf(org, webhook, { limit: 3, after: first.last_id })
  expect([idsOf(second), second.has_more]).toEqual([newest.slice(3, 6), true])
  const third = await missedOf(org, webhook, { limit: 3, after: second.last_id })
  expect([idsOf(third), third.has_more]).toEqual([newest.slice(6), false])
  const back = await missedOf(org, webhook, { limit: 3, before: third.first_id })
  expect([idsOf(back), back.has_more, back.first_id]).toEqual([newest.slice(3, 6), true, second.first_id])
})

test('deliveries are listed newest first, filtered by status, event, type and time, and paged both ways', async () => {
  const org = await world.newOrg()
  const webhook = await world.newWebhook(org)
  const events = await world.tell(
    org,
    Array.from({ length: 6 }, (_, n) => ({ agoSeconds: 600 - n })),
  )
  const made: string[] = []
  for (const [n, event] of events.entries()) {
    made.push(await world.deliver(org, webhook, event, n % 3 === 0 ? 'failed' : 'succeeded'))
  }
  const again = { id: webhook, delivery_id: deliveryId(made[0] ?? '') }
  const pending = (await world.history.redeliver(testRequest(org), again)).body
  const list = async (page: Record<string, unknown> = {}) => {
    const found = await world.history.deliveries({ org }, { id: webhook, ...page })
    expect(contract.webhooks.deliveries.output.strict().safeParse(found).error).toBeUndefined()
    return found
  }
  const all = [pending.id, ...made.map(deliveryId).toReversed()]
  expect(idsOf(await list())).toEqual(all)
  expect(idsOf(await list({ status: ['failed'] }))).toEqual([made[3], made[0]].map((id) => deliveryId(id ?? '')))
  expect(idsOf(await list({ status: ['succeeded'] }))).toHaveLength(4)
  expect(idsOf(await list({ status: ['pending'] }))).toEqual([pending.id])
  expect(idsOf(await list({ status: ['failed', 'succeeded'] }))).toHaveLength(6)
  expect(idsOf(await list({ event_id: eventId(events[0] ?? '') }))).toEqual([pending.id, deliveryId(made[0] ?? '')])
  expect(idsOf(await list({ event_type: ['run.completed'] }))).toEqual(all)
  expect(idsOf(await list({ event_type: ['agent.updated'] }))).toEqual([])
  expect(idsOf(await list({ created_before: isoAgo(3_000) }))).toEqual([])
  expect(idsOf(await list({ created_after: isoAgo(3_000) }))).toEqual(all)
  await expect(list({ created_after: isoAgo(1), created_before: isoAgo(2) })).rejects.toMatchObject({
    code: 'invalid_request',
  })
  const first = await list({ limit: 3 })
  const second = await list({ limit: 3, after: first.last_id })
  expect([...idsOf(first), ...idsOf(second)]).toEqual(all.slice(0, 6))
  const back = await list({ limit: 3, before: second.first_id })
  expect([idsOf(back), back.has_more]).toEqual([idsOf(first), false])
  const elsewhere = await world.newWebhook(org)
  expect(idsOf(await world.history.deliveries({ org }, { id: elsewhere }))).toEqual([])
  const stranger = { org: await world.newOrg() }
  await expect(world.history.deliveries(stranger, { id: webhook })).rejects.toMatchObject({ code: 'not_found' })
  await expect(world.history.delivery(stranger, again)).rejects.toMatchObject({ code: 'not_found' })
  await expect(world.history.delivery({ org }, { ...again, id: elsewhere })).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('a waiting delivery shows its next attempt, including a pause of its endpoint; one in flight shows none', async () => {
  const org = await world.newOrg()
  const webhook = await world.newWebhook(org)
  const [event = ''] = await world.tell(org, [{ agoSeconds: 60 }])
  const sent = await world.deliver(org, webhook, event, 'failed')
  const ask = { id: webhook, delivery_id: deliveryId(sent) }
  const { body: again } = await world.history.redeliver(testRequest(org), ask)
  expect(again).toMatchObject({ status: 'pending', source: 'redelivery', attempts: [], event_id: eventId(event) })
  expect(again.next_attempt_at).toBe(again.created_at)
  const look = () => world.history.delivery({ org }, { id: webhook, delivery_id: again.id })
  const waits = async () => (await look()).waiting
  const setLane = (columns: string, value: unknown) =>
    world.sql(`update webhook_lanes set ${columns} where webhook_id = $1`, [toUuid(webhook), value])
  await setLane('waiting = $2', 40)
  expect(await waits()).toEqual({
    reason: 'turn',
    message: 'It waits for its turn: 0 of its 40 deliveries are being sent.',
  })
  await setLane('under_way = $2', 10)
  expect(await waits()).toEqual({
    reason: 'destination',
    message: 'The endpoint has as many attempts under way as it may have: 10 of its 40 deliveries are being sent.',
  })
  const setDue = (dueAt: Date) =>
    world.sql('update delivery_heads set due_at = $2 where webhook_id = $1', [toUuid(webhook), dueAt])
  const dueAt = new Date(Date.now() + 9_000)
  await setDue(dueAt)
  expect(await waits()).toEqual({ reason: 'retry', message: `The next attempt is due at ${dueAt.toISOString()}.` })
  await setDue(new Date(Date.now() - 1_000))
  const restUntil = new Date(Date.now() + 30_000)
  await setLane('rest_until = $2', restUntil)
  expect((await look()).next_attempt_at).toBe(restUntil.toISOString())
  expect(await waits()).toMatchObject({
    reason: 'destination',
    message: expect.stringContaining(`is paused until ${restUntil.toISOString()}; 10 of its 40`),
  })
  await world.sql(
    `update delivery_heads set begun_at = app_now(), lease_until = app_now() + interval '15 s' where webhook_id = $1`,
    [toUuid(webhook)],
  )
  expect(await look()).toMatchObject({ next_attempt_at: null, waiting: null })
})

test('a redelivery is refused while the webhook is inactive, and when its event is no longer stored', async () => {
  const org = await world.newOrg()
  const webhook = await world.newWebhook(org)
  const [event = ''] = await world.tell(org, [{ agoSeconds: 60 }])
  const delivery_id = deliveryId(await world.deliver(org, webhook, event, 'succeeded'))
  const redeliver = (caller: string, id = webhook) => world.history.redeliver(testRequest(caller), { id, delivery_id })
  await expect(redeliver(await world.newOrg())).rejects.toMatchObject({ code: 'not_found' })
  await expect(redeliver(org, await world.newWebhook(org))).rejects.toMatchObject({ code: 'not_found' })
  const pause = `update webhooks set disabled_at = app_now(), disabled_reason = 'paused' where id = $1`
  await world.sql(pause, [toUuid(webhook)])
  await expect(redeliver(org)).rejects.toMatchObject({ code: 'webhook_inactive' })
  await world.sql('update webhooks set disabled_at = null, disabled_reason = null where id = $1', [toUuid(webhook)])
  const answer = await redeliver(org)
  expect(answer.headers).toEqual({ location: `/v2/webhooks/${webhook}/deliveries/${answer.body.id}` })
  await world.sql('delete from events where id = $1', [event])
  await expect(redeliver(org)).rejects.toMatchObject({ code: 'not_found' })
})
