import { systemClock } from '@ars/platform/clock'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPlantedWorld, type PlantedWorld } from '../../test/planted-world.ts'
import { budgetMonth } from './spend.sql.ts'
import { addWait, listDueBudgets, lockDueBudget } from './wait.store.ts'

const newId = createIdMaker(systemClock)
let world: PlantedWorld
beforeAll(async () => {
  world = await openPlantedWorld([])
})
afterAll(() => world.close())

test.for([
  ['has nothing left', 10, false],
  ['has a cent left', 9.99, true],
] as const)('a run that waits for a budget which %s is looked at accordingly', async ([, spentUsd, hasRoom]) => {
  const org = await world.newOrg()
  await world.sql(
    `insert into budgets (org_id, subject_id, kind, monthly_usd, action) values ($1, $1, 'organisation', 10, 'park')`,
    [org],
  )
  await world.sql(
    `insert into budget_spend (org_id, subject_id, month, slot, cost_usd) values ($1, $1, ${budgetMonth}, 0, $2)`,
    [org, spentUsd],
  )
  const wait = { budgetId: org, runId: toUuid(newId('run')) }
  await world.app.transaction(org, (tx) => addWait(tx, org, wait))
  expect((await listDueBudgets(world.system, 10)).some(({ org_id }) => org_id === org)).toBe(hasRoom)
  await world.sql('update budgets set resume_at = app_now() where org_id = $1', [org])
  const locked = await world.system.transaction(org, (tx) => lockDueBudget(tx, org, org))
  expect(locked).toEqual({ has_room: hasRoom })
})
