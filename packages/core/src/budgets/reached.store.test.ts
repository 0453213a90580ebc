import { systemClock } from '@ars/platform/clock'
import type { Tx } from '@ars/platform/db/database'
import { createIdMaker } from '@ars/platform/id'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPlantedWorld, type PlantedWorld } from '../../test/planted-world.ts'
import type { SpentBudget } from './budget.ts'
import { listChanged, lockReached, noteTold } from './reached.store.ts'
import { reachedSweep } from './reached.sweep.ts'
import { budgetMonth } from './spend.sql.ts'

const newId = createIdMaker(systemClock)
let world: PlantedWorld
beforeAll(async () => {
  world = await openPlantedWorld([])
})
afterAll(() => world.close())

/** An organisation with a budget of 10 dollars. */
const newBudget = async (): Promise<string> => {
  const org = await world.newOrg()
  await world.sql(
    `insert into budgets (org_id, subject_id, kind, monthly_usd, action) values ($1, $1, 'organisation', 10, 'notify')`,
    [org],
  )
  return org
}
/** Each cost has another slot, as those of concurrent steps have. */
const spend = (org: string, costUsd: number) =>
  world.sql(
    `insert into budget_spend (org_id, subject_id, month, slot, cost_usd)
     select $1, $1, ${budgetMonth}, count(*), $2 from budget_spend where org_id = $1`,
    [org, costUsd],
  )
const announced = async (org: string): Promise<number[]> =>
  (
    await world.sql<{ percent: number }>(
      `select (data ->> 'reached_percent')::integer as percent from events where org_id = $1 and type = 'budget.reached' order by id`,
      [org],
    )
  ).map(({ percent }) => percent)
const sweep = () => reachedSweep({ ...world, newId }).run()

test('a budget that is reached again in the next month is announced again', async () => {
  const org = await newBudget()
  await spend(org, 10)
  await sweep()
  await sweep()
  expect(await announced(org)).toEqual([80, 100])
  await world.sql(`update budgets set told_month = told_month - interval '1 month' where org_id = $1`, [org])
  await world.sql(`update budget_spend set month = month - interval '1 month' where org_id = $1`, [org])
  await spend(org, 8)
  await sweep()
  expect(await announced(org)).toEqual([80, 100, 80])
})

test('of two workers that compare a budget at the same time the second sees what the first has announced', async () => {
  const org = await newBudget()
  await spend(org, 10)
  // Counters that are marked keep nobody apart: the budget must.
  await world.sql('update budget_spend set is_seen = true where org_id = $1', [org])
  let second: Promise<SpentBudget | null> = Promise.resolve(null)
  let isOver = false
  await world.system.transaction(org, async (tx) => {
    expect(await lockReached(tx, org, org)).toMatchObject({ spent_usd: 10, reached_percent: 0 })
    await spend(org, 1)
    second = world.system
      .transaction(org, (other) => lockReached(other, org, org))
      .finally(() => {
        isOver = true
      })
    await expect.poll(async () => isOver || (await world.isLockAwaited())).toBe(true)
    await noteTold(tx, org, { subjectId: org, percent: 100 })
  })
  expect(await second).toMatchObject({ reached_percent: 100 })
})

test('a cost that is added while a budget is compared is compared too, now or by the next look', async () => {
  const org = await newBudget()
  await spend(org, 1)
  const found = await world.system.transaction(org, (tx) => {
    let isAdded = false
    const interrupted: Tx = {
      query: async (statement) => {
        const rows = await tx.query(statement)
        if (!isAdded) await spend(org, 9)
        isAdded = true
        return rows
      },
    }
    return lockReached(interrupted, org, org)
  })
  const left = (await listChanged(world.system, 100)).filter(({ org_id }) => org_id === org)
  expect(found?.spent_usd === 10 || left.length > 0).toBe(true)
})
