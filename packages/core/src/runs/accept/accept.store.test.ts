import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askedRun } from '../../../test/asked-run.ts'
import { canary, releaseVersion } from '../../../test/planted-release.ts'
import { plantTenant } from '../../../test/run-gateway.ts'
import { bucketOf } from '../../deployments/index.ts'
import { claimSteps } from '../execute/segment.store.ts'
import { findRun } from '../run/run.store.ts'
import { type Accepted, acceptRuns, findRelease, type NewRun } from './accept.store.ts'

const newId = createIdMaker(systemClock)
const settings = { relayAfterMs: 0, cellSlots: 100 }
let database: TestDatabase
let app: Database

beforeAll(async () => {
  database = await createTestDatabase()
  const log = createLog({ level: 'silent' })
  app = openDatabase({ url: database.appUrl, name: 'app', size: 2, acquireTimeoutMs: 30_000, log })
})
afterAll(async () => {
  await app.close()
  await database.drop()
})

const newTenant = async (agent: Parameters<typeof plantTenant>[1] = {}) => {
  const { org, agentId } = await plantTenant(database, agent)
  return { org, agentId: toUuid(agentId) }
}

const asked = (agentId: string, change: Partial<NewRun> = {}): NewRun =>
  askedRun(agentId, { checkedVersion: null, ...change })

const accept = async (org: string, ...runs: NewRun[]): Promise<Accepted[]> => {
  const { verdicts } = await acceptRuns(app, org, runs, settings)
  return verdicts.map((verdict) => {
    if (verdict.kind !== 'accepted') throw new Error(`a run was not accepted: ${verdict.kind}`)
    return verdict
  })
}

const rowsOf = (org: string) =>
  asClient(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ id: string; timeout_seconds: number; is_watched: boolean }>(
      'select id, timeout_seconds, is_watched from runs where org_id = $1 order by id',
      [org],
    )
    return rows
  })

const claimedConfigs = async (org: string, runs: readonly string[]) => {
  const claims = await claimSteps(
    app,
    org,
    runs.map((run) => ({
      segment: { org, run, epoch: 1, segment: 1, step: 1 },
      step: 1,
      claimId: toUuid(newId('claim')),
      alone: false,
    })),
  )
  return claims.map((each) => each.kind === 'claimed' && [each.claim.kind, each.claim.config, each.claim.limits])
}

test('runs accepted in one batch each get the version, deployment and timeout of their side of the canary', async () => {
  const { org, agentId } = await newTenant()
  const live = await releaseVersion(app, org, { agentId, limits: { timeout_seconds: 40 } })
  const out = await releaseVersion(app, org, { agentId, limits: { timeout_seconds: 50 }, rollout: canary(10) })
  const runs = [0, 999, 1000, 9999].map((bucket) => asked(agentId, { bucket }))
  const accepted = await accept(org, ...runs)
  expect(accepted.map(({ agent_version, deployment_id }) => [agent_version, deployment_id])).toEqual([
    [3, out.id],
    [3, out.id],
    [2, live.id],
    [2, live.id],
  ])
  expect((await rowsOf(org)).map(({ timeout_seconds, is_watched }) => [timeout_seconds, is_watched])).toEqual([
    [50, true],
    [50, true],
    [40, true],
    [40, true],
  ])
  expect(await findRun(app, org, runs[0]?.id ?? '')).toMatchObject({ agent_version: 3, deployment_id: out.id })
})

test('only runs accepted while a canary is active are sampled', async () => {
  const { org, agentId } = await newTenant()
  await accept(org, asked(agentId))
  await releaseVersion(app, org, { agentId, rollout: canary(50) })
  await releaseVersion(app, org, { agentId, rollout: canary(50) })
  await accept(org, asked(agentId), asked(agentId, { bucket: 9999 }))
  await releaseVersion(app, org, { agentId })
  await accept(org, asked(agentId))
  expect((await rowsOf(org)).map(({ is_watched }) => is_watched)).toEqual([false, true, true, false])
})

test('an agent without any deployment runs its current configuration', async () => {
  const { org, agentId } = await newTenant()
  expect(await accept(org, asked(agentId, { bucket: 9999 }))).toMatchObject([{ agent_version: 1, deployment_id: null }])
})

test('a larger share moves only the difference, and only to the canary', async () => {
  const { org, agentId } = await newTenant({ calls: 10_000 })
  await releaseVersion(app, org, { agentId })
  const buckets = Array.from({ length: 60 }, (_, n) => bucketOf(agentId, `key-${n}`))
  const versionsAt = async (percent: number) => {
    const { version } = await releaseVersion(app, org, { agentId, rollout: canary(percent) })
    const accepted = await accept(org, ...buckets.map((bucket) => asked(agentId, { bucket })))
    return accepted.map(({ agent_version }) => agent_version === version)
  }
  const few = await versionsAt(20)
  const more = await versionsAt(60)
  expect(few.filter(Boolean).length).toBeGreaterThan(0)
  expect(more.filter(Boolean).length).toBeGreaterThan(few.filter(Boolean).length)
  expect(few.every((isCanary, n) => !isCanary || more[n])).toBe(true)
})

test('a step uses the agent as it was when its run was accepted, regardless of later releases', async () => {
  const { org, agentId } = await newTenant()
  const runs: string[] = []
  for (let version = 2; version <= 5; version++) {
    await releaseVersion(app, org, { agentId, config: { version }, limits: { max_steps: version } })
    const run = asked(agentId)
    await accept(org, run)
    runs.push(run.id)
  }
  await releaseVersion(app, org, { agentId, config: { version: 6 } })
  await asClient(database.superuserUrl, (client) =>
    client.query(`update agents set status = 'archived', archived_at = app_now() where id = $1`, [agentId]),
  )
  expect(await claimedConfigs(org, runs)).toEqual(
    [2, 3, 4, 5].map((version) => ['llm', { version }, { max_steps: version }]),
  )
})

test('a run is accepted only if its input was validated against the schema of its version', async () => {
  const { org, agentId } = await newTenant()
  await releaseVersion(app, org, { agentId, inputSchema: { title: 'two' } })
  await releaseVersion(app, org, { agentId, inputSchema: { title: 'three' }, rollout: canary(10) })
  const tried = [
    { bucket: 0, checkedVersion: null },
    { bucket: 0, checkedVersion: 2 },
    { bucket: 0, checkedVersion: 3 },
    { bucket: 1000, checkedVersion: null },
    { bucket: 1000, checkedVersion: 3 },
    { bucket: 1000, checkedVersion: 2 },
  ]
  const { verdicts } = await acceptRuns(
    app,
    org,
    tried.map((each) => asked(agentId, each)),
    settings,
  )
  const refused = 'input_unchecked'
  expect(verdicts.map(({ kind }) => kind)).toEqual([refused, refused, 'accepted', refused, refused, 'accepted'])
})

test('a release lookup returns the version of its side of the canary, also for an archived agent', async () => {
  const { org, agentId } = await newTenant()
  await releaseVersion(app, org, { agentId, inputSchema: { title: 'two' } })
  await releaseVersion(app, org, { agentId, rollout: canary(10) })
  const split = { live_version: 2, canary_version: 3, canary_percent: 10 }
  expect(await findRelease(app, org, { agentId, bucket: 999 })).toEqual({
    ...split,
    status: 'active',
    version: 3,
    input_schema: null,
  })
  await asClient(database.superuserUrl, (client) =>
    client.query(`update agents set status = 'archived', archived_at = app_now() where id = $1`, [agentId]),
  )
  expect(await findRelease(app, org, { agentId, bucket: 1000 })).toEqual({
    ...split,
    status: 'archived',
    version: 2,
    input_schema: { title: 'two' },
  })
  const stranger = await newTenant()
  expect(await findRelease(app, stranger.org, { agentId, bucket: 0 })).toBeNull()
})

test('each refused run of a batch has its reason, and the others are accepted', async () => {
  const { org, agentId } = await newTenant()
  const idempotency = { key: 'refusals', fingerprint: Buffer.alloc(32, 1) }
  await accept(org, asked(agentId, { idempotency }))
  const [strict, archived] = [await newTenant(), await newTenant()]
  await releaseVersion(app, strict.org, { agentId: strict.agentId, inputSchema: { title: 'two' } })
  await asClient(database.superuserUrl, (client) =>
    client.query(`update agents set status = 'archived', archived_at = app_now() where id = $1`, [archived.agentId]),
  )
  const kinds = async (at: string, ...runs: NewRun[]) =>
    (await acceptRuns(app, at, runs, settings)).verdicts.map(({ kind }) => kind)
  expect(
    await kinds(
      org,
      asked(agentId),
      asked(agentId, { idempotency }),
      asked(toUuid(newId('ag'))),
      asked(agentId, { timeoutSeconds: 10_000_000 }),
      asked(agentId, { timeoutSeconds: 60, maxTimeoutSeconds: 59 }),
      asked(agentId, { idempotency: { ...idempotency, key: 'another' } }),
    ),
  ).toEqual(['accepted', 'key_taken', 'no_agent', 'timeout_not_allowed', 'timeout_not_allowed', 'accepted'])
  expect(await kinds(strict.org, asked(strict.agentId))).toEqual(['input_unchecked'])
  expect(await kinds(archived.org, asked(archived.agentId))).toEqual(['no_agent'])
  expect(await kinds(toUuid(newId('org')), asked(agentId))).toEqual(['no_agent'])
  expect(await rowsOf(org)).toHaveLength(3)
})
