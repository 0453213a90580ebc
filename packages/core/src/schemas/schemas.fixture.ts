import { systemClock } from '@ars/platform/clock'
import { createLog } from '@ars/platform/log/log'
import { createThreadPool, type ThreadPool } from '@ars/platform/thread-pool'
import { threadProgram } from '../parts.ts'
import { createSchemas, type Schemas } from './schema.service.ts'

let pool: ThreadPool | undefined

/** One pool per test process. Its threads start with the first task and do not keep the process alive. */
export const testThreads = (): ThreadPool => {
  pool ??= createThreadPool({
    program: threadProgram,
    clock: systemClock,
    log: createLog({ level: 'silent' }),
    threads: 1,
    // Tests of other things must not wait for a budget.
    budget: { burstMs: 600_000, share: 1 },
    maxWaitMs: 60_000,
  })
  return pool
}

export const testSchemas = (): Schemas => createSchemas({ threads: testThreads(), clock: systemClock })
