import { systemClock } from '@ars/platform/clock'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { fakeClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type AdmissionWorld, createAdmissionWorld } from '../../../test/admission-world.ts'
import type { RunEnd } from '../run/run-end.ts'
import { expireOldRuns } from './deadline.store.ts'
import { deadlineSweep } from './deadline.sweep.ts'

const newId = createIdMaker(systemClock)
let world: AdmissionWorld
beforeAll(async () => {
  world = await createAdmissionWorld()
})
afterAll(() => world.close())
beforeEach(() => world.clear())

const openSweep = () => {
  const clock = fakeClock()
  const lines: string[] = []
  const ended: RunEnd[] = []
  const log = createLog({ level: 'error', write: (line) => lines.push(line) })
  const sweep = deadlineSweep({
    ...{ system: world.system, newId, log, clock, retentionDays: 10 },
    feed: { tell: () => undefined },
    admission: { nudge: async () => undefined },
    pubSub: { publish: () => undefined },
    noteEnd: (run) => ended.push(run),
  })
  return { sweep, clock, lines, ended }
}

const plantOverdue = async (count: number): Promise<string[]> => {
  const ids = Array.from({ length: count }, () => toUuid(newId('run')))
  await world.query(
    `insert into run_heads (agent_id, run_id, org_id, status, created_at, progress_at, deadline_at)
     select '01890a5d-ac96-774b-bcce-b302099a80fe'::uuid, id, $2::uuid, 'queued', app_now(), app_now(), app_now() - make_interval(secs => $3 - n)
       from unnest($1::uuid[]) with ordinality as planted (id, n)`,
    [ids, toUuid(newId('org')), count + 1],
  )
  return ids
}

const active = async (): Promise<unknown[]> =>
  (await world.query('select run_id from run_heads')).map(({ run_id }) => run_id)

test('one round ends all overdue runs, however many there are, and notes each end once (runsBounds.overdueRunsTogether)', async () => {
  const planted = await plantOverdue(500)
  const { sweep, ended } = openSweep()
  await sweep.run()
  expect(await active()).toEqual([])
  expect(ended.map(({ run }) => run).toSorted()).toEqual(planted.toSorted())
  expect(ended[0]).toMatchObject({ status: 'failed', code: 'queue_timeout', steps: 0, inputTokens: 0, outputTokens: 0 })
})

test('a run that cannot be ended does not keep the others from their deadlines, and is tried again later', async () => {
  const [bad = '', ...others] = await plantOverdue(450)
  await world.query(
    `insert into run_results (agent_id, last_seq, stored_bytes, run_id, org_id, status, input_tokens, output_tokens, finished_at)
     select '01890a5d-ac96-774b-bcce-b302099a80fe'::uuid, 1, 0, run_id, org_id, 'completed', 0, 0, app_now() from run_heads where run_id = $1`,
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

test('an old run that another transaction has locked does not keep the others from their end', async () => {
  const [locked = '', free = ''] = ['1', '2'].map((end) => `01890a5d-ac96-774b-bcce-b302099a80f${end}`)
  await world.query(
    `insert into run_heads (agent_id, run_id, org_id, status, created_at, progress_at, deadline_at)
     select '01890a5d-ac96-774b-bcce-b302099a80fe'::uuid, id, $2::uuid, 'requires_action', app_now(), app_now(), app_now() + interval '1 day'
       from unnest($1::uuid[]) as id`,
    [[locked, free], toUuid(newId('org'))],
  )
  const expire = () => expireOldRuns(world.system, { limit: 10, maxAgeDays: 8 })
  await asClient(world.superuserUrl, async (client) => {
    await client.query('begin')
    await client.query('select from run_heads where run_id = $1 for update', [locked])
    expect(await expire()).toBe(1)
    expect(await world.query('select run_id from run_heads where deadline_at <= app_now()')).toEqual([{ run_id: free }])
    await client.query('rollback')
  })
  expect([await expire(), await expire()]).toEqual([1, 0])
})

test('a run ends two days before its day is dropped, whatever it waits for', async () => {
  const old = (days: number, n: number) =>
    `select (left(uuid_floor(app_now() - make_interval(days => ${days}))::text, 14) || '7000-8000-00000000000${n}')::uuid`
  const statuses = ['queued', 'running', 'requires_action', 'cancelling']
  for (const [at, status] of [...statuses, 'running'].entries()) {
    await world.query(
      `insert into run_heads (agent_id, run_id, org_id, status, created_at, progress_at, deadline_at)
       select '01890a5d-ac96-774b-bcce-b302099a80fe'::uuid, (${old(at === 4 ? 7 : 8, at)}), $1, $2, app_now(), app_now(), app_now() + interval '7 days'`,
      [toUuid(newId('org')), status],
    )
  }
  // The partitions of these days, which a test database does not have.
  for (const day of [7, 8]) {
    await world.query(
      `select make_partition(name, (app_now() at time zone 'utc')::date - ${day}, 1) from partition_parents`,
    )
  }
  await openSweep().sweep.run()
  expect(await active()).toHaveLength(1)
  const ended = await world.query(`select status, error ->> 'code' as code from run_results order by run_id limit 4`)
  expect(ended).toEqual([
    { status: 'failed', code: 'queue_timeout' },
    { status: 'failed', code: 'run_timeout' },
    { status: 'failed', code: 'action_timeout' },
    { status: 'cancelled', code: null },
  ])
})
