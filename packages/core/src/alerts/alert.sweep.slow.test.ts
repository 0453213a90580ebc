import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type AlertWorld, openAlertWorld } from '../../test/alert-world.ts'

let world: AlertWorld
beforeAll(async () => {
  world = await openAlertWorld()
})
afterAll(() => world.close())
// Rules of other tests are not due.
beforeEach(() => world.sql('update alert_rules set enabled = false, due_at = null'))

test('a failure rate that swings around the threshold for an hour fires once', async () => {
  const org = await world.newOrg()
  await world.addRule(org)
  for (let minute = 0; minute < 60; minute++) {
    await world.endRuns(org, minute % 3 === 0 ? { ok: 15, failed: 5 } : { ok: 20 })
    await world.evaluate(60)
  }
  const told = (await world.eventsOf(org)).map(({ type }) => type)
  expect(told.filter((type) => type === 'alert.triggered')).toHaveLength(1)
})
