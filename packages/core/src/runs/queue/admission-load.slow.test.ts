import { writeFileSync } from 'node:fs'
import { asClient } from '@ars/testkit/client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type AdmissionWorld, createAdmissionWorld } from '../../../test/admission-world.ts'
import { admitRuns, settleCell } from './admission.store.ts'

/*
 * What admission does under load. The sizes of the suite are small; `ARS_FULL_SIZE=true pnpm exec vitest run <this file>`
 * plays 10,000 rounds, 10,000 organisations with 20 waiting runs each, and 100,000 runs beside an old snapshot, and writes
 * docs/reports/admission.md.
 */
const isFull = process.env.ARS_FULL_SIZE === 'true'
const rounds = isFull ? 10_000 : 100
const organisations = isFull ? 10_000 : 1_500
const runsBesideSnapshot = isFull ? 100_000 : 5_000

let world: AdmissionWorld
let query: AdmissionWorld['query']
beforeAll(async () => {
  world = await createAdmissionWorld()
  ;({ query } = world)
})
afterAll(async () => {
  await world.close()
  // A test that fails leaves out its figures, and then there is no report.
  if (isFull && figures.length === 6)
    writeFileSync(new URL('../../../../../docs/reports/admission.md', import.meta.url), pageOf(figures))
})
beforeEach(() => world.clear())

/** What the report says, in the order of the tests. */
const figures: (readonly [what: string, value: string])[] = []
const note = (what: string, value: string | number) => figures.push([what, String(value)])
const pageOf = (rows: typeof figures) => `# Admission under load

Written by \`ARS_FULL_SIZE=true pnpm exec vitest run packages/core/src/runs/queue/admission-load.slow.test.ts\`, whose claims all held.

| What | Figure |
|---|---|
${rows.map(([what, value]) => `| ${what} | ${value} |`).join('\n')}
`
const shown = (times: readonly number[]) => {
  const sorted = times.toSorted((one, other) => one - other)
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN)
  return `${at(0.5)}, ${at(0.99)}, ${at(1)}`
}
const timed = async <Result>(work: () => Promise<Result>) => {
  const beganMs = performance.now()
  const result = await work()
  return { result, tookMs: performance.now() - beganMs }
}

const settle = async () => {
  await query(`update cell set settled_at = '-infinity'`)
  await settleCell(world.system)
}
const admit = (cellSlots: number) => admitRuns(world.system, { cellSlots, relayAfterMs: 60_000 })

test('two admitters beside accepts and ends never exceed a limit', { timeout: 3_600_000 }, async () => {
  const tenants = await Promise.all([world.addTenant(3), world.addTenant(5), world.addTenant(40)])
  await world.limitAgent(tenants[1] as { agentId: string }, 2)
  const cellSlots = 10
  let looks = 0
  let isOver = false
  const admitters = Array.from({ length: 2 }, async () => {
    while (!isOver) if (!(await admit(cellSlots)).busy) looks++
  })
  const limits = `select (select count(*) from run_heads where is_admitted) <= ${cellSlots} as cell,
    not exists (select from organisations o where o.concurrent_runs
      < (select count(*) from run_heads h where h.org_id = o.id and h.is_admitted)) as orgs,
    (select count(*) from run_heads where is_admitted and agent_id = '${tenants[1]?.agentId}') <= 2 as agent`
  await asClient(world.superuserUrl, async (observer) => {
    for (let round = 0; round < rounds; round++) {
      await Promise.all(tenants.map((tenant) => world.accept(tenant, 2, cellSlots)))
      expect((await observer.query(limits)).rows).toEqual([{ cell: true, orgs: true, agent: true }])
      const oldest = 'select org_id, run_id from run_heads where is_admitted order by run_id limit 6'
      const { rows } = await observer.query<{ org_id: string; run_id: string }>(oldest)
      await Promise.all(rows.map(({ org_id, run_id }) => world.end({ org: org_id }, run_id)))
    }
  })
  isOver = true
  await Promise.all(admitters)
  expect(looks).toBeGreaterThan(0)
  note(
    'two admitters beside accepts and ends: rounds; looks that had the lock; rounds with a limit exceeded',
    `${rounds}; ${looks}; 0`,
  )
})

const plantQueue = async (each: number) => {
  await query(
    `insert into organisations (id, name, concurrent_runs) select new_uuid(), 'planted', 5 from generate_series(1, $1)`,
    [organisations],
  )
  await query(
    `insert into run_heads (run_id, org_id, agent_id, status, waits_for, created_at, progress_at, deadline_at)
     select new_uuid(), o.id, o.id, 'queued', o.id, app_now(), app_now(), app_now() + interval '1 hour'
       from organisations o, generate_series(1, $1) where o.name = 'planted'`,
    [each],
  )
}
const walOfLook = async () => {
  const [row = {}] = await query(
    'explain (analyze, wal, format json) select what from admit_runs(100, 0, 0, 2, 2, 0, null)',
  )
  const [{ Plan: plan }] = row['QUERY PLAN'] as [{ Plan: { 'WAL Bytes': number } }]
  return plan['WAL Bytes']
}

test('a long queue costs nothing while nothing is free, and is admitted in the end', {
  timeout: 3_600_000,
}, async () => {
  const each = isFull ? 20 : 2
  await plantQueue(each)
  const times: number[] = []
  for (let look = 0; look < (isFull ? 100 : 5); look++) {
    const { result, tookMs } = await timed(() => admit(0))
    expect(result).toMatchObject({ admitted: [], left: true })
    times.push(tookMs)
  }
  expect(Math.min(...times)).toBeLessThan(100)
  const wal = await walOfLook()
  expect(wal).toBeLessThan(100_000)
  note('organisations that wait; waiting runs of each', `${organisations}; ${each}`)
  note('a look while nothing is free, ms: p50, p99, most; bytes of WAL', `${shown(times)}; ${wal}`)
  const [queued] = await query('select org_id, run_id from run_heads order by run_id desc limit 1')
  const cancel = await timed(() => world.end({ org: queued?.org_id as string }, queued?.run_id as string))
  expect(cancel.result).toMatchObject({ kind: 'ended' })
  expect(cancel.tookMs).toBeLessThan(1_000)
  note('cancel of a queued run, ms', Math.round(cancel.tookMs))
  const admitting: number[] = []
  for (let left = true; left; ) {
    const { result: look, tookMs } = await timed(() => admit(512))
    admitting.push(tookMs)
    expect(look.busy || look.admitted.length > 0 || !look.left).toBe(true)
    await query('delete from run_heads where is_admitted')
    ;({ left } = look)
  }
  expect(await query('select run_id from run_heads')).toEqual([])
  note('looks until all are admitted; ms of each: p50, p99, most', `${admitting.length}; ${shown(admitting)}`)
})

test('an old snapshot does not slow accepting', { timeout: 3_600_000 }, async () => {
  const tenant = await world.addTenant(500)
  /** The pages that one look reads: unlike its time, no other program changes them. */
  const pagesOfLook = (): Promise<number> =>
    asClient(world.superuserUrl, async (client) => {
      let pages = 0
      // The first looks of a connection also read the catalog.
      for (let look = 0; look < 4; look++) {
        const [run] = await world.accept(tenant, 1, 0)
        const { rows } = await client.query(
          'explain (analyze, buffers, format json) select what from admit_runs(100, 512, 410, 52, 2, 0, null)',
        )
        const [{ Plan: plan }] = rows[0]['QUERY PLAN']
        pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
        expect(plan['Actual Rows']).toBe(1)
        await world.end(tenant, run?.id as string)
      }
      return pages
    })
  const fresh = await pagesOfLook()
  await asClient(world.superuserUrl, async (snapshot) => {
    await snapshot.query('begin isolation level repeatable read')
    await snapshot.query('select count(*) from run_heads')
    for (let ended = 0; ended < runsBesideSnapshot; ended += 500) {
      await query(
        `insert into run_heads (run_id, org_id, agent_id, status, waits_for, created_at, progress_at, deadline_at)
         select new_uuid(), $1, $2, 'queued', $1, app_now(), app_now(), app_now() + interval '1 hour' from generate_series(1, 500)`,
        [tenant.org, tenant.agentId],
      )
      for (let look = 0; look < 5; look++) await admit(640)
      await query('delete from run_heads; delete from outbox')
      // A worker does it every five seconds.
      if (ended % 2_500 === 0) await settle()
    }
    await settle()
    const old = await pagesOfLook()
    expect(old).toBeLessThan(2 * fresh + 100)
    note(
      'runs that ended beside an old snapshot; pages of a look before and after',
      `${runsBesideSnapshot}; ${fresh}, ${old}`,
    )
  })
})

test('a claim and a step change the head of a run in place', async () => {
  const rows = await query(`select distinct a.attname as name from pg_index i
    join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = i.indexrelid and d.refobjid = i.indrelid
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = d.refobjsubid
   where i.indrelid = 'run_heads'::regclass`)
  // Postgres writes an entry into every index of the table when a column changes that any index names, also in its condition.
  const indexed = rows.map(({ name }) => name)
  const changing = [
    'status',
    'attempt',
    'claims',
    'claim_id',
    'progress_at',
    'started_at',
    'retry_at',
    'note',
    'seq',
    'step',
  ]
  expect(indexed).toContain('moved_in')
  expect(changing.filter((column) => indexed.includes(column))).toEqual([])
})
