import { limits, peopleLimits } from '@ars/contract'
import { sha256 } from '@ars/platform/crypto'
import { createLog } from '@ars/platform/log/log'
import { openPubSub, type PubSub } from '@ars/platform/redis/pub-sub'
import { fakeClock, moveDatabaseClock } from '@ars/testkit/clock'
import { testRedisUrl } from '@ars/testkit/stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  cookieOf,
  goodPassword,
  lostPubSub,
  openPeopleWorld,
  type PeopleWorld,
  refusal,
  requestOf,
} from './people.fixture.ts'

let world: PeopleWorld
const pubSub: PubSub[] = []
beforeAll(async () => {
  world = await openPeopleWorld()
  for (const _ of [1, 2]) {
    pubSub.push(await openPubSub({ url: testRedisUrl(), log: createLog({ level: 'silent' }) }))
  }
})
afterAll(async () => {
  await world.close()
  for (const each of pubSub) each.close()
})

const hours = (count: number) => count * 3_600_000
const move = (ms: number) => moveDatabaseClock(world.database.ownerUrl, ms)
/** A process with an empty cache. */
const isAlive = async (token: string) => (await world.another().authenticateSession(token)) !== null

test('a logout ends the session, clears the cookie and is audited', async () => {
  const { org, owner } = await world.newTeam()
  const answer = await world.people.sessions.logout(owner.ctx)
  expect(answer.headers['set-cookie']).toBe('__Host-ars_session=; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=0')
  expect(answer.body).toMatchObject({ id: owner.session.id, is_current: true, ended_at: expect.any(String) })
  expect(await world.people.authenticateSession(owner.token)).toBeNull()
  expect((await world.audited(org)).at(-1)).toMatchObject({
    action: 'session.ended',
    actor: { type: 'user' },
    subject: owner.session.id,
  })
})

test('operations for browsers are refused to keys, which can still read their identity', async () => {
  const org = await world.newOrg()
  const ctx = await world.ctxOfKey(org, { scopes: ['runs:read'] })
  const { sessions } = world.people
  expect(await sessions.me(ctx)).toEqual({
    object: 'me',
    type: 'api_key',
    id: ctx.actor.id,
    organisation: { id: expect.stringMatching(/^org_/), name: 'Test', plan: 'business', max_key_lifetime_days: null },
    scopes: ['runs:read'],
  })
})

test('an unused session ends after twelve hours, and a used one does not (limits.sessionIdleHours)', async () => {
  const { owner, viewer } = await world.newTeam()
  for (let hour = 0; hour < 13; hour++) {
    await move(hours(1))
    const process = world.another()
    expect(await process.authenticateSession(owner.token)).not.toBeNull()
    // A process that stops writes the sessions that it has seen.
    await process.close()
  }
  expect(await isAlive(viewer.token)).toBe(false)
  expect(await isAlive(owner.token)).toBe(true)
})

test('a session ends after seven days, regardless of use', async () => {
  const { owner } = await world.newTeam()
  const alive: boolean[] = []
  for (let hour = 11; hour <= 176; hour += 11) {
    await move(hours(11))
    const process = world.another()
    alive.push((await process.authenticateSession(owner.token)) !== null)
    await process.close()
  }
  // The session is valid at 165 hours and invalid at 176 hours.
  expect(limits.sessionMaxDays * 24).toBe(168)
  expect(alive).toEqual([...Array.from({ length: 15 }, () => true), false])
})

test('session use is written at most once a minute, in a batch', async () => {
  const { owner } = await world.newTeam()
  const seenAt = async () =>
    (await world.sql<{ seen_at: Date }>('select seen_at from sessions where hash = $1', [sha256(owner.token)]))[0]
      ?.seen_at
  const before = await seenAt()
  const busy = world.another()
  await busy.authenticateSession(owner.token)
  await busy.close()
  expect(await seenAt()).toEqual(before)
  await move(61_000)
  const later = world.another()
  await later.authenticateSession(owner.token)
  await later.close()
  expect((await seenAt())?.getTime()).toBeGreaterThanOrEqual((before?.getTime() ?? 0) + 61_000)
})

test('without Redis, a session that was ended elsewhere stays valid for at most four seconds', async () => {
  const { owner } = await world.newTeam()
  const clock = fakeClock()
  const other = world.another({ clock })
  expect(await other.authenticateSession(owner.token)).not.toBeNull()
  await world.people.sessions.logout(owner.ctx)
  clock.advance(4_000)
  expect(await other.authenticateSession(owner.token)).toBeNull()
})

test('with Redis, every process learns at once of a logout, a removal, a new role and a new password', async () => {
  const clock = fakeClock()
  const [here, there] = [world.another({ pubSub: pubSub[0]! }), world.another({ pubSub: pubSub[1]!, clock })]
  const { owner, admin, developer, viewer } = await world.newTeam()
  const scopesThere = async (token: string) => (await there.authenticateSession(token))?.scopes.size ?? 0
  for (const { token } of [admin, developer, viewer]) expect(await scopesThere(token)).toBeGreaterThan(0)

  await here.sessions.logout(admin.ctx)
  await expect.poll(() => scopesThere(admin.token)).toBe(0)
  const before = await scopesThere(developer.token)
  await here.members.update(owner.ctx, developer.memberId, { role: 'viewer' })
  await expect.poll(() => scopesThere(developer.token)).toBeLessThan(before)
  await here.members.remove(owner.ctx, viewer.memberId)
  await expect.poll(() => scopesThere(viewer.token)).toBe(0)
  await here.login.changePassword(developer.ctx, { current_password: goodPassword, new_password: 'quite another 1!' })
  await expect.poll(() => scopesThere(developer.token)).toBe(0)
})

test('a malformed session is refused without a database lookup', async () => {
  const people = world.another()
  const before = world.lookUps()
  for (const token of ['', 'short', 'x'.repeat(44), `${'x'.repeat(42)}=`, `${'x'.repeat(42)}\0`]) {
    expect(await people.authenticateSession(token)).toBeNull()
  }
  expect(world.lookUps()).toBe(before)
  // An unknown session is looked up each time and is not cached.
  for (const _ of [1, 2]) expect(await people.authenticateSession('x'.repeat(43))).toBeNull()
  expect(world.lookUps()).toBe(before + 2)
})

test('a used session is looked up once in four seconds, regardless of the number of requests', async () => {
  const { owner } = await world.newTeam()
  const clock = fakeClock()
  const people = world.another({ clock })
  const before = world.lookUps()
  await Promise.all(Array.from({ length: 50 }, () => people.authenticateSession(owner.token)))
  clock.advance(3_999)
  await people.authenticateSession(owner.token)
  expect(world.lookUps()).toBe(before + 1)
  clock.advance(1)
  await people.authenticateSession(owner.token)
  expect(world.lookUps()).toBe(before + 2)
})

test('a person sees and ends their own sessions in all organisations, and nobody else’s', async () => {
  const { owner, viewer } = await world.newTeam()
  const elsewhere = await world.newOrg()
  const { link } = await world.people.invitations.inviteByOperator(elsewhere, { email: owner.email, role: 'viewer' })
  await world.join(owner.email, link)
  const { sessions } = world.people
  const all = await sessions.list(owner.ctx, {})
  expect(all.data).toHaveLength(2)
  expect(new Set(all.data.map(({ organisation_id }) => organisation_id)).size).toBe(2)
  expect(all.data.filter(({ is_current }) => is_current).map(({ id }) => id)).toEqual([owner.session.id])
  expect(all.data[0]).toMatchObject({ object: 'session_record', user_agent: 'Firefox', address: expect.any(String) })
  const [first] = (await sessions.list(owner.ctx, { limit: 1 })).data
  expect(first).toEqual(all.data[0])

  expect((await refusal(sessions.end(viewer.ctx, owner.session.id))).code).toBe('not_found')
  const other = all.data.find(({ is_current }) => !is_current)!
  const ended = await sessions.end(owner.ctx, other.id)
  expect(ended).toMatchObject({ id: other.id, ended_at: expect.any(String) })
  expect(await sessions.end(owner.ctx, other.id)).toEqual(ended)
  expect((await sessions.list(owner.ctx, {})).data.map(({ id }) => id)).toEqual([owner.session.id])
  expect((await world.audited(elsewhere)).at(-1)).toMatchObject({ action: 'session.ended', subject: other.id })
})

test('a member of several organisations switches between them; the new session has the same end', async () => {
  const { org, owner } = await world.newTeam()
  const elsewhere = await world.newOrg()
  const { link } = await world.people.invitations.inviteByOperator(elsewhere, { email: owner.email, role: 'viewer' })
  const there = { body: (await world.join(owner.email, link)).session }
  expect(there.body.organisations.map(({ role }) => role)).toEqual(['owner', 'viewer'])
  await move(hours(1))
  const { sessions } = world.people
  const answer = await sessions.switchOrganisation(owner.ctx, there.body.organisation.id)
  expect(answer.body).toMatchObject({ role: 'viewer', organisation: { id: there.body.organisation.id } })
  expect(answer.body.expires_at).toBe(owner.session.expires_at)
  expect(cookieOf(answer).cookie).toMatch(/Max-Age=601\d\d\d$/)
  expect(await world.people.authenticateSession(owner.token)).toBeNull()
  const caller = await world.people.authenticateSession(cookieOf(answer).token)
  expect(caller?.org).toBe(elsewhere)
  // She is not a member, and the refusal is the same as for an unknown organisation.
  const foreign = (await world.newTeam()).owner.session.organisation.id
  expect((await refusal(sessions.switchOrganisation(requestOf(caller!), foreign))).code).toBe('not_found')
  const endings = [...(await world.audited(org)), ...(await world.audited(elsewhere))]
  expect(endings.filter(({ subject }) => subject === owner.session.id).map(({ action }) => action)).toContain(
    'session.ended',
  )
})

test('a person has a limited number of sessions: a new one ends the oldest', async () => {
  const { owner } = await world.newTeam()
  await world.sql(
    `insert into sessions (id, org_id, user_id, hash, expires_at)
     select overlay(gen_random_uuid()::text placing '00000000' from 1 for 8)::uuid, org_id, user_id, sha256(convert_to(n::text || id, 'UTF8')), expires_at
       from sessions, generate_series(1, $2) n where hash = $1`,
    [sha256(owner.token), peopleLimits.sessionsPerUser + 5],
  )
  await world.logIn(owner.email)
  const [row] = await world.sql<{ alive: number }>(
    'select count(*)::integer as alive from sessions where user_id = $1 and ended_at is null',
    [owner.user],
  )
  expect(row?.alive).toBe(peopleLimits.sessionsPerUser)
})

test('a process that receives an invalid message clears its cache and continues', async () => {
  const heard: ((message: string) => void)[] = []
  const gossip: PubSub = { ...lostPubSub, subscribe: async (_, listen) => void heard.push(listen) }
  const people = world.another({ pubSub: gossip })
  const { owner } = await world.newTeam()
  expect(await people.authenticateSession(owner.token)).not.toBeNull()
  for (const listen of heard) listen('{ nonsense')
  expect(await people.authenticateSession(owner.token)).not.toBeNull()
})
