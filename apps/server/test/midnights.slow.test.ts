import { dropPartition, listPartitions, makePartition } from '@ars/core/retention'
import { openDatabase } from '@ars/platform/db/database'
import { DatabaseBusy } from '@ars/platform/db/unavailable'
import { createLog } from '@ars/platform/log/log'
import { expect, onTestFinished, test } from 'vitest'
import { startApp, until } from './app.ts'

const midnights = 3
const callers = 4

// `pnpm bench month` does this for a month.
test('midnights under load: partitions of all tables come and go, no request fails and nothing deadlocks', async () => {
  const app = await startApp()
  const system = openDatabase({
    ...{ url: app.database.systemUrl, name: 'midnights', size: 1, acquireTimeoutMs: 30_000 },
    log: createLog({ level: 'silent' }),
  })
  onTestFinished(async () => {
    await system.close()
    await app.stop()
  })
  const { key, agents } = await app.addTenant({ plan: 'enterprise' })
  const { today, parents } = await listPartitions(system)
  const dayOf = (parent: string, firstDay: number) => ({ parent, firstDay, endDay: firstDay + 1 })
  const old = Array.from({ length: midnights }, (_, night) => today - 3 - night)
  for (const day of old) for (const parent of parents) await makePartition(system, dayOf(parent, day))

  const statuses: number[] = []
  let isOver = false
  const call = async (): Promise<void> => {
    while (!isOver) {
      const body = { agent_id: agents['test-echo'], input: { query: 'x' } }
      statuses.push((await app.call('POST', '/v2/runs', { key, body })).status)
    }
  }
  const load = Promise.all(Array.from({ length: callers }, call))
  for (const [night, day] of old.entries()) {
    for (const parent of parents) await whenFree(() => makePartition(system, dayOf(parent, today + 20 + night)))
    for (const parent of parents) await whenFree(() => dropPartition(system, dayOf(parent, day)))
  }
  await until('requests to be answered after the last midnight', async () => statuses.length > 20)
  isOver = true
  await load

  expect(statuses.filter((status) => status !== 200)).toEqual([])
  expect(
    await app.query('select deadlocks::integer as deadlocks from pg_stat_database where datname = current_database()'),
  ).toEqual([{ deadlocks: 0 }])
  const left = (await listPartitions(system)).partitions.filter(({ firstDay }) => old.includes(firstDay))
  expect(left).toEqual([])
}, 120_000)

/** Tries again while the lock is not free, as the sweeps do. */
const whenFree = (work: () => Promise<boolean>): Promise<boolean> =>
  until('the lock to be free', () =>
    work().catch((error: unknown) => {
      if (error instanceof DatabaseBusy) return false
      throw error
    }),
  )
