import { systemClock } from '@ars/platform/clock'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { fakeClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createSlotWorld, type SlotWorld } from '../../../test/slot-world.ts'
import { deadlineSweep } from './deadline.sweep.ts'

const newId = createIdMaker(systemClock)
let world: SlotWorld
beforeAll(async () => {
  world = await createSlotWorld()
})
afterAll(() => world.close())
beforeEach(() => world.clear())

const openSweep = () => {
  const clock = fakeClock()
  const lines: string[] = []
  const log = createLog({ level: 'error', write: (line) => lines.push(line) })
  const sweep = deadlineSweep({
    ...{ system: world.system, newId, log, clock },
    feed: { tell: () => undefined },
    admission: { nudge: async () => undefined },
    pubSub: { publish: () => undefined },
  })
  return { sweep, clock, lines }
}

const plantOverdue = async (count: number): Promise<string[]> => {
  const ids = Array.from({ length: count }, () => toUuid(newId('run')))
  await world.query(
    `insert into run_heads (run_id, org_id, status, created_at, progress_at, deadline_at)
     select id, $2::uuid, 'queued', app_now(), app_now(), app_now() - make_interval(secs => $3 - n)
       from unnest($1::uuid[]) with ordinality as planted (id, n)`,
    [ids, toUuid(newId('org')), count + 1],
  )
  return ids
}

const active = async (): Promise<unknown[]> =>
  (await world.query('select run_id from run_heads')).map(({ run_id }) => run_id)

test('one round ends all overdue runs, however many there are', async () => {
  await plantOverdue(500)
  await openSweep().sweep.run()
  expect(await active()).toEqual([])
})

test('a run that cannot be ended does not keep the others from their deadlines, and is tried again later', async () => {
  const [bad = '', ...others] = await plantOverdue(450)
  await world.query(
    `insert into run_results (run_id, org_id, status, input_tokens, output_tokens, finished_at)
     select run_id, org_id, 'completed', 0, 0, app_now() from run_heads where run_id = $1`,
    [bad],
  )
  const { sweep, clock, lines } = openSweep()
  await sweep.run()
  expect(others).toHaveLength(449)
  expect(await active()).toEqual([bad])
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'an overdue run could not be ended', run_id: bad },
  ])
  await sweep.run()
  expect(lines).toHaveLength(1)
  clock.advance(60_000)
  await sweep.run()
  expect(lines).toHaveLength(2)
  await world.query('delete from run_results where run_id = $1', [bad])
  clock.advance(60_000)
  await sweep.run()
  expect(await active()).toEqual([])
})
