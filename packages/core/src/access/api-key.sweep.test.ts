import { eventTypes } from '@ars/contract'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AccessWorld, newId, openAccessWorld } from '../../test/access-world.ts'
import { apiKeySweep } from './api-key.sweep.ts'

let world: AccessWorld
let system: Database
const log = createLog({ level: 'silent' })
beforeAll(async () => {
  world = await openAccessWorld()
  system = openDatabase({ url: world.database.systemUrl, name: 'test-system', size: 4, log, acquireTimeoutMs: 30_000 })
})
afterAll(async () => {
  await system.close()
  await world.close()
})

const day = 86_400_000
const sweep = () => apiKeySweep({ system, newId, log }).run()
const later = (days: number) => moveDatabaseClock(world.database.ownerUrl, days * day)
const announced = async (org: string): Promise<{ subject: string; data: { id: string; expires_at: string } }[]> => {
  const rows = await world.sql<{ subject_id: string; data: { id: string; expires_at: string } }>(
    `select subject_id, data from events where org_id = $1 and type = 'api_key.expiring' order by id`,
    [org],
  )
  return rows.map(({ subject_id, data }) => ({ subject: subject_id, data }))
}
const databaseNow = async (): Promise<number> => {
  const [row] = await world.sql<{ now: Date }>('select app_now() as now')
  return row?.now.getTime() ?? 0
}
const inDays = async (days: number): Promise<string> => new Date((await databaseNow()) + days * day).toISOString()

test('a key is announced 7 days before its end, once however many workers and rounds there are (limits.keyExpiringDays)', async () => {
  const { org, ctx } = await world.newOrg()
  const made = await world.access.keys.create(ctx, {
    name: 'soon',
    scopes: ['runs:read'],
    expires_at: await inDays(30),
  })
  await later(22)
  await sweep()
  expect(await announced(org)).toEqual([])
  await later(2)
  await Promise.all([sweep(), sweep(), sweep()])
  await sweep()
  const [event, ...more] = await announced(org)
  expect(more).toEqual([])
  const { key, ...record } = made.body
  expect(event).toEqual({ subject: toUuid(made.body.id), data: record })
  expect(eventTypes['api_key.expiring'].data.safeParse(event?.data).success).toBe(true)
  expect(JSON.stringify(event)).not.toContain(key)
})

test('a changed end is announced again', async () => {
  const { org, ctx } = await world.newOrg()
  const { id } = (
    await world.access.keys.create(ctx, { name: 'k', scopes: ['runs:read'], expires_at: await inDays(10) })
  ).body
  await later(4)
  await sweep()
  const next = await inDays(20)
  await world.access.keys.update(ctx, { id, expires_at: next })
  await sweep()
  expect(await announced(org)).toHaveLength(1)
  await later(15)
  await sweep()
  expect((await announced(org)).map(({ data }) => data.expires_at)).toEqual([expect.any(String), next])
})

test('keys without an end, of short life, revoked, rotated or ended keys are not announced', async () => {
  const { org, ctx } = await world.newOrg()
  const make = async (expires_at: string | null) =>
    (await world.access.keys.create(ctx, { name: 'k', scopes: ['runs:read'], expires_at })).body
  await make(null)
  await make(await inDays(6))
  const revoked = await make(await inDays(10))
  await world.access.keys.revoke(ctx, revoked.id)
  const rotated = await make(await inDays(10))
  const heir = (await world.access.keys.rotate(ctx, rotated.id)).body
  await make(await inDays(8))
  await later(9)
  await sweep()
  expect((await announced(org)).map(({ data }) => data.id)).toEqual([heir.id])
})
