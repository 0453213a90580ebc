import type { Database } from '@ars/platform/db/database'
import type { Statement } from '@ars/platform/db/statement'
import { createLog } from '@ars/platform/log/log'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type AdmissionWorld, createAdmissionWorld, type Tenant } from '../../../test/admission-world.ts'
import { createAdmission } from './admission.service.ts'
import { admitRuns } from './admission.store.ts'

// On a busy machine a second says little. Without the bound of the admission, Postgres ends a stopped transaction after 10 s.
const maxDelayMs = process.env.ARS_FULL_SIZE === 'true' ? 1_000 : 5_000

let world: AdmissionWorld
let stopping: Tenant
let other: Tenant
beforeAll(async () => {
  world = await createAdmissionWorld()
  stopping = await world.addTenant(50)
  other = await world.addTenant(50)
})
afterAll(() => world.close())
beforeEach(() => world.clear())

/** A process that stops after this number of statements of its transaction, until `resume` is called. */
const stopAfter = (db: Database, statements: number) => {
  const stopped = Promise.withResolvers<void>()
  const resume = Promise.withResolvers<void>()
  const work = (org: string | null, all: readonly Statement[]) =>
    db.transaction(org, async (tx) => {
      const rows: unknown[][] = []
      for (const [at, statement] of all.entries()) {
        rows.push(await tx.query(statement))
        if (at + 1 < statements) continue
        stopped.resolve()
        await resume.promise
      }
      return rows
    })
  const stoppable = {
    ...db,
    batch: work,
    once: async (org: string | null, statement: Statement) => (await work(org, [statement]))[0],
  } as Database
  return { stoppable, stopped: stopped.promise, resume: () => resume.resolve() }
}

/** The admission of another process. */
const admission = () =>
  createAdmission({
    db: world.system,
    cellSlots: 100,
    relayAfterMs: 60_000,
    dispatcher: { send: () => undefined, sendNow: () => Promise.resolve() },
    log: createLog({ level: 'silent' }),
  })

test.each([
  ['an accept, after it has written the run', 2],
  ['an accept, after its first event', 3],
  ['an accept, while it holds the lock of the admission', 4],
])('a process that stops in the middle of %s delays nobody by more than a second', async (_, statements) => {
  const { stoppable, stopped, resume } = stopAfter(world.app, statements)
  const accepting = world.accept(stopping, 1, 100, stoppable).catch((error: unknown) => error)
  await stopped
  const beganMs = performance.now()
  const [run] = await world.accept(other, 1, 100)
  if (!run?.started) await admission().admit()
  expect(await world.admitted(other)).toBe(1)
  expect(performance.now() - beganMs).toBeLessThan(maxDelayMs)
  resume()
  const [accepted] = statements === 4 ? [] : ((await accepting) as Awaited<ReturnType<typeof world.accept>>)
  await accepting
  // Nothing is left of an accept whose transaction was ended; the caller got an error and repeats it.
  expect(await world.admitted(stopping)).toBe(accepted?.started ? 1 : 0)
})

test('a process that stops in the middle of a look delays nobody by more than a second', async () => {
  await world.accept(stopping, 3, 0)
  const { stoppable, stopped, resume } = stopAfter(world.system, 1)
  const looking = admitRuns(stoppable, { cellSlots: 100, relayAfterMs: 60_000 }).catch((error: unknown) => error)
  await stopped
  const beganMs = performance.now()
  await world.accept(other, 1, 100)
  await admission().admit()
  expect([await world.admitted(stopping), await world.admitted(other)]).toEqual([3, 1])
  expect(performance.now() - beganMs).toBeLessThan(maxDelayMs)
  resume()
  expect(await looking).toBeInstanceOf(Error)
})
