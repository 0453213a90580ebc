import { limits } from '@ars/contract'
import { systemClock } from '@ars/platform/clock'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { idBounds } from '@ars/platform/id-range'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPlantedWorld, type PlantedWorld } from '../../test/planted-world.ts'
import { fanOutMails } from './mail-fan-out.store.ts'

const newId = createIdMaker(systemClock)
let world: PlantedWorld
beforeAll(async () => {
  world = await openPlantedWorld([])
})
afterAll(() => world.close())

/** An organisation whose alerts go to one chat channel. */
const newOrg = async (): Promise<string> => {
  const org = await world.newOrg()
  await world.sql(`insert into alert_destinations (id, org_id, type, url, hint) values ($1, $2, 'slack', '', '')`, [
    toUuid(newId('dst')),
    org,
  ])
  return org
}

/** Fans events out that fire alerts. `webhook`: they are test events for this endpoint. */
const fire = async (org: string, count: number, webhook: string | null = null): Promise<void> => {
  const ids = Array.from({ length: count }, () => toUuid(newId('evt')))
  await world.sql(
    `insert into events (id, org_id, type, subject_id, data, webhook_id)
     select id, $2, 'alert.triggered', id, '{"severity":"critical"}', $3 from unnest($1::uuid[]) as n (id)`,
    [ids, org, webhook],
  )
  const { firstId, lastId } = idBounds(ids)
  const batch = { ids, firstId: firstId ?? '', lastId: lastId ?? '' }
  await world.system.transaction(null, (tx) => fanOutMails(tx, batch, { isMailOn: false }))
}

const mailsOf = async (org: string): Promise<number> =>
  (await world.sql('select from mails where org_id = $1', [org])).length

test('an event that tests an endpoint is mailed to nobody', async () => {
  const org = await newOrg()
  await fire(org, 2, toUuid(newId('wh')))
  expect(await mailsOf(org)).toBe(0)
  await fire(org, 2)
  expect(await mailsOf(org)).toBe(2)
})

test('an organisation gets a bounded number of mails about events in a day', async () => {
  const [org, other] = [await newOrg(), await newOrg()]
  await world.sql(
    `insert into mails (id, org_id, kind, event_id, due_at)
     select gen_random_uuid(), $1, 'alert.triggered', gen_random_uuid(), app_now() from generate_series(1, $2::integer)`,
    [org, limits.eventMailsPerDay - 2],
  )
  await fire(org, 5)
  await fire(org, 5)
  await fire(other, 5)
  expect([await mailsOf(org), await mailsOf(other)]).toEqual([limits.eventMailsPerDay, 5])
  await world.sql(`update mails set created_at = created_at - interval '1 day' where org_id = $1`, [org])
  await fire(org, 5)
  expect(await mailsOf(org)).toBe(limits.eventMailsPerDay + 5)
})
