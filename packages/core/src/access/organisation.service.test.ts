import { plans } from '@ars/contract'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AccessWorld, newId, openAccessWorld, refusal } from '../../test/access-world.ts'
import { accessBounds } from './bounds.ts'
import { createOrganisations } from './organisation.service.ts'
import { parsePlansFile } from './plans-file.ts'

let world: AccessWorld
let operator: Database
beforeAll(async () => {
  world = await openAccessWorld()
  const log = createLog({ level: 'silent' })
  operator = openDatabase({ url: world.database.systemUrl, name: 'test', size: 1, acquireTimeoutMs: 30_000, log })
})
afterAll(async () => {
  await operator.close()
  await world.close()
})

const stored = async (org: string) =>
  (
    await world.sql(
      `select plan, requests_per_minute, burst, calls_per_month::double precision, concurrent_runs, run_timeout_max_seconds
         from organisations where id = $1`,
      [org],
    )
  )[0]
const audited = (org: string) =>
  world.sql<{ action: string }>(
    'select action, actor_type, before, after from audit_log where org_id = $1 order by number',
    [org],
  )

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

const operatorWith = (file: string) =>
  createOrganisations({
    operator,
    newId,
    forget: () => undefined,
    plans: parsePlansFile(file, 'plans.yaml'),
  })

test('single limits change one by one, the others follow the plan, and each change is in the audit log', async () => {
  const { org } = await world.access.createOrganisation('Acme', { plan: 'free', limits: { burst: 7 } })
  await world.access.setLimits(org, { callsPerMonth: 20_000 })
  expect(await stored(org)).toMatchObject({ plan: 'free', burst: 7, calls_per_month: 20_000, concurrent_runs: 5 })
  await world.access.setLimits(org, { burst: null })
  expect(await stored(org)).toMatchObject({ plan: 'free', burst: 150, calls_per_month: 20_000 })
  expect((await audited(org)).at(-1)).toMatchObject({
    action: 'organisation.limits_changed',
    actor_type: 'operator',
    before: { burst: 7 },
    after: { burst: 150, calls_per_month: 20_000 },
  })
  await expect(world.access.setLimits(org, { burst: 0 })).rejects.toThrow('burst must be a whole number')
})

test('a changed file of plans reaches the organisations of the plan, except limits that are set for one alone', async () => {
  const { org: follows } = await world.access.createOrganisation('Follows', { plan: 'developer' })
  const { org: differs } = await world.access.createOrganisation('Differs', {
    plan: 'developer',
    limits: { concurrentRuns: 9 },
  })
  const { org: other } = await world.access.createOrganisation('Other', { plan: 'none' })
  const organisations = operatorWith('developer: { concurrent_runs: 60, burst: 1600 }')
  const { changed } = await organisations.countOutdated()
  expect(await organisations.applyPlans()).toMatchObject({ changed })
  expect(await stored(follows)).toMatchObject({ concurrent_runs: 60, burst: 1_600, requests_per_minute: 1_000 })
  expect(await stored(differs)).toMatchObject({ concurrent_runs: 9, burst: 1_600 })
  expect(await stored(other)).toMatchObject({ concurrent_runs: 500 })
  expect((await audited(follows)).map(({ action }) => action)).toEqual([
    'organisation.created',
    'organisation.limits_changed',
  ])
  expect((await audited(other)).map(({ action }) => action)).toEqual(['organisation.created'])
  // Applied again, nothing changes. New organisations of the plan have the numbers of the file.
  expect((await organisations.applyPlans()).changed).toBe(0)
  const { org: later } = await organisations.create('Later', { plan: 'developer' })
  expect(await stored(later)).toMatchObject({ concurrent_runs: 60, requests_per_minute: 1_000 })
  // The file of the other tests is that of the contract.
  await operatorWith('').applyPlans()
})

test('organisations beyond one statement are found too', async () => {
  const { count } = accessBounds.organisationsTogether
  await world.sql(`insert into organisations (id, name) select gen_random_uuid(), 'many' from generate_series(1, $1)`, [
    count + 1,
  ])
  const counted = await operatorWith('free: { burst: 151 }').countOutdated()
  expect(counted.organisations).toBeGreaterThan(count)
  expect(counted.changed).toBeGreaterThan(count)
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
