import { DatabaseBusy } from '@ars/platform/db/unavailable'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWebhookWorld, type WebhookWorld } from '../../test/webhook-world.ts'
import { createMissingPartitions } from './partition.service.ts'
import { missingPartitions } from './partition.ts'
import { listPartitions } from './retention.store.ts'

const log = createLog({ level: 'silent' })
let world: WebhookWorld
beforeAll(async () => {
  world = await openWebhookWorld()
})
afterAll(() => world.close())

const keep = { days: 30, deltaHours: 24 }
const deps = () => ({ system: world.system, log })
const moveDays = (days: number) => moveDatabaseClock(world.database.ownerUrl, Math.round(days * 86_400_000))
const missing = async () => missingPartitions(await listPartitions(world.system), keep.days)

test('a table that is locked keeps neither the partitions of other tables from being created nor its readers waiting', async () => {
  await moveDays(1)
  const before = await missing()
  await asClient(world.database.superuserUrl, async (client) => {
    await client.query('begin; lock table run_labels in share update exclusive mode')
    await expect(createMissingPartitions(deps(), keep.days)).rejects.toThrow(DatabaseBusy)
    await client.query('rollback')
  })
  expect(before.length).toBeGreaterThan(1)
  expect((await missing()).map(({ parent }) => parent)).toEqual(['run_labels'])
  expect(await createMissingPartitions(deps(), keep.days)).toBe(1)
}, 60_000)

test.each([15, 60])(
  'after %i days without a worker, all partitions are created',
  async (days) => {
    await moveDays(days)
    const parents = (await listPartitions(world.system)).parents.length
    // The moved clock has its partitions of deltas.
    expect(await createMissingPartitions(deps(), keep.days)).toBeGreaterThanOrEqual((parents - 1) * 15)
    expect(await missing()).toEqual([])
  },
  120_000,
)
