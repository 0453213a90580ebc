import type { Recovery, WebhookId } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import { fromUuid, toUuid } from '@ars/platform/id'
import { openTurn, workDue } from '@ars/platform/work/due-work.fixture'
import { testRequest } from '@ars/testkit/caller'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openWebhookWorld, type WebhookWorld } from '../../../test/webhook-world.ts'
import { recoveryBounds } from './recovery-queue.service.ts'

let world: WebhookWorld
beforeAll(async () => {
  world = await openWebhookWorld()
})
afterAll(() => world.close())
// Recoveries of other tests are not due.
beforeEach(() => world.sql('delete from webhook_recoveries'))

const isoAgo = (seconds: number): string => new Date(Date.now() - seconds * 1_000).toISOString()
const begin = async (org: string, id: WebhookId, since = isoAgo(3_600)): Promise<Recovery> =>
  (await world.recoveries.recover(testRequest(org), { id, since })).body
const look = (org: string, { webhook_id: id, id: recovery_id }: Recovery) =>
  world.recoveries.get({ org }, { id, recovery_id })
const deliveriesOf = (webhook: WebhookId) =>
  world.sql<{ event_id: string; status: string; source: string; recovery_id: string; error: string | null }>(
    'select event_id, status, source, recovery_id, error from deliveries where webhook_id = $1 order by event_id',
    [toUuid(webhook)],
  )
const queueOf = async (webhook: WebhookId) => {
  const [queue] = await world.sql<{ waiting: number; heads: number; due: boolean }>(
    `select waiting, (select count(*)::integer from delivery_heads h where h.webhook_id = l.webhook_id) as heads,
            due_at is not null as due from webhook_lanes l where webhook_id = $1`,
    [toUuid(webhook)],
  )
  return queue
}
const place = async (count: number) => {
  const org = await world.newOrg()
  const webhook = await world.newWebhook(org)
  const events = await world.tell(
    org,
    Array.from({ length: count }, (_, n) => ({ agoSeconds: 2_000 - Math.floor(n / 10) })),
  )
  return { org, webhook, events }
}

test('a recovery delivers every unacknowledged event once and completes with the last', async () => {
  const { org, webhook, events } = await place(6)
  const [acknowledged = '', failed = ''] = events
  await world.deliver(org, webhook, acknowledged, 'succeeded')
  await world.deliver(org, webhook, failed, 'failed')
  const recovery = await begin(org, webhook)
  expect(recovery).toMatchObject({ status: 'running', ended_at: null, progress: { found: 0, scanned_until: null } })
  const nudges = world.nudges()
  await world.sweep()
  expect(world.nudges()).toBeGreaterThan(nudges)
  const made = (await deliveriesOf(webhook)).filter(({ source }) => source === 'recovery')
  expect(made.map(({ event_id }) => event_id)).toEqual(events.slice(1))
  expect(made.every(({ recovery_id }) => fromUuid('rec', recovery_id) === recovery.id)).toBe(true)
  expect(await queueOf(webhook)).toEqual({ waiting: 5, heads: 5, due: true })
  expect(await look(org, recovery)).toMatchObject({
    status: 'running',
    progress: { found: 5, delivered: 0, failed: 0, scanned_until: recovery.until },
  })
  await world.end(webhook, 'succeeded', 3)
  await world.sweep()
  expect(await look(org, recovery)).toMatchObject({ status: 'running', progress: { delivered: 3, failed: 0 } })
  await world.end(webhook, 'failed')
  await world.sweep()
  const ended = await look(org, recovery)
  expect(ended).toMatchObject({ status: 'completed', progress: { found: 5, delivered: 3, failed: 2 } })
  expect(ended.ended_at).not.toBeNull()
  await world.sweep()
  expect(await look(org, recovery)).toEqual(ended)
})

test('concurrent workers create no delivery twice', async () => {
  const { org, webhook, events } = await place(900)
  const recovery = await begin(org, webhook)
  for (let round = 0; round < 3; round++) {
    await Promise.all([world.sweep(), world.sweep(), world.sweep(), world.sweep()])
  }
  expect((await deliveriesOf(webhook)).map(({ event_id }) => event_id)).toEqual(events)
  expect(await look(org, recovery)).toMatchObject({ progress: { found: 900 } })
})

test('a worker that dies at any statement loses and duplicates nothing, and the progress never decreases', async () => {
  const { org, webhook, events } = await place(700)
  const recovery = await begin(org, webhook)
  const seen: Recovery['progress'][] = []
  // It dies after its first, then its second statement, and so on.
  for (let most = 1; most <= 24; most++) {
    await world.sweep(dyingAfter(world.system, most))
    if (most % 3 === 0) await world.end(webhook, 'succeeded', 100)
    seen.push((await look(org, recovery)).progress)
  }
  for (let round = 0; (await look(org, recovery)).status === 'running' && round < 20; round++) {
    await world.sweep()
    await world.end(webhook, 'succeeded')
    seen.push((await look(org, recovery)).progress)
  }
  for (const [n, progress] of seen.entries()) {
    const { found, delivered, scanned_until } = seen[n - 1] ?? { found: 0, delivered: 0, scanned_until: null }
    expect([n, progress.found >= found, progress.delivered >= delivered]).toEqual([n, true, true])
    expect([n, (progress.scanned_until ?? '') >= (scanned_until ?? '')]).toEqual([n, true])
    expect([n, progress.delivered + progress.failed <= progress.found]).toEqual([n, true])
  }
  expect(seen.at(-1)).toMatchObject({ found: 700, delivered: 700, failed: 0 })
  const made = await deliveriesOf(webhook)
  expect(made.map(({ event_id }) => event_id)).toEqual(events)
  expect(made.every(({ status }) => status === 'succeeded')).toBe(true)
  expect(await look(org, recovery)).toMatchObject({ status: 'completed' })
})

test('at most 1,000 deliveries of a recovery are in an endpoint’s queue; it is refilled when half are done (webhooksBounds.recoveryPending)', async () => {
  const { org, webhook } = await place(2_300)
  const recovery = await begin(org, webhook)
  const found = async () => (await look(org, recovery)).progress.found
  await world.sweep()
  expect([await found(), (await queueOf(webhook))?.waiting]).toEqual([1_000, 1_000])
  await world.end(webhook, 'succeeded', 450)
  await world.sweep()
  expect(await found()).toBe(1_000)
  await world.end(webhook, 'succeeded', 100)
  await world.sweep()
  expect([await found(), (await queueOf(webhook))?.waiting]).toEqual([1_400, 850])
  for (let round = 0; round < 5; round++) {
    await world.end(webhook, 'succeeded')
    await world.sweep()
  }
  expect(await look(org, recovery)).toMatchObject({ status: 'completed', progress: { found: 2_300, delivered: 2_300 } })
})

test('cancelling a recovery removes waiting deliveries; those in flight end normally, and cancelling is idempotent', async () => {
  const { org, webhook } = await place(30)
  const recovery = await begin(org, webhook)
  const other = toUuid(await beside(org, webhook))
  await world.sweep()
  await world.sql(
    `update delivery_heads set number = 1, begun_at = app_now(), lease_until = app_now() + interval '15 s'
      where delivery_id in (select delivery_id from delivery_heads where webhook_id = $1 order by event_id limit 2)`,
    [toUuid(webhook)],
  )
  await world.sql('update webhook_lanes set under_way = 2 where webhook_id = $1', [toUuid(webhook)])
  const ids = { id: webhook, recovery_id: recovery.id }
  const cancelled = await world.recoveries.cancel(testRequest(org), ids)
  expect(cancelled).toMatchObject({ status: 'cancelled', ended_at: null, progress: { found: 30, failed: 28 } })
  expect(await world.recoveries.cancel(testRequest(org), ids)).toEqual(cancelled)
  expect(await queueOf(webhook)).toEqual({ waiting: 3, heads: 3, due: true })
  const ended = (await deliveriesOf(webhook)).filter(({ status }) => status === 'failed')
  expect(ended.map(({ error }) => error)).toEqual(
    Array.from({ length: 28 }, () => 'The recovery was cancelled before this was sent'),
  )
  // One in flight succeeds. The other fails and would be retried.
  await world.sql(
    `with ended as (delete from delivery_heads where delivery_id = (
       select delivery_id from delivery_heads where webhook_id = $1 and lease_until is not null limit 1) returning delivery_id)
     update deliveries set status = 'succeeded', ended_at = app_now() where id in (select delivery_id from ended)`,
    [toUuid(webhook)],
  )
  await world.sql(
    `update delivery_heads set begun_at = null, lease_until = null, due_at = app_now() + interval '1 s'
      where webhook_id = $1 and lease_until is not null`,
    [toUuid(webhook)],
  )
  await world.sql('update webhook_lanes set under_way = 0, waiting = 2 where webhook_id = $1', [toUuid(webhook)])
  await world.sweep()
  const last = await look(org, recovery)
  expect(last).toMatchObject({ status: 'cancelled', progress: { found: 30, delivered: 1, failed: 29 } })
  expect(last.ended_at).not.toBeNull()
  expect(await world.sql('select delivery_id from delivery_heads where webhook_id = $1', [toUuid(webhook)])).toEqual([
    { delivery_id: other },
  ])
  const actions = await world.sql<{ action: string }>('select action from audit_log where org_id = $1 order by id', [
    org,
  ])
  expect(actions.map(({ action }) => action)).toEqual([
    'webhook.recovery_started',
    'webhook.redelivered',
    'webhook.recovery_cancelled',
  ])
})

test('a recovery is cancelled when its webhook is paused', async () => {
  const { org, webhook } = await place(10)
  const recovery = await begin(org, webhook)
  await world.sql(`update webhooks set disabled_at = app_now(), disabled_reason = 'paused' where id = $1`, [
    toUuid(webhook),
  ])
  await world.sweep()
  const ended = await look(org, recovery)
  expect(ended).toMatchObject({ status: 'cancelled', progress: { found: 0 } })
  expect(ended.ended_at).not.toBeNull()
})

test('a recovery is refused for an inactive webhook, beside another recovery, and for an invalid time range', async () => {
  const { org, webhook } = await place(1)
  const recover = (asked: { since: string; until?: string }, caller = org) =>
    world.recoveries.recover(testRequest(caller), { id: webhook, ...asked })
  await expect(recover({ since: isoAgo(10), until: isoAgo(20) })).rejects.toMatchObject({ code: 'input_invalid' })
  await expect(recover({ since: isoAgo(-100) })).rejects.toMatchObject({ code: 'input_invalid', param: 'since' })
  await expect(recover({ since: isoAgo(10) }, await world.newOrg())).rejects.toMatchObject({ code: 'not_found' })
  const results = await Promise.allSettled([1, 2, 3].map(() => recover({ since: isoAgo(100) })))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'recovery_running' } })
  await world.sweep()
  await recover({ since: isoAgo(100) })
  await world.sql(`update webhooks set disabled_at = app_now(), disabled_reason = 'gone' where id = $1`, [
    toUuid(webhook),
  ])
  await expect(recover({ since: isoAgo(10) })).rejects.toMatchObject({ code: 'webhook_inactive' })
})

test('a recovery that starts no later than the first missed event clears the offer to recover', async () => {
  const { org, webhook } = await place(1)
  const missedSince = async () =>
    (
      await world.sql<{ missed_since: Date | null }>('select missed_since from webhooks where id = $1', [
        toUuid(webhook),
      ])
    )[0]?.missed_since ?? null
  const offer = () =>
    world.sql(
      `update webhooks set missed_since = app_now() - interval '100 s', updated_at = app_now() - interval '50 s' where id = $1`,
      [toUuid(webhook)],
    )
  const recover = async (since: string, until?: string) => {
    await offer()
    await world.recoveries.recover(testRequest(org), { id: webhook, since, ...(until ? { until } : {}) })
    await world.sweep()
    await world.end(webhook, 'succeeded')
    await world.sweep()
    return missedSince()
  }
  expect(await recover(isoAgo(90))).not.toBeNull()
  expect(await recover(isoAgo(200))).toBeNull()
  expect(await recover(isoAgo(200), isoAgo(40))).toBeNull()
  // It was enabled again fifty seconds ago, so the events in between are still offered.
  const until = isoAgo(70)
  expect(await recover(isoAgo(200), until)).toEqual(new Date(until))
})

test('a recovery whose search fails five times is cancelled, and says so on what was not sent; an outage does not count', async () => {
  const { org, webhook } = await place(300)
  const recovery = await begin(org, webhook)
  await world.sweep()
  const failing = (error: Error): Database => ({
    ...world.system,
    transaction: (by, work) =>
      world.system.transaction(by, (tx) =>
        work({ query: (each) => (each.name === 'recoveries.find_held' ? Promise.reject(error) : tx.query(each)) }),
      ),
  })
  for (let turn = 0; turn < 6; turn++)
    expect(await world.sweep(failing(new DatabaseUnavailable('away')))).toEqual(['unavailable'])
  for (let turn = 0; turn < 4; turn++) expect(await world.sweep(failing(new Error('poison')))).toEqual(['failed'])
  expect((await look(org, recovery)).status).toBe('running')
  let reads = 0
  const poisonous: Database = {
    ...world.system,
    transaction: (by, work) =>
      reads++ === 0 ? Promise.reject(new Error('poison')) : world.system.transaction(by, work),
  }
  expect(await world.sweep(poisonous)).toEqual(['buried'])
  expect(await look(org, recovery)).toMatchObject({ status: 'cancelled', progress: { found: 300, failed: 300 } })
  expect((await look(org, recovery)).ended_at).not.toBeNull()
  const errors = new Set((await deliveriesOf(webhook)).map(({ error }) => error))
  expect([...errors]).toEqual(['The search for missed events failed again and again, so nothing more was sent'])
})

test('the holder of an older claim creates nothing, and a waiting recovery is left until its deliveries may have ended', async () => {
  const { org, webhook } = await place(1_200)
  const recovery = await begin(org, webhook)
  const queue = world.queue()
  const ask = { count: 1, heavyCount: 1, perOrg: 1, uses: [], leaseSeconds: 30 }
  const [held] = (await queue.claim(ask)).items
  if (!held) throw new Error('It is not due')
  const turn = openTurn({ mayGoOn: () => false })
  expect(await queue.work(held, turn)).toEqual({ kind: 'again', progressed: true })
  const { found } = (await look(org, recovery)).progress
  await world.sql('update webhook_recoveries set claim = claim + 1 where id = $1', [toUuid(recovery.id)])
  expect(await queue.work(held, turn)).toEqual({ kind: 'done' })
  expect((await look(org, recovery)).progress.found).toBe(found)
  // Another worker takes it while this one searches.
  await world.sql('update webhook_recoveries set due_at = app_now(), held_until = null')
  const overtaken: Database = {
    ...world.system,
    transaction: (by, work) =>
      world.system.transaction(by, (tx) =>
        work({
          query: async (each) => {
            if (each.name === 'recoveries.advance') await world.sql('update webhook_recoveries set claim = claim + 1')
            return tx.query(each)
          },
        }),
      ),
  }
  expect(await workDue(world.queue(overtaken))).toEqual(['done'])
  expect([(await look(org, recovery)).progress.found, (await deliveriesOf(webhook)).length]).toEqual([found, found])
  expect(await world.sweep()).toEqual(['later'])
  expect((await look(org, recovery)).progress.found).toBe(1_000)
})

test('the recoveries of an organisation have two places, and those of others are not behind them', async () => {
  const busy = await world.newOrg()
  for (let n = 0; n < 5; n++) await begin(busy, await world.newWebhook(busy))
  const { org, webhook } = await place(1)
  await begin(org, webhook)
  const { items } = await world.queue().claim({ ...recoveryBounds, count: 4, heavyCount: 3, uses: [] })
  expect(items.map((item) => item.org).toSorted()).toEqual([busy, busy, org].toSorted())
})

/** A delivery that is not part of the recovery. */
const beside = async (org: string, webhook: WebhookId) => {
  const [event = ''] = await world.tell(org, [{ agoSeconds: 100 }])
  const sent = await world.deliver(org, webhook, event, 'succeeded')
  const asked = { id: webhook, delivery_id: fromUuid('dlv', sent) }
  return (await world.history.redeliver(testRequest(org), asked)).body.id
}

/** A database connection of a process that dies at its n-th statement. */
const dyingAfter = (database: Database, most: number): Database => {
  let statements = 0
  return {
    ...database,
    transaction: (org, work) =>
      database.transaction(org, (tx) => {
        const dying: Tx = {
          query: (statement) => {
            statements += 1
            return statements > most ? Promise.reject(new Error('the worker died')) : tx.query(statement)
          },
        }
        return work(dying)
      }),
  }
}
