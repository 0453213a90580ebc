import { systemClock } from '@ars/platform/clock'
import { createIdMaker, fromUuid, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openUsageWorld, type UsageWorld } from '../../test/usage-world.ts'
import { rollupSweep } from '../usage/index.ts'
import { alertSweep } from './alert.sweep.ts'
import { ruleColumns } from './alert-rule.store.ts'
import type { AlertRuleRow } from './alert-rule.ts'

const newId = createIdMaker(systemClock)
const log = createLog({ level: 'silent' })
const agent = toUuid(newId('ag'))

let world: UsageWorld
let evaluated = 0
beforeAll(async () => {
  world = await openUsageWorld()
})
afterAll(() => world.close())
// Rules of other tests are not due.
beforeEach(() => world.sql('update alert_rules set enabled = false, due_at = null'))

const seconds = (count: number) => moveDatabaseClock(world.database.ownerUrl, count * 1_000)
const onEvaluated = (rules: number): void => {
  evaluated += rules
}
const sweep = () => alertSweep({ system: world.system, newId, log, onEvaluated }).run()
const now = async () => (await world.sql<{ now: Date }>('select app_now() as now'))[0]?.now ?? new Date()

const defaults = {
  metric: 'failure_rate',
  error_code: null as string | null,
  operator: 'above',
  threshold: 0.1,
  window_seconds: 120,
  for_seconds: 0,
  min_sample_size: 10,
}
const addRule = async (org: string, more: Partial<typeof defaults> = {}): Promise<string> => {
  const rule = { ...defaults, ...more }
  const id = toUuid(newId('alr'))
  await world.sql(
    `insert into alert_rules (id, org_id, name, metric, error_code, operator, threshold, window_seconds, for_seconds,
       min_sample_size, severity, enabled, created_by, created_by_type)
     values ($1, $2, 'rule', $3, $4, $5, $6, $7, $8, $9, 'critical', true, $1, 'key')`,
    [
      id,
      org,
      rule.metric,
      rule.error_code,
      rule.operator,
      rule.threshold,
      rule.window_seconds,
      rule.for_seconds,
      rule.min_sample_size,
    ],
  )
  return id
}
const ruleOf = async (id: string) =>
  (await world.sql<AlertRuleRow>(`select ${ruleColumns} from alert_rules where id = $1`, [id]))[0] as AlertRuleRow
const eventsOf = (org: string) =>
  world.sql<{ type: string; data: Record<string, unknown> }>(
    `select type, data from events where org_id = $1 and type like 'alert.%' order by id`,
    [org],
  )
/** Ends runs now, and counts them. */
const endRuns = async (org: string, { ok = 0, failed = 0 }: { ok?: number; failed?: number }) => {
  const finishedAt = await now()
  const run = (status: 'completed' | 'failed') => ({ agent, finishedAt, status, tokens: [60, 40] as [number, number] })
  await world.endRuns(org, [
    ...Array.from({ length: ok }, () => run('completed')),
    ...Array.from({ length: failed }, () => run('failed')),
  ])
  await world.relay()
  await rollupSweep(world).run()
}
/** Further than the next time at which a rule is due. */
const evaluate = async (step = 15) => {
  await seconds(step)
  await sweep()
}

test('a rule that is broken fires once with alert and metric snapshot, and resolves once', async () => {
  const org = await world.newOrg()
  const id = await addRule(org)
  await endRuns(org, { ok: 99, failed: 1 })
  await evaluate()
  expect(await eventsOf(org)).toEqual([])
  await endRuns(org, { ok: 70, failed: 30 })
  for (let round = 0; round < 3; round++) await evaluate()
  const rule = await ruleOf(id)
  expect(rule.state).toBe('firing')
  const [fired, ...others] = await eventsOf(org)
  expect(others).toEqual([])
  expect(fired).toEqual({
    type: 'alert.triggered',
    data: {
      id: fromUuid('alt', rule.alert_id ?? ''),
      object: 'alert',
      rule: expect.objectContaining({ id: fromUuid('alr', id), metric: 'failure_rate', threshold: 0.1 }),
      status: 'firing',
      severity: 'critical',
      triggered_at: expect.any(String),
      resolved_at: null,
      resolution: null,
      snapshot: {
        metric: 'failure_rate',
        value: expect.closeTo(31 / 200, 1),
        threshold: 0.1,
        window_start: expect.any(String),
        window_end: expect.any(String),
        sample_size: expect.any(Number),
        series: expect.arrayContaining([{ at: expect.any(String), value: expect.any(Number) }]),
      },
      test: false,
    },
  })
  // The failures leave the window after two minutes, and it stays clear for five more.
  for (let round = 0; round < 32; round++) await evaluate()
  expect((await eventsOf(org)).map(({ type }) => type)).toEqual(['alert.triggered', 'alert.resolved'])
  const alerts = await world.sql(
    'select resolution, resolved_at is not null as is_over from alerts where org_id = $1',
    [org],
  )
  expect(alerts).toEqual([{ resolution: 'recovered', is_over: true }])
  expect(await ruleOf(id)).toMatchObject({ state: 'ok', alert_id: null, clear_since: null })
})

test('workers that evaluate at the same time fire once, and a transaction that fails leaves no trace', async () => {
  const org = await world.newOrg()
  const id = await addRule(org)
  await endRuns(org, { ok: 50, failed: 50 })
  await seconds(10)
  const broken = { ...world.system, transaction: () => Promise.reject(new Error('killed')) }
  await alertSweep({ system: broken, newId, log, onEvaluated: () => undefined }).run()
  expect(await ruleOf(id)).toMatchObject({ state: 'ok' })
  await seconds(10)
  // As if several workers had read the rule before the first of them stored its decision.
  await Promise.all(
    [1, 2, 3].map(async () => {
      await world.sql('update alert_rules set due_at = app_now() where id = $1', [id])
      await sweep()
    }),
  )
  expect((await eventsOf(org)).map(({ type }) => type)).toEqual(['alert.triggered'])
})

test('a failure rate that swings around the threshold for an hour fires once', async () => {
  const org = await world.newOrg()
  await addRule(org)
  for (let minute = 0; minute < 60; minute++) {
    await endRuns(org, minute % 3 === 0 ? { ok: 15, failed: 5 } : { ok: 20 })
    await evaluate(60)
  }
  const told = (await eventsOf(org)).map(({ type }) => type)
  expect(told.filter((type) => type === 'alert.triggered')).toHaveLength(1)
})

test('a rule keeps its state while the figures are older than a minute', async () => {
  const org = await world.newOrg()
  const id = await addRule(org, { metric: 'runs_per_minute', operator: 'below', threshold: 1 })
  const waiting = await world.newOrg()
  await world.endRuns(waiting, [{ agent, finishedAt: await now() }])
  evaluated = 0
  await evaluate(70)
  expect([evaluated, (await ruleOf(id)).state]).toEqual([0, 'ok'])
  await world.relay()
  await rollupSweep(world).run()
  await evaluate()
  expect([evaluated, (await ruleOf(id)).state]).toEqual([1, 'firing'])
})

test('the quota that is used and the age of the oldest open decision are values of the moment', async () => {
  const org = await world.newOrg()
  await world.sql('update organisations set calls_per_month = 1000 where id = $1', [org])
  const quota = await addRule(org, { metric: 'quota_used', threshold: 0.8 })
  const waiting = await addRule(org, { metric: 'action_waiting_minutes', threshold: 30 })
  await evaluate()
  expect([(await ruleOf(quota)).state, (await ruleOf(waiting)).state]).toEqual(['ok', 'ok'])
  await world.sql(
    `insert into call_counts (org_id, month, slot, calls)
     select $1, date_trunc('month', app_now() at time zone 'utc')::date, slot, 300 from generate_series(0, 2) as slot`,
    [org],
  )
  await world.sql(
    `insert into run_heads (run_id, org_id, agent_id, status, created_at, progress_at, deadline_at, waiting_since, is_admitted, remaining_ms)
     values ($1, $2, $3, 'requires_action', app_now(), app_now(), app_now() + interval '7 days', app_now() - interval '31 minutes', false, 60000)`,
    [toUuid(newId('run')), org, agent],
  )
  await evaluate()
  const told = await eventsOf(org)
  const snapshots = told.map(({ data }) => data.snapshot as { metric: string; value: number; series: unknown[] })
  expect(snapshots.toSorted((one, other) => (one.metric < other.metric ? -1 : 1))).toEqual([
    expect.objectContaining({ metric: 'action_waiting_minutes', value: expect.closeTo(31.2, 0) }),
    expect.objectContaining({ metric: 'quota_used', value: 0.9, series: [expect.objectContaining({ value: 0.9 })] }),
  ])
})

test('a rule of one agent sees the runs of this agent only', async () => {
  const org = await world.newOrg()
  const other = toUuid(newId('ag'))
  for (const id of [agent, other])
    await world.sql(
      `insert into agents (id, org_id, name, kind, source, config) values ($1, $2, 'Agent', 'llm', 'custom', '{}')`,
      [id, org],
    )
  const counted = { metric: 'error_code_count', error_code: 'model_error', threshold: 3 }
  const rules = [await addRule(org, counted), await addRule(org, counted)]
  await world.sql('update alert_rules set agent_id = $2 where id = $1', [rules[0], agent])
  await world.sql('update alert_rules set agent_id = $2 where id = $1', [rules[1], other])
  await endRuns(org, { failed: 4 })
  await evaluate()
  expect([(await ruleOf(rules[0] ?? '')).state, (await ruleOf(rules[1] ?? '')).state]).toEqual(['firing', 'ok'])
  expect(await eventsOf(org)).toMatchObject([{ data: { snapshot: { value: 4, sample_size: 4 } } }])
})
