import { getPriority } from 'node:os'
import { expect, test } from 'vitest'
import { platformBounds } from './bounds.ts'
import { open, task } from './thread-pool.fixture.ts'

test('a task gets its payload and returns its result', async () => {
  const { run, metrics } = open()
  expect(await run(task('echo', { payload: { a: [1, 'x'] } }))).toEqual({ kind: 'done', result: { a: [1, 'x'] } })
  expect(metrics()).toMatchObject({ done: 1, replaced: 0, waiting: 0 })
})

test('a thread sees no environment variables', async () => {
  expect(await open().run(task('name'))).toMatchObject({ kind: 'done', result: { secrets: [] } })
})

test('the event loop gets the CPU before a thread', async () => {
  const outcome = await open().run(task('priority'))
  expect(outcome).toMatchObject({ kind: 'done', result: expect.any(Number) })
  expect(outcome.kind === 'done' && outcome.result).toBeGreaterThan(getPriority(process.pid))
})

test('a thread has a young heap of platformBounds.threadYoungHeap', async () => {
  const { mib } = platformBounds.threadYoungHeap
  expect(await open().run(task('limits'))).toMatchObject({ result: { maxYoungGenerationSizeMb: mib } })
})

test('an error in a task is an error of the caller, and the thread continues', async () => {
  const { run, metrics } = open()
  await expect(run(task('throw'))).rejects.toThrow('as it was told to')
  await expect(run(task('unknown'))).rejects.toThrow('knows no task')
  expect(await run(task('echo'))).toMatchObject({ kind: 'done' })
  expect(metrics().replaced).toBe(0)
})

test('of several threads, one organisation occupies at most half', async () => {
  const { run, metrics, close } = open({ threads: 2 })
  const endless = [1, 2, 3].map(() => run(task('forever', { owner: 'greedy', maxCpuMs: 60_000 })))
  await expect.poll(() => metrics().running, { timeout: 30_000 }).toBe(1)
  expect(await run(task('echo', { owner: 'modest' }))).toMatchObject({ kind: 'done' })
  expect(metrics()).toMatchObject({ running: 1, waiting: 2 })
  await close()
  expect(await Promise.all(endless)).toEqual(Array(3).fill({ kind: 'busy' }))
})

test('beyond the bounds of the queue a task is refused and not stored (platformBounds.threadTasksWaiting)', async () => {
  const queue = { maxItems: 3, maxBytes: 100, maxItemsPerOwner: 2, maxBytesPerOwner: 60 }
  const { run, metrics, close } = open({ queue })
  const endless = run(task('forever', { owner: 'x', maxCpuMs: 60_000 }))
  await expect.poll(() => metrics().running, { timeout: 30_000 }).toBe(1)
  const waiting = [run(task('echo')), run(task('echo'))]
  expect(await run(task('echo'))).toEqual({ kind: 'busy' })
  expect(await run(task('echo', { owner: 'b', bytes: 61 }))).toEqual({ kind: 'busy' })
  waiting.push(run(task('echo', { owner: 'b' })))
  expect(await run(task('echo', { owner: 'c' }))).toEqual({ kind: 'busy' })
  expect(metrics()).toMatchObject({ busy: 3, waiting: 3 })
  await close()
  expect(await Promise.all([endless, ...waiting])).toEqual(Array(4).fill({ kind: 'busy' }))
})

test('the start of the first thread is no overload: a task waits for it (platformBounds.firstThread)', async () => {
  const { run } = open({ maxWaitMs: 1 })
  expect(await run(task('echo'))).toMatchObject({ kind: 'done' })
})

test('a pool whose program does not start refuses and does not loop', async () => {
  const { run, metrics } = open({
    program: new URL('./no-such-file.ts', import.meta.url),
    maxWaitMs: 200,
    firstWaitMs: 300,
  })
  expect(await run(task('echo'))).toEqual({ kind: 'busy' })
  await expect.poll(() => metrics().threads, { timeout: 30_000 }).toBe(0)
})
