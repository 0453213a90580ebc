import { contract, limits } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, sharedApp } from './app.ts'

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

type Calling = { key?: string; headers?: Record<string, string> }
const call = (method: string, path: string, body?: object, more: Calling = {}) =>
  app.call(method, `/v2${path}`, { ...(body && { body }), ...more })
const ok = async (method: string, path: string, body?: object, more?: Calling) => {
  const answer = await call(method, path, body, more)
  expect([200, 201], answer.text).toContain(answer.status)
  return answer.body
}
const run = async (query: string): Promise<string> =>
  (await ok('POST', '/runs', { agent_id: app.tenant.agents['test-echo'], input: { query } })).id
const rule = {
  id: 'codename',
  check: 'keywords',
  stages: ['input', 'output'],
  action: 'block',
  params: { words: ['heron'] },
}
const newPolicy = async (): Promise<string> => (await ok('POST', '/policies', { name: 'Codenames', rules: [rule] })).id
const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString()
const ended = async (path: string) => {
  await expect.poll(async () => (await ok('GET', path)).ended_at).not.toBeNull()
  return ok('GET', path)
}

test('a policy is tried on past runs before anything is attached, and erasing a run erases what a trial quotes of it', async () => {
  const found = await run('Tell me about heron')
  await run('Tell me about nothing')
  const policy = await newPolicy()
  const trials = `/policies/${policy}/trials`
  const asked = { since: hourAgo(), agent_id: app.tenant.agents['test-echo'] }
  const headers = { 'idempotency-key': 'try-once' }
  const begun = await call('POST', trials, asked, { headers })
  expect(begun).toMatchObject({ status: 201, headers: { location: `/v2${trials}/${begun.body.id}` } })
  expect(contract.policyTrials.create.output.strict().safeParse(begun.body).error).toBeUndefined()
  expect((await ok('POST', trials, asked, { headers })).id).toBe(begun.body.id)

  const path = `${trials}/${begun.body.id}`
  const trial = await ended(path)
  expect(trial).toMatchObject({
    status: 'completed',
    policy_version: 1,
    coverage: { runs: 2, erased: 0, expired: 0, redacted: 0 },
    rules: [
      { rule: 'codename', check: 'keywords', action: 'block', redacted: 0, asked: 0, flagged: 0, runs: 1, failed: 0 },
    ],
    cost_usd: 0,
  })
  expect(trial.rules[0].blocked).toBeGreaterThanOrEqual(1)
  expect(trial.delay_ms.p95).toBeGreaterThan(0)
  expect(trial.samples).toMatchObject([{ run_id: found, rule: 'codename', stage: 'input', action: 'block' }])
  expect(JSON.stringify(trial)).not.toContain('heron')
  expect(await ok('GET', trials)).toMatchObject({ data: [{ id: trial.id }], has_more: false })
  const { data } = await ok('GET', '/audit-log?limit=5')
  expect(data.map(({ action }: { action: string }) => action)).toContain('policy.trial_started')

  await ok('DELETE', `/runs/${found}/data`)
  expect(await ok('GET', path)).toMatchObject({ coverage: { runs: 2 }, samples: [] })
})

test('a trial covers 31 days of the past at most, of a policy that is not archived and an agent that exists (limits.trialMaxDays)', async () => {
  const policy = await newPolicy()
  const trials = `/policies/${policy}/trials`
  const refusal = async (body: object) => {
    const { status, body: answer } = await call('POST', trials, body)
    return [status, answer.error.code, answer.error.param]
  }
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  expect(await refusal({ since: ago(32) })).toEqual([422, 'input_invalid', 'since'])
  expect(await refusal({ since: ago(1), until: ago(2) })).toEqual([422, 'input_invalid', 'since'])
  expect(await refusal({ since: ago(1), sample: 100_001 })).toEqual([400, 'invalid_request', 'sample'])
  expect((await refusal({ since: ago(1), agent_id: 'ag_01kf3xw0fqe1vrr9m8sdv2wbx4' }))[1]).toBe('not_found')
  await ok('DELETE', `/policies/${policy}`)
  expect((await refusal({ since: ago(1) }))[1]).toBe('policy_archived')
})

test('an organisation has ten trials in progress at most, and a cancelled one makes room and stays cancelled (limits.trialsUnderWay)', async () => {
  const policy = await newPolicy()
  const trials = `/policies/${policy}/trials`
  const first = await ok('POST', trials, { since: hourAgo() })
  await ended(`${trials}/${first.id}`)
  // Ten that no worker gets to.
  await app.query(
    `insert into policy_trials (id, org_id, policy_id, policy_version, since, until, sample, due_at, result, samples, created_by, created_by_type)
     select gen_random_uuid(), org_id, policy_id, 1, since, until, sample, app_now() + interval '1 hour', result, samples, created_by, created_by_type
       from policy_trials, generate_series(1, 10) where id = $1`,
    [toUuid(first.id)],
  )
  expect((await call('POST', trials, { since: hourAgo() })).body.error.code).toBe('limit_reached')
  const { data } = await ok('GET', trials)
  const waiting = data.find(({ status }: { status: string }) => status === 'queued')
  const cancelled = await ok('DELETE', `${trials}/${waiting.id}`)
  expect(cancelled).toMatchObject({ status: 'cancelled', ended_at: expect.stringMatching(/Z$/) })
  expect(await ok('DELETE', `${trials}/${waiting.id}`)).toEqual(cancelled)
  await ended(`${trials}/${(await ok('POST', trials, { since: hourAgo() })).id}`)
})

test('of the ended trials of an organisation limits.trialsKept are kept', async () => {
  const { org, key } = await app.addTenant()
  const policy = (await ok('POST', '/policies', { name: 'Codenames', rules: [rule] }, { key })).id
  const trials = `/policies/${policy}/trials`
  const start = async (): Promise<string> => {
    const { id } = await ok('POST', trials, { since: hourAgo() }, { key })
    await expect.poll(async () => (await ok('GET', `${trials}/${id}`, undefined, { key })).ended_at).not.toBeNull()
    return id
  }
  const first = toUuid((await start()) as `ptr_${string}`)
  await app.query(
    `insert into policy_trials (id, org_id, policy_id, policy_version, status, due_at, since, until, sample, ended_at, result, samples, created_by, created_by_type)
     select gen_random_uuid(), org_id, policy_id, 1, status, null, since, until, sample, ended_at, result, samples, created_by, created_by_type
       from policy_trials, generate_series(1, $2::integer) where id = $1`,
    [first, limits.trialsKept + 10],
  )
  await start()
  const [row] = await app.query('select count(*)::integer as trials from policy_trials where org_id = $1', [org])
  // With the one that had not ended when the others were counted.
  expect(row).toEqual({ trials: limits.trialsKept + 1 })
})

test('a key that is narrowed to some agents neither starts nor reads trials', async () => {
  const policy = await newPolicy()
  const scopes = ['policies:read', 'policies:write', 'runs:read']
  const { key } = await ok('POST', '/api-keys', { name: 'Narrow', scopes, agent_ids: [app.tenant.agents['test-echo']] })
  const trials = `/policies/${policy}/trials`
  expect((await call('POST', trials, { since: hourAgo() }, { key })).body.error.code).toBe('forbidden')
  expect((await call('GET', trials, undefined, { key })).body.error.code).toBe('forbidden')
})
