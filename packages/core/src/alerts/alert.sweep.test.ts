import { systemClock } from '@ars/platform/clock'
import { createIdMaker, fromUuid, toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type AlertWorld, openAlertWorld } from '../../test/alert-world.ts'
import { findAsOf, rollupSweep } from '../usage/index.ts'
import { applyEvaluation, readRules } from './evaluation.service.ts'

const newId = createIdMaker(systemClock)

let world: AlertWorld
beforeAll(async () => {
  world = await openAlertWorld()
})
afterAll(() => world.close())
// Rules of other tests are not due.
beforeEach(() => world.sql('update alert_rules set enabled = false, due_at = null'))

test('a rule that is broken fires once with alert and metric snapshot, and resolves once', async () => {
  const org = await world.newOrg()
  const id = await world.addRule(org)
  await world.endRuns(org, { ok: 99, failed: 1 })
  await world.evaluate()
  expect(await world.eventsOf(org)).toEqual([])
  await world.endRuns(org, { ok: 70, failed: 30 })
  for (let round = 0; round < 3; round++) await world.evaluate()
  const rule = await world.ruleOf(id)
  expect(rule.state).toBe('firing')
  const [fired, ...others] = await world.eventsOf(org)
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
  for (let round = 0; round < 32; round++) await world.evaluate()
  expect((await world.eventsOf(org)).map(({ type }) => type)).toEqual(['alert.triggered', 'alert.resolved'])
  const alerts = await world.sql(
    'select resolution, resolved_at is not null as is_over from alerts where org_id = $1',
    [org],
  )
  expect(alerts).toEqual([{ resolution: 'recovered', is_over: true }])
  expect(await world.ruleOf(id)).toMatchObject({ state: 'ok', alert_id: null, clear_since: null })
})

test('workers that evaluate at the same time fire once, and a transaction that fails leaves no trace', async () => {
  const org = await world.newOrg()
  const id = await world.addRule(org)
  await world.endRuns(org, { ok: 50, failed: 50 })
  await world.seconds(10)
  const broken = { ...world.system, transaction: () => Promise.reject(new Error('killed')) }
  await world.sweep(broken)
  expect(await world.ruleOf(id)).toMatchObject({ state: 'ok' })
  await world.seconds(10)
  // As if several workers had read the rule before the first of them stored its decision.
  await Promise.all(
    [1, 2, 3].map(async () => {
      await world.sql('update alert_rules set due_at = app_now() where id = $1', [id])
      await world.sweep()
    }),
  )
  expect((await world.eventsOf(org)).map(({ type }) => type)).toEqual(['alert.triggered'])
})

test('figures of one organisation that cannot be read do not keep the rules of the others', async () => {
  const [poor, other] = [await world.newOrg(), await world.newOrg()]
  const ids = [await world.addRule(poor), await world.addRule(other)]
  await world.endRuns(poor, { failed: 50 })
  await world.endRuns(other, { failed: 50 })
  await world.seconds(15)
  const once: typeof world.system.once = (org, each) =>
    JSON.stringify(each.values).includes(poor) && each.name === 'usage.minutes'
      ? Promise.reject(new Error('too much'))
      : world.system.once(org, each)
  await world.sweep({ ...world.system, once })
  const states = await Promise.all(ids.map(async (id) => (await world.ruleOf(id)).state))
  expect(states).toEqual(['ok', 'firing'])
})

test('a decision that was made with an earlier state of its rule is dropped', async () => {
  const org = await world.newOrg()
  const id = await world.addRule(org)
  await world.endRuns(org, { ok: 50, failed: 50 })
  const rule = { ...(await world.ruleOf(id)), now: await world.now() }
  const [evaluation] = await readRules(world.system, [rule], await findAsOf(world.system, null))
  if (!evaluation) throw new Error('The rule was not read')
  const apply = () => applyEvaluation({ system: world.system, newId }, evaluation)
  expect([await apply(), await apply()]).toEqual(['fires', null])
  expect((await world.eventsOf(org)).map(({ type }) => type)).toEqual(['alert.triggered'])
})

test('a worker that dies before it commits has resolved nothing', async () => {
  const org = await world.newOrg()
  const id = await world.addRule(org)
  await world.endRuns(org, { ok: 50, failed: 50 })
  await world.evaluate()
  await world.sql(`update alert_rules set clear_since = app_now() - interval '1 hour' where id = $1`, [id])
  await world.seconds(300)
  await rollupSweep(world).run()
  let open = 0
  const dying: typeof world.system = {
    ...world.system,
    transaction: (by, work) =>
      world.system.transaction(by, async (tx) => {
        open++
        const result = await work(tx)
        if (--open === 0) throw new Error('killed')
        return result
      }),
  }
  await world.sweep(dying)
  expect((await world.eventsOf(org)).map(({ type }) => type)).toEqual(['alert.triggered'])
  expect(await world.ruleOf(id)).toMatchObject({ state: 'firing' })
  await world.evaluate()
  expect((await world.eventsOf(org)).map(({ type }) => type)).toEqual(['alert.triggered', 'alert.resolved'])
  expect(await world.ruleOf(id)).toMatchObject({ state: 'ok', alert_id: null })
})

test('a rule keeps its state while the figures are older than a minute', async () => {
  const org = await world.newOrg()
  const id = await world.addRule(org, { metric: 'runs_per_minute', operator: 'below', threshold: 1 })
  const waiting = await world.newOrg()
  await world.endPlanted(waiting, [{ agent: world.agent, finishedAt: await world.now() }])
  expect([await world.evaluate(70), (await world.ruleOf(id)).state]).toEqual([0, 'ok'])
  await world.relay()
  await rollupSweep(world).run()
  expect([await world.evaluate(), (await world.ruleOf(id)).state]).toEqual([1, 'firing'])
})

test('the quota that is used and the age of the oldest open decision are values of the moment', async () => {
  const org = await world.newOrg()
  await world.sql('update organisations set calls_per_month = 1000 where id = $1', [org])
  const quota = await world.addRule(org, { metric: 'quota_used', threshold: 0.8 })
  const waiting = await world.addRule(org, { metric: 'action_waiting_minutes', threshold: 30 })
  await world.evaluate()
  expect([(await world.ruleOf(quota)).state, (await world.ruleOf(waiting)).state]).toEqual(['ok', 'ok'])
  await world.sql(
    `insert into call_counts (org_id, month, slot, calls)
     select $1, date_trunc('month', app_now() at time zone 'utc')::date, slot, 300 from generate_series(0, 2) as slot`,
    [org],
  )
  await world.sql(
    `insert into run_heads (run_id, org_id, agent_id, status, created_at, progress_at, deadline_at, waiting_since, is_admitted, remaining_ms)
     values ($1, $2, $3, 'requires_action', app_now(), app_now(), app_now() + interval '7 days', app_now() - interval '31 minutes', false, 60000)`,
    [toUuid(newId('run')), org, world.agent],
  )
  await world.evaluate()
  const told = await world.eventsOf(org)
  const snapshots = told.map(({ data }) => data.snapshot as { metric: string; value: number; series: unknown[] })
  expect(snapshots.toSorted((one, other) => (one.metric < other.metric ? -1 : 1))).toEqual([
    expect.objectContaining({ metric: 'action_waiting_minutes', value: expect.closeTo(31.2, 0) }),
    expect.objectContaining({ metric: 'quota_used', value: 0.9, series: [expect.objectContaining({ value: 0.9 })] }),
  ])
})

test('a rule of one agent sees the runs of this agent only', async () => {
  const org = await world.newOrg()
  const other = toUuid(newId('ag'))
  for (const id of [world.agent, other])
    await world.sql(
      `insert into agents (id, org_id, name, kind, source, config) values ($1, $2, 'Agent', 'llm', 'custom', '{}')`,
      [id, org],
    )
  const counted = { metric: 'error_code_count', error_code: 'model_error', threshold: 3 }
  const rules = [await world.addRule(org, counted), await world.addRule(org, counted)]
  await world.sql('update alert_rules set agent_id = $2 where id = $1', [rules[0], world.agent])
  await world.sql('update alert_rules set agent_id = $2 where id = $1', [rules[1], other])
  await world.endRuns(org, { failed: 4 })
  await world.evaluate()
  expect([(await world.ruleOf(rules[0] ?? '')).state, (await world.ruleOf(rules[1] ?? '')).state]).toEqual([
    'firing',
    'ok',
  ])
  expect(await world.eventsOf(org)).toMatchObject([{ data: { snapshot: { value: 4, sample_size: 4 } } }])
})
