import { getPriority } from 'node:os'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from './clock.ts'
import { createLog } from './log/log.ts'
import {
  createThreadPool,
  type Task,
  type TaskOutcome,
  type ThreadPool,
  type ThreadPoolOptions,
} from './thread-pool.ts'

const program = new URL('./thread-program.fixture.ts', import.meta.url)
const log = createLog({ level: 'silent' })
const plenty = { burstMs: 600_000, share: 1 }

let pool: ThreadPool
const open = (options: Partial<ThreadPoolOptions> = {}): ThreadPool => {
  pool = createThreadPool({
    program,
    clock: systemClock,
    log,
    threads: 1,
    budget: plenty,
    maxWaitMs: 60_000,
    ...options,
  })
  return pool
}
afterEach(() => pool.close())

const task = (kind: string, rest: Partial<Task> = {}): Task => ({
  owner: 'a',
  kind,
  payload: null,
  bytes: 10,
  maxCpuMs: 10_000,
  ...rest,
})

test('a task gets its payload and returns its result', async () => {
  const { run } = open()
  expect(await run(task('echo', { payload: { a: [1, 'x'] } }))).toEqual({ kind: 'done', result: { a: [1, 'x'] } })
  expect(pool.metrics()).toMatchObject({ done: 1, replaced: 0, waiting: 0 })
})

test('a thread sees no environment variables', async () => {
  expect(await open().run(task('name'))).toMatchObject({ kind: 'done', result: { secrets: [] } })
})

test('the event loop gets the CPU before a thread', async () => {
  const outcome = await open().run(task('priority'))
  expect(outcome).toMatchObject({ kind: 'done', result: expect.any(Number) })
  expect(outcome.kind === 'done' && outcome.result).toBeGreaterThan(getPriority(process.pid))
})

test('an error in a task is an error of the caller, and the thread continues', async () => {
  const { run } = open()
  await expect(run(task('throw'))).rejects.toThrow('as it was told to')
  await expect(run(task('unknown'))).rejects.toThrow('knows no task')
  expect(await run(task('echo'))).toMatchObject({ kind: 'done' })
  expect(pool.metrics().replaced).toBe(0)
})

test('a task that never ends is stopped at its CPU limit, and its thread is replaced', async () => {
  const { run, metrics } = open()
  expect(await run(task('forever', { maxCpuMs: 50 }))).toEqual({ kind: 'out_of_time', progress: 'begun' })
  expect(await run(task('echo', { payload: 1 }))).toEqual({ kind: 'done', result: 1 })
  await expect.poll(() => metrics().replaced, { timeout: 30_000 }).toBe(1)
  await expect.poll(() => metrics().threads, { timeout: 30_000 }).toBe(2)
})

test('a task that eats memory is stopped at the limit of its thread, and the process lives', async () => {
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

test('of several threads, one organisation occupies at most half', async () => {
  const { run, metrics } = open({ threads: 2 })
  const endless = [1, 2, 3].map(() => run(task('forever', { owner: 'greedy', maxCpuMs: 60_000 })))
  await expect.poll(() => metrics().running, { timeout: 30_000 }).toBe(1)
  expect(await run(task('echo', { owner: 'modest' }))).toMatchObject({ kind: 'done' })
  expect(metrics()).toMatchObject({ running: 1, waiting: 2 })
  await pool.close()
  expect(await Promise.all(endless)).toEqual(Array(3).fill({ kind: 'busy' }))
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

test('beyond the bounds of the queue a task is refused and not stored', async () => {
  const queue = { maxItems: 3, maxBytes: 100, maxItemsPerOwner: 2, maxBytesPerOwner: 60 }
  const { run, metrics } = open({ queue })
  const endless = run(task('forever', { owner: 'x', maxCpuMs: 60_000 }))
  await expect.poll(() => metrics().running, { timeout: 30_000 }).toBe(1)
  const waiting = [run(task('echo')), run(task('echo'))]
  expect(await run(task('echo'))).toEqual({ kind: 'busy' })
  expect(await run(task('echo', { owner: 'b', bytes: 61 }))).toEqual({ kind: 'busy' })
  waiting.push(run(task('echo', { owner: 'b' })))
  expect(await run(task('echo', { owner: 'c' }))).toEqual({ kind: 'busy' })
  expect(metrics()).toMatchObject({ busy: 3, waiting: 3 })
  await pool.close()
  expect(await Promise.all([endless, ...waiting])).toEqual(Array(4).fill({ kind: 'busy' }))
})

test('a task that waits too long for a thread is refused', async () => {
  const { run, metrics } = open({ maxWaitMs: 50, budget: { burstMs: 1, share: 0.000_001 } })
  pool.warm()
  expect(metrics().threads).toBe(2)
  await expect.poll(async () => (await run(task('spin', { payload: 20 }))).kind, { timeout: 30_000 }).toBe('done')
  expect(await run(task('echo'))).toEqual({ kind: 'busy' })
  expect(metrics().waiting).toBe(0)
})

test('a pool whose program does not start refuses and does not loop', async () => {
  const { run, metrics } = open({ program: new URL('./no-such-file.ts', import.meta.url), maxWaitMs: 200 })
  expect(await run(task('echo'))).toEqual({ kind: 'busy' })
  await expect.poll(() => metrics().threads, { timeout: 30_000 }).toBe(0)
})
