import type { Database } from '@ars/platform/db/database'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  adminOf,
  canary,
  type DeploymentWorld,
  deploymentId,
  failureRule,
  many,
  newId,
  openDeploymentWorld,
  type PlantedRun,
} from '../../test/deployment-world.ts'
import { createAgentWatch } from '../agents/index.ts'
import { listEndedRuns } from './canary.store.ts'
import type { Deployment } from './deployment.ts'
import { rollbackSweep } from './rollback.sweep.ts'

let world: DeploymentWorld
beforeAll(async () => {
  world = await openDeploymentWorld()
})
afterAll(() => world.close())
// Canaries of other tests are not due.
beforeEach(() => world.sql('update deployments set check_at = null'))

const sweep = (system = world.system) =>
  rollbackSweep({ system, newId, log: world.log, watchAgent: createAgentWatch({ newId }) }).run()
const makeDue = () => world.sql('update deployments set check_at = app_now() where check_at is not null')
const failing = (failures: number, runs: number, more: Partial<PlantedRun> = {}): PlantedRun[] => [
  ...many(failures, { status: 'failed', ...more }),
  ...many(runs - failures, { status: 'completed', ...more }),
]
const rowOf = async ({ id }: Deployment) => {
  const [row] = await world.sql<{
    status: string
    rollback_reason: string | null
    is_due: boolean | null
    is_checked: boolean
  }>(
    `select status, rollback_reason, check_at <= app_now() as is_due, check_at is not null as is_checked
       from deployments where id = $1`,
    [id],
  )
  return row
}
const toldOf = (org: string) =>
  world.sql<{ type: string; data: Record<string, unknown> }>(
    'select type, data from events where org_id = $1 order by id',
    [org],
  )
const place = async (rules = [failureRule] as Parameters<typeof canary>[1]) => {
  const org = await world.newOrg()
  const agent = await world.newAgent(org)
  const out = await world.change(org, agent, canary(10, rules))
  const base = { id: out.previous_deployment_id ?? '', agent_id: agent }
  return { org, agent, out, base }
}

test('a canary that fails more than its rule and its baseline allow is rolled back with the numbers', async () => {
  const { org, out, base } = await place()
  await world.endRuns(org, base, failing(2, 200))
  await world.endRuns(org, out, failing(20, 100))
  await sweep()
  expect(await rowOf(out)).toMatchObject({ status: 'rolled_back', is_checked: false })
  const reason = (await rowOf(out))?.rollback_reason
  expect(reason).toContain('failure_rate above 5 %')
  expect(reason).toContain('20 % (20 of 100 runs)')
  expect(reason).toContain('1 % (2 of 200 runs)')
  expect(await toldOf(org)).toEqual([
    {
      type: 'deployment.rollback',
      data: expect.objectContaining({ id: deploymentId(out), status: 'rolled_back', reason }),
    },
    {
      type: 'agent.updated',
      data: expect.objectContaining({ version: { old: 2, new: 1 }, actor: { type: 'service', id: null } }),
    },
  ])
  const audit = await world.sql('select action, actor_type, actor_id, subject from audit_log where org_id = $1', [org])
  expect(audit).toEqual([
    { action: 'deployment.rolled_back', actor_type: 'service', actor_id: null, subject: deploymentId(out) },
  ])
  expect(await world.disagreements()).toEqual([])
})

test('concurrent workers roll a canary back once, and it stays rolled back', async () => {
  const { org, agent, out } = await place()
  await world.endRuns(org, out, failing(60, 60))
  for (let round = 0; round < 3; round++) {
    await makeDue()
    await Promise.all([sweep(), sweep(), sweep(), sweep()])
  }
  expect(await rowOf(out)).toMatchObject({ status: 'rolled_back' })
  expect((await toldOf(org)).map(({ type }) => type)).toEqual(['deployment.rollback', 'agent.updated'])
  expect(await world.sql('select from audit_log where org_id = $1', [org])).toHaveLength(1)
  await expect(world.deployments.promote(adminOf(org), deploymentId(out))).rejects.toMatchObject({
    code: 'deployment_not_open',
  })
  expect(await world.sql('select from deployments where agent_id = $1', [agent])).toHaveLength(2)
  expect(await world.disagreements()).toEqual([])
})

test('a worker that dies after reading the metrics loses nothing: the canary is due again', async () => {
  const { org, out } = await place()
  await world.endRuns(org, out, failing(60, 60))
  const dying = { ...world.system, transaction: () => Promise.reject(new Error('the worker died')) }
  await sweep(dying)
  expect(await rowOf(out)).toMatchObject({ status: 'canary', is_due: false, is_checked: true })
  expect(await toldOf(org)).toEqual([])
  await makeDue()
  await sweep()
  expect(await rowOf(out)).toMatchObject({ status: 'rolled_back' })
})

/** A worker that is paused between reading the metrics and writing its decision, while something else happens. */
const heldUp = (meanwhile: () => Promise<unknown>): Database => ({
  ...world.system,
  transaction: async (org, work) => {
    await meanwhile()
    return world.system.transaction(org, work)
  },
})

test('two workers that both saw the broken rule roll the canary back once', async () => {
  const { org, out } = await place()
  await world.endRuns(org, out, failing(60, 60))
  await sweep(
    heldUp(async () => {
      await makeDue()
      await sweep()
      expect(await rowOf(out)).toMatchObject({ status: 'rolled_back' })
    }),
  )
  expect((await toldOf(org)).map(({ type }) => type)).toEqual(['deployment.rollback', 'agent.updated'])
  expect(await world.sql('select from audit_log where org_id = $1', [org])).toHaveLength(1)
  expect(await world.disagreements()).toEqual([])
})

test('a canary that was promoted in the meantime stays; a superseded one is not rolled back', async () => {
  const promoted = await place()
  await world.endRuns(promoted.org, promoted.out, failing(60, 60))
  await sweep(heldUp(() => world.deployments.promote(adminOf(promoted.org), deploymentId(promoted.out))))
  expect(await rowOf(promoted.out)).toMatchObject({ status: 'active', rollback_reason: null })
  const superseded = await place()
  await world.endRuns(superseded.org, superseded.out, failing(60, 60))
  await sweep(heldUp(() => world.change(superseded.org, superseded.agent, canary(10, [failureRule]))))
  expect(await rowOf(superseded.out)).toMatchObject({ status: 'superseded', rollback_reason: null })
  for (const { org } of [promoted, superseded]) expect(await toldOf(org)).toEqual([])
  expect(await world.disagreements()).toEqual([])
})

test('a canary that cannot be evaluated does not block the others', async () => {
  const [bad, good] = [await place(), await place()]
  await world.sql(`update deployments set rollback_rules = '[{"metric":"nonsense"}]' where id = $1`, [bad.out.id])
  await world.endRuns(bad.org, bad.out, failing(60, 60))
  await world.endRuns(good.org, good.out, failing(60, 60))
  await sweep()
  expect(await rowOf(bad.out)).toMatchObject({ status: 'canary', is_checked: true })
  expect(await rowOf(good.out)).toMatchObject({ status: 'rolled_back' })
  expect(world.logLines.some((line) => line.includes('canary could not be judged'))).toBe(true)
})

test('a healthy canary, and one no worse than its baseline, stays active and is checked again', async () => {
  const healthy = await place()
  await world.endRuns(healthy.org, healthy.out, failing(1, 100))
  const alike = await place()
  await world.endRuns(alike.org, alike.out, failing(30, 100))
  await world.endRuns(alike.org, alike.base, failing(30, 100))
  const young = await place()
  await world.endRuns(young.org, young.out, failing(49, 49))
  await sweep()
  for (const { out, org } of [healthy, alike, young]) {
    expect(await rowOf(out)).toMatchObject({ status: 'canary', is_due: false, is_checked: true })
    expect(await toldOf(org)).toEqual([])
  }
})

test('cancelled runs, runs in flight, old runs and runs outside any canary are not counted', async () => {
  const { org, out } = await place()
  await world.endRuns(org, out, failing(0, 40))
  await world.endRuns(org, out, many(60, { status: 'cancelled' }))
  await world.endRuns(org, out, many(60, { status: 'running' }))
  await world.endRuns(org, out, many(60, { status: 'failed', agoSeconds: 3_700 }))
  await world.endRuns(org, out, many(60, { status: 'failed', isWatched: false }))
  const asked = { deploymentId: out.id, windowSeconds: 3_600, until: null }
  expect(await listEndedRuns(world.system, org, asked)).toHaveLength(40)
  expect(await listEndedRuns(world.system, org, { ...asked, windowSeconds: 7_200 })).toHaveLength(100)
  const newest = await listEndedRuns(world.system, org, { ...asked, windowSeconds: 7_200, limit: 40 })
  expect(newest.every(({ failed }) => !failed)).toBe(true)
  await sweep()
  expect(await rowOf(out)).toMatchObject({ status: 'canary' })
})

test('time spent waiting for a person does not count as latency', async () => {
  const rule = { metric: 'latency_p95_ms', above: 1_000, min_runs: 50, window_seconds: 3_600 } as const
  const patient = await place([rule])
  await world.endRuns(patient.org, patient.out, many(60, { status: 'completed', latencyMs: 500, waitingMs: 90_000 }))
  const slow = await place([rule])
  await world.endRuns(slow.org, slow.out, many(60, { status: 'completed', latencyMs: 1_500 }))
  await sweep()
  expect(await rowOf(patient.out)).toMatchObject({ status: 'canary' })
  expect((await rowOf(slow.out))?.rollback_reason).toContain('1500 ms (60 runs)')
})

test('a more expensive canary is rolled back by a cost rule; runs of unknown cost do not count', async () => {
  const rule = { metric: 'cost_per_run_usd', above: 0.01, min_runs: 50, window_seconds: 3_600 } as const
  const { org, out, base } = await place([failureRule, rule])
  await world.endRuns(org, base, many(100, { status: 'completed', costUsd: 0.002 }))
  await world.endRuns(org, out, many(60, { status: 'completed', costUsd: null }))
  await sweep()
  expect(await rowOf(out)).toMatchObject({ status: 'canary' })
  await world.endRuns(org, out, many(60, { status: 'completed', costUsd: 0.02 }))
  await makeDue()
  await sweep()
  expect((await rowOf(out))?.rollback_reason).toContain('$0.02 (60 runs), at least $0.02')
})

test('the canary of an archived agent is no longer checked', async () => {
  const { org, agent, out } = await place()
  await world.endRuns(org, out, failing(60, 60))
  await world.sql(`update agents set status = 'archived' where id = $1`, [agent])
  await sweep()
  expect(await rowOf(out)).toMatchObject({ status: 'canary', is_checked: false })
})

test('many due canaries are checked in one pass, each once (deploymentsBounds.canariesTogether)', async () => {
  const org = await world.newOrg()
  const outs: Deployment[] = []
  for (let n = 0; n < 45; n++) outs.push(await world.change(org, await world.newAgent(org), canary(10, [failureRule])))
  await sweep()
  const due = await world.sql('select from deployments where check_at <= app_now()')
  expect(due).toEqual([])
  expect(await world.sql('select from deployments where org_id = $1 and check_at > app_now()', [org])).toHaveLength(45)
})
