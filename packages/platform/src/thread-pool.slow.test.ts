import { expect, test } from 'vitest'
import { systemClock } from './clock.ts'
import { open, task } from './thread-pool.fixture.ts'
import type { TaskOutcome } from './thread-pool.ts'

test('a task that never ends is stopped at its CPU limit, and its thread is replaced', async () => {
  const { run, metrics } = open()
  expect(await run(task('forever', { maxCpuMs: 50 }))).toEqual({ kind: 'out_of_time', progress: 'begun' })
  expect(await run(task('echo', { payload: 1 }))).toEqual({ kind: 'done', result: 1 })
  await expect.poll(() => metrics().replaced, { timeout: 30_000 }).toBe(1)
  await expect.poll(() => metrics().threads, { timeout: 30_000 }).toBe(2)
})

test('a task that eats memory is stopped at the limit of its thread, and the process lives (platformBounds.threadHeap)', async () => {
  const { run } = open({ maxHeapMb: 64 })
  expect(await run(task('eat', { maxCpuMs: 60_000 }))).toMatchObject({ kind: 'out_of_memory' })
  expect(await run(task('echo', { payload: 2 }))).toEqual({ kind: 'done', result: 2 })
})

test('an organisation with many waiting tasks delays another one by one task at the most', async () => {
  const { run } = open()
  const order: string[] = []
  const follow = (owner: string): Promise<unknown> =>
    run(task('spin', { owner, payload: 5 })).then(() => order.push(owner))
  await run(task('echo'))
  const greedy = Array.from({ length: 20 }, () => follow('greedy'))
  await Promise.all([follow('modest'), ...greedy])
  expect(order.indexOf('modest')).toBeLessThanOrEqual(1)
})

test('an organisation that has used its CPU time waits, and others do not', async () => {
  let now = 0
  const clock = { ...systemClock, monotonicMs: () => now }
  const { run, metrics } = open({ clock, budget: { burstMs: 20, share: 0.1 } })
  await run(task('spin', { owner: 'greedy', payload: 100 }))
  let outcome: TaskOutcome | undefined
  const second = run(task('echo', { owner: 'greedy' })).then((each) => {
    outcome = each
  })
  expect(await run(task('echo', { owner: 'modest' }))).toMatchObject({ kind: 'done' })
  expect(outcome).toBeUndefined()
  expect(metrics().waiting).toBe(1)
  now += 3_600_000
  await run(task('echo', { owner: 'modest' }))
  await second
  expect(outcome).toMatchObject({ kind: 'done' })
})

test('a task that waits too long for a thread is refused', async () => {
  const { run, metrics, warm } = open({ maxWaitMs: 50, budget: { burstMs: 1, share: 0.000_001 } })
  warm()
  expect(metrics().threads).toBe(2)
  await expect.poll(async () => (await run(task('spin', { payload: 20 }))).kind, { timeout: 30_000 }).toBe('done')
  expect(await run(task('echo'))).toEqual({ kind: 'busy' })
  expect(metrics().waiting).toBe(0)
})
