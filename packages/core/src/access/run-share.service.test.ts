import { limits, type Scope, scopes } from '@ars/contract'
import { openDatabase } from '@ars/platform/db/database'
import { toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AccessWorld, newId, openAccessWorld, refusal, stopDatabaseClock } from '../../test/access-world.ts'
import { deleteOldRows } from '../../test/delete-old-rows.ts'
import type { Ctx } from '../ctx.ts'

const scopesOfRole = (role: string): readonly Scope[] => (role === 'owner' ? scopes : ['runs:read'])

let world: AccessWorld
beforeAll(async () => {
  world = await openAccessWorld({ scopesOfRole })
})
afterAll(() => world.close())

type Shared = { id: `run_${string}`; uuid: string }

const newRun = async (org: string): Promise<Shared> => {
  const [id, agent] = [newId('run'), await world.newAgent(org)]
  await world.sql(
    `insert into runs (input_bytes, created_by, created_by_type, id, org_id, agent_id, agent_version, input, timeout_seconds) values (2, '01890a5d-ac96-774b-bcce-b302099a80ff'::uuid, 'key', $1, $2, $3, 1, '{}', 60)`,
    [toUuid(id), org, toUuid(agent)],
  )
  return { id, uuid: toUuid(id) }
}

const share = async (ctx: Ctx, run: Shared, seconds?: number) => {
  const { body } = await world.access.shares.create(ctx, { expires_in_seconds: seconds }, run)
  return { ...body, token: body.token ?? '' }
}
/** By another process, which has nothing cached. */
const callerOf = (token: string) => world.another().authenticate(token)
const isValid = async (token: string) => (await callerOf(token)) !== null

/** A request of a member in a browser. */
const memberOf = async (org: string, role: string, user = newId('usr')) => {
  const member = newId('mem')
  await world.sql('insert into users (id, email) values ($1, $2) on conflict do nothing', [
    toUuid(user),
    `${user}@example.com`,
  ])
  await world.sql('insert into members (id, org_id, user_id, role) values ($1, $2, $3, $4)', [
    toUuid(member),
    org,
    toUuid(user),
    role,
  ])
  const { ctx } = await world.newOrg()
  const person: Ctx = { ...ctx, org, actor: { type: 'user', id: user }, credential: 'session', sessionId: newId('ses') }
  return { user, member, ctx: person }
}

const auditOf = (org: string) =>
  world.sql<{ action: string; subject: string; before: unknown; after: unknown }>(
    `select action, subject, before, after from audit_log where org_id = $1 and action like 'run.%' order by number`,
    [org],
  )

test('a link reads one run for 7 days, with a separate rate limit; only its hash is stored, and it is audited', async () => {
  const { org, id, ctx } = await world.newOrg()
  const run = await newRun(org)
  const made = await share(ctx, run)
  expect(made).toEqual({
    id: expect.stringMatching(/^shr_/),
    object: 'run_share',
    run_id: run.id,
    created_by: id,
    created_at: expect.any(String),
    expires_at: expect.any(String),
    token: expect.stringMatching(/^ars_share_[0-9A-Za-z]{38}$/),
    url: `/dashboard/shared#run=${run.id}&token=${made.token}`,
  })
  expect(await callerOf(made.token)).toEqual({
    org,
    actor: { type: 'key', id },
    credential: 'share',
    scopes: new Set(['runs:read']),
    agentIds: null,
    runId: run.uuid,
    isDemo: false,
    policySetId: null,
    runOwner: null,
    bucket: { id: toUuid(made.id), requestsPerMinute: limits.shareRequestsPerMinute, burst: limits.shareBurst },
    retiring: null,
    sessionId: null,
  })
  const [row] = await world.sql<{ seconds: number; all: string }>(
    'select extract(epoch from expires_at - created_at)::integer as seconds, s::text as all from run_shares s where org_id = $1',
    [org],
  )
  expect([row?.seconds, row?.all.includes(made.token.slice(10, 30))]).toEqual([604_800, false])
  const after = { share_id: made.id, expires_at: made.expires_at }
  expect(await auditOf(org)).toEqual([{ action: 'run.shared', subject: run.id, before: null, after }])
})

test('a link is refused after it was revoked, at once in the process that revoked it, and the list is without it', async () => {
  const { org, ctx } = await world.newOrg()
  const [run, other] = [await newRun(org), await newRun(org)]
  const [first, second] = [await share(ctx, run), await share(ctx, run)]
  expect(await world.access.authenticate(first.token)).not.toBeNull()
  expect(await refusal(world.access.shares.revoke(ctx, { share_id: first.id }, other))).toMatchObject({
    code: 'not_found',
  })
  const revoked = await world.access.shares.revoke(ctx, { share_id: first.id }, run)
  expect(revoked).toMatchObject({ id: first.id, run_id: run.id })
  expect(await world.access.authenticate(first.token)).toBeNull()
  expect(await isValid(first.token)).toBe(false)
  expect(await isValid(second.token)).toBe(true)
  const list = await world.access.shares.list(ctx, {}, run)
  expect([list.data.map(({ id }) => id), JSON.stringify(list).includes('ars_share_')]).toEqual([[second.id], false])
  expect(await refusal(world.access.shares.revoke(ctx, { share_id: first.id }, run))).toMatchObject({
    code: 'not_found',
  })
  const entries = await auditOf(org)
  expect(entries.map(({ action }) => action)).toEqual(['run.shared', 'run.shared', 'run.share_revoked'])
  expect(entries[2]).toMatchObject({ subject: run.id, before: { share_id: first.id } })
})

test('nobody makes a link to a run that is not there, and a revoked key makes none', async () => {
  const { org, ctx, id } = await world.newOrg()
  const run = await newRun(org)
  expect(await refusal(share(ctx, { id: newId('run'), uuid: toUuid(newId('run')) }))).toMatchObject({
    code: 'not_found',
  })
  await world.access.keys.revoke(ctx, id as `key_${string}`)
  expect(await refusal(share(ctx, run))).toMatchObject({ code: 'unauthorized' })
})

test('a link of a key ends with the key, with its scope, and shows no agent that the key lost', async () => {
  const { org, ctx } = await world.newOrg()
  const run = await newRun(org)
  const make = async () => {
    const key = await world.access.createKey(org, { name: 'k', scopes: ['runs:read', 'runs:share', 'agents:read'] })
    const id = key.id as `key_${string}`
    return { id, made: await share(await world.ctxOf(key.key), run) }
  }
  const [lessened, narrowed, revoked] = [await make(), await make(), await make()]
  await world.access.keys.update(ctx, { id: lessened.id, scopes: ['runs:read'] })
  expect(await isValid(lessened.made.token)).toBe(false)
  const agent = await world.newAgent(org)
  await world.access.keys.update(ctx, { id: narrowed.id, agent_ids: [agent] })
  expect(await callerOf(narrowed.made.token)).toMatchObject({ agentIds: new Set([toUuid(agent)]) })
  await world.access.keys.revoke(ctx, revoked.id)
  expect(await isValid(revoked.made.token)).toBe(false)
})

test('a link of a person outlives the session, and ends with the role or the membership, for ever', async () => {
  const { org } = await world.newOrg()
  const run = await newRun(org)
  const { user, member, ctx } = await memberOf(org, 'owner')
  const made = await share(ctx, run)
  expect(made.created_by).toBe(user)
  expect(await callerOf(made.token)).toMatchObject({ org, actor: { type: 'user', id: user }, credential: 'share' })
  await world.sql(`update members set role = 'viewer' where id = $1`, [toUuid(member)])
  expect(await isValid(made.token)).toBe(false)
  await world.sql(`update members set role = 'owner' where id = $1`, [toUuid(member)])
  expect(await isValid(made.token)).toBe(true)
  await world.sql('delete from members where id = $1', [toUuid(member)])
  expect(await isValid(made.token)).toBe(false)
  // A person who comes back has another membership.
  await memberOf(org, 'owner', user)
  expect(await isValid(made.token)).toBe(false)
})

test('a repeated request gets the link without its token, and a concurrent one makes no second', async () => {
  const { org, key } = await world.newOrg()
  const run = await newRun(org)
  const ctx = await world.ctxOf(key, 'share-once')
  const answers = await Promise.all([1, 2].map(() => world.access.shares.create(ctx, {}, run)))
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  expect(answers.filter(({ body }) => body.token !== null)).toHaveLength(1)
  const replay = await world.access.shares.findReplay(ctx, { expires_in_seconds: 604_800 }, run)
  expect(replay?.body).toMatchObject({ id: answers[0]?.body.id, token: null, url: null })
  expect(await refusal(world.access.shares.create(ctx, { expires_in_seconds: 60 }, run))).toMatchObject({
    code: 'idempotency_key_reused',
  })
  expect(await refusal(world.access.shares.create(ctx, {}, await newRun(org)))).toMatchObject({
    code: 'idempotency_key_reused',
  })
})

test('a run and an organisation have a bounded number of links, also when they are made at once', async () => {
  const { org, ctx } = await world.newOrg()
  const run = await newRun(org)
  const outcomes = await Promise.allSettled(Array.from({ length: limits.sharesPerRun + 3 }, () => share(ctx, run)))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(limits.sharesPerRun)
  expect(await refusal(share(ctx, run))).toMatchObject({ code: 'limit_reached' })
  const next = await newRun(org)
  await world.sql(
    `insert into run_shares (id, org_id, run_id, key_id, created_by, hash, expires_at)
     select gen_random_uuid(), org_id, gen_random_uuid(), key_id, created_by, sha256(n::text::bytea), expires_at
       from run_shares s, generate_series(1, $2::integer) n where s.org_id = $1 and s.id = $3`,
    [
      org,
      limits.sharesPerOrganisation - limits.sharesPerRun,
      toUuid((await world.access.shares.list(ctx, {}, run)).data[0]?.id ?? ''),
    ],
  )
  expect(await refusal(share(ctx, next))).toMatchObject({ code: 'limit_reached' })
  const [first] = (await world.access.shares.list(ctx, {}, run)).data
  await world.access.shares.revoke(ctx, { share_id: first?.id ?? 'shr_' }, run)
  expect((await share(ctx, next)).run_id).toBe(next.id)
})

test('the list is paged, newest first', async () => {
  const { org, ctx } = await world.newOrg()
  const run = await newRun(org)
  const made = [await share(ctx, run), await share(ctx, run), await share(ctx, run)].map(({ id }) => id).toReversed()
  const first = await world.access.shares.list(ctx, { limit: 2 }, run)
  expect([first.data.map(({ id }) => id), first.has_more]).toEqual([made.slice(0, 2), true])
  const rest = await world.access.shares.list(ctx, { after: made[1] }, run)
  expect(rest.data.map(({ id }) => id)).toEqual(made.slice(2))
  const back = await world.access.shares.list(ctx, { before: made[2] }, run)
  expect(back.data.map(({ id }) => id)).toEqual(made.slice(0, 2))
})

test('where short-lived tokens are off, links are neither made nor valid', async () => {
  const { org, ctx } = await world.newOrg()
  const run = await newRun(org)
  const { token } = await share(ctx, run)
  const off = world.another({ sessionTokens: 'off' })
  expect(await off.authenticate(token)).toBeNull()
  expect(await refusal(off.shares.create(ctx, {}, run))).toMatchObject({ code: 'forbidden' })
})

// From here on the test sets the clock of the shared database.

const start = new Date('2031-01-01T00:00:00.000Z')
const at = (afterMs: number) => new Date(start.getTime() + afterMs)
const stopClock = (afterMs: number) => stopDatabaseClock(world.database.ownerUrl, at(afterMs))

test('a link works until it expires, never outlives its key, and is deleted afterwards', async () => {
  await stopClock(0)
  const { org, ctx } = await world.newOrg()
  const run = await newRun(org)
  const mortal = await world.access.createKey(org, { name: 'm', expiresAt: at(600_000) })
  const short = await share(ctx, run, 60)
  expect(short.expires_at).toBe(at(60_000).toISOString())
  const bound = await share(await world.ctxOf(mortal.key), run, limits.shareMaxSeconds)
  expect(bound.expires_at).toBe(at(600_000).toISOString())
  const long = await share(ctx, run, limits.shareMaxSeconds)
  const valid = () => Promise.all([short, bound, long].map(({ token }) => isValid(token)))
  await stopClock(59_999)
  expect(await valid()).toEqual([true, true, true])
  await stopClock(60_000)
  expect(await valid()).toEqual([false, true, true])
  expect((await world.access.shares.list(ctx, {}, run)).data.map(({ id }) => id)).toEqual([long.id, bound.id])
  await stopClock(600_000)
  expect(await valid()).toEqual([false, false, true])
  const log = createLog({ level: 'silent', write: () => undefined })
  const system = openDatabase({
    url: world.database.systemUrl,
    name: 'test-system',
    size: 1,
    acquireTimeoutMs: 30_000,
    log,
  })
  await deleteOldRows(system)
  await system.close()
  expect(await world.sql('select id from run_shares where org_id = $1', [org])).toHaveLength(1)
})
