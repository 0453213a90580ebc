import { onTestFinished } from 'vitest'
import { systemClock } from './clock.ts'
import { createLog } from './log/log.ts'
import { createThreadPool, type Task, type ThreadPool, type ThreadPoolOptions } from './thread-pool.ts'

const program = new URL('./thread-program.fixture.ts', import.meta.url)
const log = createLog({ level: 'silent' })
const plenty = { burstMs: 600_000, share: 1 }

/** A pool that is closed after the test. */
export const open = (options: Partial<ThreadPoolOptions> = {}): ThreadPool => {
  const pool = createThreadPool({
    program,
    clock: systemClock,
    log,
    threads: 1,
    budget: plenty,
    maxWaitMs: 60_000,
    ...options,
  })
  onTestFinished(() => pool.close())
  return pool
}

export const task = (kind: string, rest: Partial<Task> = {}): Task => ({
  owner: 'a',
  kind,
  payload: null,
  bytes: 10,
  maxCpuMs: 10_000,
  ...rest,
})
