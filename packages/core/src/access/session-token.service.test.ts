import { type Scope, scopes } from '@ars/contract'
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

type Asked = { scopes: string[]; run_id?: `run_${string}`; expires_in?: number }
const create = (ctx: Ctx, { run_id: id, ...body }: Asked) =>
  world.access.tokens.create(ctx, body, id === undefined ? null : { id, uuid: toUuid(id) })
const isValid = async (token: string) => (await world.another().authenticate(token)) !== null

/** A request from a person in a browser. */
const signIn = async (org: string, role: string) => {
  const [user, member, session] = [newId('usr'), newId('mem'), newId('ses')]
  await world.sql('insert into users (id, email) values ($1, $2)', [toUuid(user), `${user}@example.com`])
  await world.sql('insert into members (id, org_id, user_id, role) values ($1, $2, $3, $4)', [
    toUuid(member),
    org,
    toUuid(user),
    role,
  ])
  await world.sql(
    `insert into sessions (id, org_id, user_id, hash, expires_at)
     values ($1, $2, $3, sha256(convert_to($4, 'UTF8')), app_now() + interval '7 days')`,
    [toUuid(session), org, toUuid(user), session],
  )
  return { user, session }
}

test('a token has a subset of its key’s rights for 15 minutes, acts as the key and uses the key’s limits', async () => {
  const { org, id, ctx } = await world.newOrg()
  const agent = await world.newAgent(org)
  const run = newId('run')
  await world.sql(
    `insert into runs (input_bytes, created_by, created_by_type, id, org_id, agent_id, agent_version, input, timeout_seconds) values (2, '01890a5d-ac96-774b-bcce-b302099a80ff'::uuid, 'key', $1, $2, $3, 1, '{}', 60)`,
    [toUuid(run), org, toUuid(agent)],
  )
  const made = await create(ctx, { scopes: ['runs:write', 'runs:read'], run_id: run })
  expect(made).toEqual({
    object: 'session_token',
    token: expect.stringMatching(/^ars_st_[0-9A-Za-z]{38}$/),
    scopes: ['runs:read', 'runs:write'],
    run_id: run,
    expires_at: expect.any(String),
  })
  const [row] = await world.sql<{ seconds: number; all: string }>(
    'select extract(epoch from expires_at - created_at)::integer as seconds, t::text as all from session_tokens t where org_id = $1',
    [org],
  )
  expect(row?.seconds).toBe(900)
  expect(row?.all).not.toContain(made.token.slice(7, 20))
  expect(await world.access.authenticate(made.token)).toEqual({
    ...(await world.access.authenticate((await world.newOrg()).key)),
    org,
    actor: { type: 'key', id },
    credential: 'token',
    scopes: new Set(['runs:read', 'runs:write']),
    runId: toUuid(run),
    bucket: ctx.bucket,
  })
})

test('a token holds no scope that its creator lacks, and cannot be bound to an unknown run', async () => {
  const { org } = await world.newOrg()
  const ctx = await world.ctxOf((await world.access.createKey(org, { name: 'w', scopes: ['runs:read'] })).key)
  expect(await refusal(create(ctx, { scopes: ['runs:write'] }))).toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining('runs:write'),
  })
  expect(await refusal(create(ctx, { scopes: ['*'] }))).toMatchObject({ code: 'scope_unknown' })
  expect(await refusal(create(ctx, { scopes: ['runs:read'], run_id: newId('run') }))).toMatchObject({
    code: 'not_found',
    param: 'run_id',
  })
})

test('a token of a narrowed or demo key has the same narrowing and rate as the key', async () => {
  const { org } = await world.newOrg()
  const agent = await world.newAgent(org)
  const { key } = await world.access.createKey(org, { name: 'demo', kind: 'demo', agentIds: [agent] })
  const { token } = await create(await world.ctxOf(key), { scopes: ['runs:read'] })
  expect(await world.access.authenticate(token)).toMatchObject({
    isDemo: true,
    agentIds: new Set([toUuid(agent)]),
    bucket: { requestsPerMinute: 10, burst: 15 },
  })
})

test('a revoked key cannot create a token', async () => {
  const { ctx, id } = await world.newOrg()
  await world.access.keys.revoke(ctx, id as `key_${string}`)
  expect(await refusal(create(ctx, { scopes: ['runs:read'] }))).toMatchObject({ code: 'unauthorized' })
})

test('a token of a browser session acts for the person, within the person’s current role', async () => {
  const { org, ctx } = await world.newOrg()
  const { user, session } = await signIn(org, 'owner')
  const person: Ctx = {
    ...ctx,
    actor: { type: 'user', id: user },
    credential: 'session',
    sessionId: session,
    bucket: { id: toUuid(user), requestsPerMinute: 10_000, burst: 15_000 },
  }
  const { token } = await create(person, { scopes: ['runs:read', 'runs:write'] })
  const other = world.another()
  expect(await other.authenticate(token)).toMatchObject({
    org,
    actor: { type: 'user', id: user },
    credential: 'token',
    scopes: new Set(['runs:read', 'runs:write']),
    bucket: person.bucket,
    sessionId: null,
  })
  await world.sql(`update members set role = 'viewer' where org_id = $1 and user_id = $2`, [org, toUuid(user)])
  other.forget(toUuid(user))
  expect((await other.authenticate(token))?.scopes).toEqual(new Set(['runs:read']))
  await world.sql('update sessions set ended_at = app_now() where id = $1', [toUuid(session)])
  other.forget(toUuid(session))
  expect(await other.authenticate(token)).toBeNull()

  const second = await signIn(org, 'owner')
  const removed = await create(
    { ...person, actor: { type: 'user', id: second.user }, sessionId: second.session },
    {
      scopes: ['runs:read'],
    },
  )
  expect(await isValid(removed.token)).toBe(true)
  await world.sql('delete from members where user_id = $1', [toUuid(second.user)])
  expect(await isValid(removed.token)).toBe(false)
})

// From here on the test sets the clock of the shared database.

const start = new Date('2031-01-01T00:00:00.000Z')
const at = (afterMs: number) => new Date(start.getTime() + afterMs)
const stopClock = (afterMs: number) => stopDatabaseClock(world.database.ownerUrl, at(afterMs))

test('a token works until it expires, never outlives its key and is deleted afterwards', async () => {
  await stopClock(0)
  const { org, ctx } = await world.newOrg()
  const mortal = await world.access.createKey(org, { name: 'm', expiresAt: at(600_000) })
  const short = await create(ctx, { scopes: ['runs:read'], expires_in: 60 })
  expect(short.expires_at).toBe(at(60_000).toISOString())
  const bound = await create(await world.ctxOf(mortal.key), { scopes: ['runs:read'], expires_in: 86_400 })
  expect(bound.expires_at).toBe(at(600_000).toISOString())
  const long = await create(ctx, { scopes: ['runs:read'], expires_in: 86_400 })

  const valid = () => Promise.all([short, bound, long].map(({ token }) => isValid(token)))
  await stopClock(59_999)
  expect(await valid()).toEqual([true, true, true])
  await stopClock(60_000)
  expect(await valid()).toEqual([false, true, true])
  await stopClock(600_000)
  expect(await valid()).toEqual([false, false, true])

  const log = createLog({ level: 'silent', write: () => undefined })
  const system = openDatabase({
    url: world.database.systemUrl,
    name: 'test-system',
    size: 1,
    log,
    acquireTimeoutMs: 30_000,
  })
  await deleteOldRows(system)
  await system.close()
  expect(await world.sql('select id from session_tokens where org_id = $1', [org])).toHaveLength(1)
})

test('a token of an idle session expires with the session', async () => {
  await stopClock(0)
  const { org, ctx } = await world.newOrg()
  const { user, session } = await signIn(org, 'owner')
  const person: Ctx = { ...ctx, actor: { type: 'user', id: user }, credential: 'session', sessionId: session }
  const { token } = await create(person, { scopes: ['runs:read'], expires_in: 86_400 })
  await stopClock(12 * 3_600_000 - 1)
  expect(await isValid(token)).toBe(true)
  await stopClock(12 * 3_600_000)
  expect(await isValid(token)).toBe(false)
})
