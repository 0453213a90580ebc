import { plans } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AccessWorld, newId, openAccessWorld, refusal } from '../../test/access-world.ts'

let world: AccessWorld
beforeAll(async () => {
  world = await openAccessWorld()
})
afterAll(() => world.close())

const stored = async (org: string) =>
  (
    await world.sql(
      `select plan, requests_per_minute, burst, calls_per_month::integer, concurrent_runs, run_timeout_max_seconds
         from organisations where id = $1`,
      [org],
    )
  )[0]
const audited = (org: string) =>
  world.sql('select action, actor_type, before, after from audit_log where org_id = $1 order by number', [org])

test.each(Object.entries(plans))('an organisation on the plan %s has the limits of the plan', async (plan, numbers) => {
  const { org } = await world.access.createOrganisation('Acme', { plan: plan as keyof typeof plans })
  expect(await stored(org)).toEqual({
    plan,
    requests_per_minute: numbers.requestsPerMinute,
    burst: numbers.burst,
    calls_per_month: numbers.callsPerMonth,
    concurrent_runs: numbers.concurrentRuns,
    run_timeout_max_seconds: numbers.runTimeoutMaxSeconds,
  })
})

test('the operator can override limits, and a plan change resets them to the plan’s values', async () => {
  const { org } = await world.access.createOrganisation('Acme', {
    plan: 'enterprise',
    limits: { requestsPerMinute: 123_456, burst: 200_000 },
  })
  const { key } = await world.access.createKey(org, { name: 'k' })
  expect((await world.access.authenticate(key))?.bucket).toMatchObject({ requestsPerMinute: 123_456, burst: 200_000 })
  await world.access.setPlan(org, 'developer', { callsPerMonth: 0 })
  expect(await stored(org)).toMatchObject({ plan: 'developer', requests_per_minute: 1_000, calls_per_month: 0 })
  expect((await world.access.authenticate(key))?.bucket).toMatchObject({ requestsPerMinute: 1_000, burst: 1_500 })
  expect((await audited(org)).at(-1)).toMatchObject({
    action: 'organisation.plan_changed',
    actor_type: 'operator',
    before: { plan: 'enterprise', requests_per_minute: 123_456, calls_per_month: 5_000_000 },
    after: { plan: 'developer', requests_per_minute: 1_000, calls_per_month: 0 },
  })
})

test.each([
  ['requestsPerMinute', 0],
  ['burst', 1.5],
  ['concurrentRuns', 10_001],
  ['runTimeoutMaxSeconds', 86_401],
  ['callsPerMonth', -1],
])('%s of %d is refused with a message', async (name, value) => {
  const { org } = await world.access.createOrganisation('Acme')
  expect(await refusal(world.access.setPlan(org, 'free', { [name]: value }))).toMatchObject({
    code: 'input_invalid',
    param: name,
  })
})

test('an unknown organisation or plan is refused', async () => {
  expect(await refusal(world.access.setPlan(toUuid(newId('org')), 'free'))).toMatchObject({ code: 'not_found' })
  expect(await refusal(world.access.createOrganisation('Acme', { plan: 'gold' as 'free' }))).toMatchObject({
    code: 'input_invalid',
  })
})

test('no key is created for an unknown organisation', async () => {
  expect(await refusal(world.access.createKey(toUuid(newId('org')), { name: 'k' }))).toMatchObject({
    code: 'not_found',
  })
})
