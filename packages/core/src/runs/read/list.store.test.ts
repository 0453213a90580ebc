import { type RunErrorCode, type RunStatus, runStatuses } from '@ars/contract'
import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid, uuidFloor } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { oneIn } from '@ars/testkit/costly-property'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { allowedAmong } from '../../agent-access.ts'
import { isEnded } from '../run/run.ts'
import { listRuns } from './list.store.ts'
import type { RunPage } from './run-page.ts'

const log = createLog({ level: 'silent' })
const newId = createIdMaker(systemClock)
let database: TestDatabase
let app: Database

beforeAll(async () => {
  database = await createTestDatabase()
  app = openDatabase({ url: database.appUrl, name: 'list', size: 2, acquireTimeoutMs: 30_000, log })
})
afterAll(async () => {
  await app.close()
  await database.drop()
})

const clear = () =>
  asClient(database.superuserUrl, (client) =>
    client.query('delete from runs; delete from run_heads; delete from run_results; delete from run_labels'),
  )
beforeEach(clear)

const within = (agentIds: ReadonlySet<string> | null) =>
  allowedAmong({ org: '', agentIds, isDemo: false, runOwner: null }, [])

const everything: RunPage = {
  view: 'full',
  within: within(null),
  limit: 100,
  after: null,
  before: null,
  status: null,
  createdAfter: null,
  createdBefore: null,
  pipelineRunId: null,
  metadata: {},
  errorCodes: null,
  deploymentIds: null,
  creator: null,
  parentRunId: null,
  runIds: null,
}

// Partitions exist for yesterday and the coming days, so runs are planted around the current midnight.
const base = new Date(Math.floor(systemClock.now().getTime() / 86_400_000) * 86_400_000)
const at = (minutes: number): Date => new Date(base.getTime() + minutes * 60_000)
const agents = ['a', 'b', 'c'].map(() => toUuid(newId('ag')))
const pipelineRuns = ['p', 'q'].map(() => toUuid(newId('plr')))
const parents = ['p', 'q'].map(() => toUuid(newId('run')))
const deployments = ['d', 'e', 'f'].map(() => toUuid(newId('dep')))
const codes: readonly RunErrorCode[] = ['run_timeout', 'agent_error', 'model_error']
// A key and a person may have the same UUID.
const someone = toUuid(newId('key'))
const nobody = { id: '01890a5d-ac96-774b-bcce-b302099a80ff', type: 'key' } as const
const creators = [
  { id: someone, type: 'key' },
  { id: someone, type: 'user' },
  { id: toUuid(newId('usr')), type: 'user' },
] as const

type Planted = {
  id: string
  minutes: number
  agent: string
  status: RunStatus
  pipelineRun: string | null
  metadata: Record<string, string>
  code?: RunErrorCode
  deployment?: string | null
  creator?: RunPage['creator']
  parent?: string | null
}

const planted: fc.Arbitrary<Planted[]> = fc
  .array(
    fc.record({
      minutes: fc.integer({ min: -1_400, max: 4_000 }),
      agent: fc.constantFrom(...agents),
      status: fc.constantFrom(...runStatuses),
      pipelineRun: fc.option(fc.constantFrom(...pipelineRuns), { nil: null, freq: 2 }),
      code: fc.constantFrom(...codes),
      deployment: fc.option(fc.constantFrom(...deployments), { nil: null }),
      creator: fc.option(fc.constantFrom(...creators), { nil: null }),
      parent: fc.option(fc.constantFrom(...parents), { nil: null, freq: 2 }),
      metadata: fc.dictionary(fc.constantFrom('team', 'ticket', '%'), fc.constantFrom('1', '2', 'ü'), { maxKeys: 3 }),
    }),
    { maxLength: 40 },
  )
  .map((runs) =>
    runs.map((run, number) => ({
      ...run,
      id: `${uuidFloor(at(run.minutes)).slice(0, 14)}7${number.toString(16).padStart(3, '0')}-8000-000000000000`,
    })),
  )

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 2 })
const rarely = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value })
const moment = fc.integer({ min: -1_500, max: 4_100 }).map(at)
const filter = fc.record({
  limit: fc.integer({ min: 1, max: 12 }),
  withinAgents: maybe(fc.subarray(agents).map((within) => new Set(within))),
  status: maybe(fc.array(fc.constantFrom(...runStatuses), { minLength: 1, maxLength: 4 })),
  createdAfter: maybe(moment),
  createdBefore: maybe(moment),
  pipelineRunId: fc.option(fc.constantFrom(...pipelineRuns), { nil: null, freq: 1 }),
  metadata: fc.oneof(
    { weight: 2, arbitrary: fc.constant({}) },
    {
      weight: 1,
      arbitrary: fc.dictionary(fc.constantFrom('team', 'ticket', '%'), fc.constantFrom('1', '2', 'ü'), { maxKeys: 2 }),
    },
  ),
  errorCodes: rarely(fc.array(fc.constantFrom(...codes), { minLength: 1, maxLength: 3 })),
  deploymentIds: rarely(fc.subarray(deployments)),
  creator: rarely(fc.constantFrom(...creators)),
  parentRunId: rarely(fc.constantFrom(...parents)),
  runNumbers: rarely(fc.array(fc.integer({ min: 0, max: 45 }), { minLength: 1, maxLength: 20 })),
  cursor: maybe(
    fc.record({ minutes: fc.integer({ min: -1_500, max: 4_100 }), direction: fc.constantFrom('after', 'before') }),
  ),
})

test('for any runs and any filters, the list equals a filter over all runs', async () => {
  const places = new Set<string>()
  await fc.assert(
    fc.asyncProperty(planted, fc.array(filter, { minLength: 1, maxLength: 6 }), async (runs, filters) => {
      await clear()
      const org = toUuid(newId('org'))
      await plant(org, runs)
      // Another organisation has the same rows at the same time; none of them may appear.
      await plant(
        toUuid(newId('org')),
        runs.map((run) => ({ ...run, id: run.id.replace(/0$/, '1') })),
      )
      for (const { cursor, withinAgents, runNumbers, ...rest } of filters) {
        const id = cursor && (runs[Math.abs(cursor.minutes) % (runs.length + 1)]?.id ?? uuidFloor(at(cursor.minutes)))
        const page: RunPage = {
          ...rest,
          view: 'full',
          within: within(withinAgents),
          runIds: runNumbers?.map((number) => runs[number]?.id ?? toUuid(newId('run'))) ?? null,
          after: cursor?.direction === 'after' ? id : null,
          before: cursor?.direction === 'before' ? id : null,
        }
        const { runs: listed } = await listRuns(app, org, page, at(4_100))
        const expected = byLooking(runs, page)
        expect(listed.map((run) => run.id)).toEqual(expected.map((run) => run.id))
        expect(listed.map((run) => run.status)).toEqual(expected.map((run) => run.status))
        places.add(`${listed.length > 0} ${listed.length === page.limit}`)
      }
    }),
    // Each run plants runs in two organisations and lists them several times.
    oneIn(5),
  )
  // The cases include empty, short and full pages.
  expect(places).toEqual(new Set(['false false', 'true false', 'true true']))
})

test('a run that changed while the list was built is replaced by the next one', async () => {
  const org = toUuid(newId('org'))
  const ids = Array.from({ length: 5 }, (_, n) => `${uuidFloor(at(n)).slice(0, 14)}7000-8000-00000000000${n}`)
  const run = { agent: agents[0] ?? '', status: 'running' as const, pipelineRun: null, metadata: {} }
  await plant(
    org,
    ids.map((id, minutes) => ({ ...run, id, minutes })),
  )
  let looks = 0
  const meanwhile: Database = {
    ...app,
    once: async (named, statement) => {
      const rows = await app.once(named, statement)
      // Right after the ids were found, the newest two end.
      if (looks++ === 0) await end(org, ids.slice(-2))
      return rows as never[]
    },
  }
  const { runs: listed } = await listRuns(meanwhile, org, { ...everything, limit: 2, status: ['running'] }, at(600))
  expect(listed.map(({ id, status }) => [id, status])).toEqual([
    [ids[2], 'running'],
    [ids[1], 'running'],
  ])
})

test('a list by three labels finds the runs that have all three', async () => {
  const org = toUuid(newId('org'))
  const metadata = { team: '1', ticket: '2', '%': 'ü' }
  const run = { agent: agents[0] ?? '', status: 'completed' as const, pipelineRun: null }
  const ids = [1, 2].map((minutes) => `${uuidFloor(at(minutes)).slice(0, 14)}7000-8000-000000000000`)
  await plant(org, [
    { ...run, id: ids[0] ?? '', minutes: 1, metadata },
    { ...run, id: ids[1] ?? '', minutes: 2, metadata: { ...metadata, ticket: '1' } },
  ])
  const { runs: listed } = await listRuns(app, org, { ...everything, metadata }, at(600))
  expect(listed.map(({ id }) => id)).toEqual([ids[0]])
})

const byLooking = (runs: readonly Planted[], page: RunPage): Planted[] => {
  const { after, before, createdAfter, createdBefore, metadata } = page
  const fits = (run: Planted): boolean =>
    (after === null || run.id < after) &&
    (before === null || run.id > before) &&
    (page.within.ids?.has(run.agent) ?? true) &&
    (page.status === null || page.status.includes(run.status)) &&
    (page.pipelineRunId === null || run.pipelineRun === page.pipelineRunId) &&
    (page.errorCodes === null || (run.status === 'failed' && page.errorCodes.includes(run.code ?? 'agent_error'))) &&
    (page.deploymentIds?.includes(run.deployment ?? '') ?? true) &&
    (page.creator === null || page.creator === run.creator) &&
    (page.parentRunId === null || run.parent === page.parentRunId) &&
    (page.runIds?.includes(run.id) ?? true) &&
    (createdAfter === null || at(run.minutes) > createdAfter) &&
    (createdBefore === null || at(run.minutes) < createdBefore) &&
    Object.entries(metadata).every(([key, value]) => run.metadata[key] === value)
  const sorted = runs.filter(fits).toSorted((a, b) => (a.id < b.id ? 1 : -1))
  return (before === null ? sorted : sorted.toReversed()).slice(0, page.limit)
}

/** Rows as they would be after a run's life. Written as superuser, because the API cannot create the past. */
const plant = (org: string, runs: readonly Planted[]): Promise<void> =>
  asClient(database.superuserUrl, async (client) => {
    const rows = JSON.stringify(
      runs.map((run) => ({
        ...run,
        created_at: at(run.minutes),
        pipeline_run: run.pipelineRun,
        ended: isEnded(run.status),
        created_by: (run.creator ?? nobody).id,
        created_by_type: (run.creator ?? nobody).type,
      })),
    )
    await client.query(
      `with r as (
         select id, agent, status, pipeline_run, metadata, created_at, ended, code, deployment, parent, created_by,
                created_by_type
           from json_to_recordset($2::json) as r (id uuid, agent uuid, status text, pipeline_run uuid,
             metadata jsonb, created_at timestamptz, ended boolean, code text, deployment uuid, parent uuid,
             created_by uuid, created_by_type text)
       ), run as (
         insert into runs (input_bytes, id, org_id, agent_id, agent_version, input, metadata, timeout_seconds, created_at, pipeline_run_id,
                deployment_id, parent_run_id, created_by, created_by_type)
         select 2, id, $1, agent, 1, '{}', metadata, 60, created_at, pipeline_run, deployment, parent, created_by,
                created_by_type from r
       ), head as (
         insert into run_heads (run_id, org_id, agent_id, status, created_at, progress_at, deadline_at)
         select id, $1, agent, status, created_at, created_at, created_at from r where not ended
       ), result as (
         insert into run_results (last_seq, stored_bytes, run_id, org_id, agent_id, status, error, input_tokens, output_tokens, finished_at)
         select 1, 0, id, $1, agent, status, case when status = 'failed' then json_build_object('code', code) end, 0, 0, created_at from r where ended
       )
       insert into run_labels (org_id, key, value, run_id)
       select $1, l.key, l.value, r.id from r cross join jsonb_each_text(r.metadata) l`,
      [org, rows],
    )
  })

const end = (org: string, ids: readonly string[]): Promise<void> =>
  asClient(database.superuserUrl, async (client) => {
    await client.query(
      `with head as (delete from run_heads where org_id = $1 and run_id = any ($2::uuid[]) returning run_id, agent_id)
       insert into run_results (last_seq, stored_bytes, run_id, org_id, agent_id, status, input_tokens, output_tokens, finished_at)
       select 1, 0, run_id, $1, agent_id, 'completed', 0, 0, app_now() from head`,
      [org, ids],
    )
  })
