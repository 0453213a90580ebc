import { fromUuid } from '@ars/platform/id'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  adminOf,
  canary,
  type DeploymentWorld,
  deploymentId,
  failureRule,
  many,
  newId,
  openDeploymentWorld,
  placeCanary,
} from '../../test/deployment-world.ts'
import { createAgentWatch } from '../agents/index.ts'
import { rollbackSweep } from './rollback.sweep.ts'

let world: DeploymentWorld
beforeAll(async () => {
  world = await openDeploymentWorld()
})
afterAll(() => world.close())

const sweep = () =>
  rollbackSweep({ system: world.system, newId, log: world.log, watchAgent: createAgentWatch({ newId }) }).run()

test('a canary without runs is compared without figures, and its rules name the runs that they need', async () => {
  const { out, base, compare } = await placeCanary(world)
  expect(await compare()).toMatchObject({
    deployment_id: deploymentId(out),
    status: 'canary',
    window_seconds: 3_600,
    canary: { version: 2, runs: 0, failure_rate: null, latency_p50_ms: null, latency_p95_ms: null },
    running: { deployment_id: fromUuid('dep', base.id), version: 1, runs: 0, cost_per_run_usd: null },
    rules: [{ ...failureRule, canary: null, running: null, runs_needed: 50, is_broken: false }],
    bucket_seconds: 120,
    series: [],
  })
})

test('both sides show runs, failure rate with bounds, latencies and cost', async () => {
  const { org, out, base, compare } = await placeCanary(world)
  await world.endRuns(org, base, many(200, { status: 'completed', latencyMs: 100, costUsd: 0.002 }))
  await world.endRuns(org, out, [
    ...many(4, { status: 'failed', latencyMs: 900, costUsd: 0.02 }),
    ...many(36, { status: 'completed', latencyMs: 300, costUsd: 0.01 }),
    ...many(5, { status: 'cancelled' }),
    ...many(5, { status: 'running' }),
    ...many(5, { status: 'failed', agoSeconds: 4_000 }),
  ])
  const compared = await compare()
  expect(compared.canary).toMatchObject({ runs: 40, latency_p50_ms: 300 })
  expect(compared.canary.failure_rate).toMatchObject({ runs: 40, value: 0.1 })
  expect(compared.canary.failure_rate?.at_least).toBeCloseTo(0.0302, 4)
  expect(compared.canary.failure_rate?.at_most).toBeCloseTo(0.2836, 4)
  expect(compared.canary.latency_p95_ms).toMatchObject({ value: 900, at_most: null })
  expect(compared.canary.cost_per_run_usd?.value).toBeCloseTo(0.011)
  expect(compared.running).toMatchObject({
    runs: 200,
    failure_rate: { value: 0, at_least: 0 },
    latency_p95_ms: { value: 100, at_least: 100, at_most: 100 },
  })
  expect(compared.rules).toMatchObject([{ canary: { runs: 40 }, runs_needed: 10, is_broken: false }])
})

test('the series counts every run once, in at most 60 intervals that stay where they are (limits.comparisonIntervals)', async () => {
  for (const window_seconds of [60, 3_600, 86_400]) {
    const { org, out, base, compare } = await placeCanary(world, [{ ...failureRule, window_seconds }])
    const ages = Array.from({ length: 150 }, (_, n) => 1 + Math.floor((n * (window_seconds - 10)) / 150))
    await world.endRuns(
      org,
      out,
      ages.map((agoSeconds, n) => ({ status: n % 3 === 0 ? 'failed' : 'completed', agoSeconds })),
    )
    await world.endRuns(org, base, many(7, { status: 'completed', agoSeconds: 1 }))
    const { series, bucket_seconds, canary: side } = await compare()
    expect(series.length).toBeGreaterThan(20)
    expect(series.length).toBeLessThanOrEqual(60)
    const count = (of: (point: (typeof series)[number]) => number) => series.reduce((sum, each) => sum + of(each), 0)
    expect(count((each) => each.canary.runs)).toBe(side.runs)
    expect(count((each) => each.canary.failures)).toBe(50)
    expect(count((each) => each.running.runs)).toBe(7)
    for (const { started_at } of series) expect(Date.parse(started_at) % (bucket_seconds * 1_000)).toBe(0)
  }
})

test('the comparison and the judge agree, and a canary that was rolled back is compared as it was then', async () => {
  const { org, agent, out, base, compare } = await placeCanary(world)
  await world.endRuns(org, base, many(200, { status: 'completed' }))
  await world.endRuns(org, out, [...many(20, { status: 'failed' }), ...many(80, { status: 'completed' })])
  const before = await compare()
  expect(before.rules).toMatchObject([{ canary: { value: 0.2, runs: 100 }, runs_needed: 0, is_broken: true }])
  await sweep()
  const after = await compare()
  expect(after).toMatchObject({ status: 'rolled_back', rules: before.rules, canary: before.canary })
  // Runs of the next canary do not change what was seen then.
  await world.change(org, agent, canary(10))
  await world.endRuns(org, base, many(50, { status: 'failed', agoSeconds: 0, latencyMs: 60_000 }))
  expect((await compare()).running).toEqual(before.running)
})

test('a canary without rules has a window of an hour, and the first deployment has no other side', async () => {
  const { org, base, compare } = await placeCanary(world, [])
  expect(await compare()).toMatchObject({ window_seconds: 3_600, rules: [] })
  expect(await world.deployments.compare(adminOf(org), fromUuid('dep', base.id))).toMatchObject({
    status: 'active',
    running: null,
    series: [],
  })
})
