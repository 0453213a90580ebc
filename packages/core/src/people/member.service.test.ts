import { limits, type Role, roles, scopes } from '@ars/contract'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Ctx } from '../ctx.ts'
import {
  anEmail,
  aVisitor,
  goodPassword,
  openPeopleWorld,
  type PeopleWorld,
  refusal,
  tokenOf,
} from './people.fixture.ts'

let world: PeopleWorld
beforeAll(async () => {
  world = await openPeopleWorld()
})
afterAll(() => world.close())

const invite = (ctx: Ctx, role: Role, email = anEmail()) => world.people.invitations.invite(ctx, { email, role })
const accept = (link: string, password = goodPassword) =>
  world.people.invitations.accept(aVisitor(), { token: tokenOf(link), password, name: 'Ada' })
const codeOf = async (work: Promise<unknown>) => (await refusal(work)).code

test('an invitation is a link that is shown once, with its token in the URL fragment; accepting it creates a member', async () => {
  const { org, admin } = await world.newTeam()
  const { invitation, link } = await invite(admin.ctx, 'developer', '  New.Person@Example.com ')
  expect(link).toMatch(/^https:\/\/ars\.example\.com\/dashboard\/invitation#token=[A-Za-z0-9_-]{43}$/)
  expect(invitation).toMatchObject({ email: 'new.person@example.com', role: 'developer', status: 'open' })
  const listed = await world.people.invitations.list({ org }, {})
  expect(listed.data[0]).toMatchObject({ status: 'open', invited_by: admin.session.user.id })
  expect(JSON.stringify(listed)).not.toContain(tokenOf(link))

  const answer = await accept(link)
  expect(answer.body).toMatchObject({ role: 'developer', user: { email: 'new.person@example.com', name: 'Ada' } })
  const members = await world.people.members.list({ org }, {})
  expect(members.data[0]).toMatchObject({ object: 'member', email: 'new.person@example.com', role: 'developer' })
  expect(members.data).toHaveLength(5)
  expect((await world.people.invitations.list({ org }, {})).data[0]).toMatchObject({ status: 'accepted' })
  expect((await world.audited(org)).slice(-3).map(({ action, actor }) => [action, actor.id])).toEqual([
    ['member.invited', admin.session.user.id],
    ['member.joined', answer.body.user.id],
    ['session.started', answer.body.user.id],
  ])
})

test('a link works once, for seven days and until it is withdrawn; otherwise it is not found', async () => {
  const { owner } = await world.newTeam()
  const used = await invite(owner.ctx, 'viewer')
  await accept(used.link)
  const withdrawn = await invite(owner.ctx, 'viewer')
  const record = await world.people.invitations.revoke(owner.ctx, `inv_${'0'.repeat(26)}`).catch(() => null)
  expect(record).toBeNull()
  const { data } = await world.people.invitations.list(owner.ctx, { limit: 1 })
  expect(await world.people.invitations.revoke(owner.ctx, data[0]!.id)).toMatchObject({ status: 'revoked' })
  const replaced = await invite(owner.ctx, 'viewer', 'twice@example.com')
  const latest = await invite(owner.ctx, 'viewer', 'Twice@example.com')
  for (const { link } of [used, withdrawn, replaced]) expect(await codeOf(accept(link))).toBe('link_invalid')
  expect(await codeOf(accept('https://x/#token=nonsense'))).toBe('link_invalid')
  expect((await accept(latest.link)).body.role).toBe('viewer')

  const late = await invite(owner.ctx, 'viewer')
  await moveDatabaseClock(world.database.ownerUrl, limits.invitationDays * 86_400_000)
  expect(await codeOf(accept(late.link))).toBe('link_invalid')
  expect((await world.people.invitations.list(owner.ctx, { limit: 1 })).data[0]).toMatchObject({ status: 'expired' })
})

test('two concurrent uses of one link create one member', async () => {
  const { org, owner } = await world.newTeam()
  const { link } = await invite(owner.ctx, 'viewer')
  const results = await Promise.allSettled([accept(link), accept(link), accept(link)])
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect((await world.people.members.list({ org }, {})).data).toHaveLength(5)
})

test('an account joins another organisation in its own session and with its own password', async () => {
  const { owner } = await world.newTeam()
  const other = await world.newTeam()
  const { link } = await invite(owner.ctx, 'admin', other.viewer.email)
  const { token } = await world.logIn(other.viewer.email)
  const join = (password: string) =>
    world.people.invitations.accept(aVisitor({ sessionToken: token }), { token: tokenOf(link), password })
  for (let tries = 0; tries < limits.loginsPerAccount; tries++) {
    expect(await codeOf(join('a wrong guess'))).toBe('password_wrong')
  }
  expect(await codeOf(join(goodPassword))).toBe('rate_limited')
  await moveDatabaseClock(world.database.ownerUrl, limits.loginWindowSeconds * 1000)
  const { body } = await join(goodPassword)
  expect(body.user).toEqual(other.viewer.session.user)
  expect(body.organisations.map(({ role }) => role)).toEqual(['viewer', 'admin'])
})

test('without a session an invitation makes an account of this organisation alone, even if the address has one elsewhere', async () => {
  const [here, elsewhere] = [await world.newTeam(), await world.newTeam()]
  const { email } = elsewhere.owner
  // Somebody invites an address that is not theirs, and accepts the link themselves.
  const { link } = await invite(here.owner.ctx, 'viewer', email)
  expect(await codeOf(accept(link, 'short'))).toBe('password_refused')
  const squatter = await accept(link, 'the squatters Password, 1')
  expect(squatter.body.user.id).not.toBe(elsewhere.owner.session.user.id)
  expect(squatter.body.organisations).toHaveLength(1)
  // Each password opens its own account, and both share the attempts of the address.
  expect((await world.logIn(email)).session).toMatchObject({
    role: 'owner',
    user: { id: elsewhere.owner.session.user.id },
  })
  const theirs = await world.logIn(email, { password: 'the squatters Password, 1' })
  expect(theirs.session).toMatchObject({ role: 'viewer', user: { id: squatter.body.user.id } })
  const named = { email, password: goodPassword, organisation_id: here.owner.session.organisation.id }
  expect(await codeOf(world.people.login.login(aVisitor(), named))).toBe('unauthorized')
})

test('the password of one account gives no further guesses at another with the same address', async () => {
  const [here, elsewhere] = [await world.newTeam(), await world.newTeam()]
  const { email } = elsewhere.owner
  const own = 'the squatters Password, 1'
  const squatter = await accept((await invite(here.owner.ctx, 'viewer', email)).link, own)
  let checked = 0
  for (let round = 0; round < 8; round++) {
    for (let tries = 0; tries < 4; tries++) {
      if ((await codeOf(world.logIn(email, { password: 'a wrong guess' }))) === 'unauthorized') checked++
    }
    await world.logIn(email, { password: own }).catch(() => undefined)
    const memberId = (await world.people.members.list({ org: here.org }, {})).data.find(
      (member) => member.user_id === squatter.body.user.id,
    )?.id
    if (memberId) await world.people.resets.makeLink(here.owner.ctx, memberId)
  }
  expect(checked).toBe(limits.loginsPerAccount)
})

test('nobody learns from an invitation whether an address has an account elsewhere', async () => {
  const [here, elsewhere] = [await world.newTeam(), await world.newTeam()]
  const told = new Set<string>()
  for (const email of [elsewhere.owner.email, anEmail()]) {
    const { link } = await invite(here.owner.ctx, 'viewer', email)
    for (const password of ['short', 'Password1234', email]) {
      const { code, message } = await refusal(accept(link, password))
      told.add(`${password === email ? 'address' : password} ${code} ${message}`)
    }
    expect((await accept(link, 'a good Password, 12')).body.organisations).toHaveLength(1)
  }
  expect(told.size).toBe(3)
})

test('a member can neither be invited again nor join twice', async () => {
  const { org, owner, viewer } = await world.newTeam()
  expect(await codeOf(invite(owner.ctx, 'admin', viewer.email.toUpperCase()))).toBe('member_exists')
  const email = anEmail()
  const [one, two] = [await invite(owner.ctx, 'viewer', email), await invite(owner.ctx, 'viewer', anEmail())]
  await world.sql('update invitations set email = $1 where email = $2', [email, two.invitation.email])
  await accept(one.link)
  expect(await codeOf(accept(two.link))).toBe('member_exists')
  expect((await world.people.members.list({ org }, {})).data).toHaveLength(5)
})

test('a refused password does not use up the link', async () => {
  const { owner } = await world.newTeam()
  const { link } = await invite(owner.ctx, 'viewer')
  expect(await codeOf(accept(link, 'short'))).toBe('password_refused')
  expect((await accept(link)).body.role).toBe('viewer')
})

test('no member grants a role above their own or changes a member above them', async () => {
  const { org, owner, admin, developer, viewer } = await world.newTeam()
  const { members, invitations, resets } = world.people
  const asKey = await world.ctxOfKey(org)
  for (const ctx of [admin.ctx, asKey]) {
    expect(await codeOf(invite(ctx, 'owner'))).toBe('forbidden')
    expect(await codeOf(members.update(ctx, developer.memberId, { role: 'owner' }))).toBe('forbidden')
    expect(await codeOf(members.update(ctx, owner.memberId, { role: 'viewer' }))).toBe('forbidden')
    expect(await codeOf(members.remove(ctx, owner.memberId))).toBe('forbidden')
    expect(await codeOf(resets.makeLink(ctx, owner.memberId))).toBe('forbidden')
  }
  const { invitation } = await invite(owner.ctx, 'owner', 'boss@example.com')
  expect(await codeOf(invite(admin.ctx, 'viewer', 'boss@example.com'))).toBe('forbidden')
  const { data } = await invitations.list({ org }, {})
  const id = data.find(({ email }) => email === invitation.email)!.id
  expect(await codeOf(invitations.revoke(admin.ctx, id))).toBe('forbidden')
  expect(await members.update(admin.ctx, viewer.memberId, { role: 'admin' })).toMatchObject({ role: 'admin' })
  expect(await members.update(owner.ctx, admin.memberId, { role: 'owner' })).toMatchObject({ role: 'owner' })
})

test('a key with few rights cannot invite itself to more', async () => {
  const { org, viewer } = await world.newTeam()
  const few = await world.ctxOfKey(org, { scopes: ['members:write', 'runs:read'] })
  for (const role of roles) expect(await codeOf(invite(few, role))).toBe('forbidden')
  expect(await codeOf(world.people.members.update(few, viewer.memberId, { role: 'developer' }))).toBe('forbidden')
  const all = await world.ctxOfKey(org)
  expect((await invite(all, 'admin')).invitation).toMatchObject({ by_key: true })
  expect(await codeOf(invite({ ...all, agentIds: new Set() }, 'viewer'))).toBe('forbidden')
})

test('a role is checked at the time of the operation, not when the session was read', async () => {
  const { owner, admin, viewer } = await world.newTeam()
  const stale = admin.ctx
  await world.people.members.update(owner.ctx, admin.memberId, { role: 'developer' })
  expect(await codeOf(world.people.members.remove(stale, owner.memberId))).toBe('forbidden')
  await world.people.members.remove(owner.ctx, admin.memberId)
  expect(await codeOf(world.people.members.remove(stale, viewer.memberId))).toBe('forbidden')
})

test('the last owner can neither leave nor be demoted', async () => {
  const { org, owner, viewer } = await world.newTeam()
  const { members } = world.people
  expect(await codeOf(members.remove(owner.ctx, owner.memberId))).toBe('last_owner')
  expect(await codeOf(members.update(owner.ctx, owner.memberId, { role: 'admin' }))).toBe('last_owner')
  await members.update(owner.ctx, viewer.memberId, { role: 'owner' })
  expect(await members.remove(owner.ctx, owner.memberId)).toMatchObject({ email: owner.email })
  expect(await world.people.authenticateSession(owner.token)).toBeNull()
  expect((await world.people.members.list({ org }, {})).data.filter(({ role }) => role === 'owner')).toHaveLength(1)
})

test('if two owners demote each other concurrently, one stays owner', async () => {
  for (let round = 0; round < 5; round++) {
    const { org, owner, admin } = await world.newTeam()
    const { members } = world.people
    await members.update(owner.ctx, admin.memberId, { role: 'owner' })
    const results = await Promise.allSettled([
      members.update(owner.ctx, admin.memberId, { role: 'viewer' }),
      members.update(await world.ctxOf(admin.token), owner.memberId, { role: 'viewer' }),
    ])
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await members.list({ org }, {})).data.filter(({ role }) => role === 'owner')).toHaveLength(1)
  }
})

test('a removed member loses access to this organisation at once and stays in the others; their invitations are withdrawn', async () => {
  const { org, owner, admin } = await world.newTeam()
  const elsewhere = await world.newTeam()
  const joined = await world.join(admin.email, (await invite(elsewhere.owner.ctx, 'viewer', admin.email)).link)
  const offered = await invite(admin.ctx, 'admin')
  await world.people.members.remove(owner.ctx, admin.memberId)
  expect(await world.people.authenticateSession(admin.token)).toBeNull()
  expect(await codeOf(accept(offered.link))).toBe('link_invalid')
  const left = await world.logIn(admin.email)
  expect(left.session.organisations.map(({ id }) => id)).toEqual([joined.session.organisation.id])
  expect((await world.audited(org)).at(-1)).toMatchObject({ action: 'member.removed', subject: admin.memberId })
  // After a new invitation the person has no rights left from before.
  await accept((await invite(owner.ctx, 'viewer', admin.email)).link)
  expect(await world.people.authenticateSession(admin.token)).toBeNull()
})

test('a member with active keys is removed only when it is said what becomes of the keys', async () => {
  const { org, owner, admin } = await world.newTeam()
  const { members } = world.people
  const { keys } = world.access
  const made = (await keys.create(admin.ctx, { name: 'made', scopes: ['keys:write', 'runs:read'] })).body
  const asKey = { ...admin.ctx, ...(await world.access.authenticate(made.key ?? '')) } as Ctx
  const below = (await keys.create(asKey, { name: 'below', scopes: ['runs:read'] })).body
  const others = (await keys.create(owner.ctx, { name: 'other', scopes: ['runs:read'] })).body
  const undecided = await refusal(members.remove(owner.ctx, admin.memberId))
  expect(undecided).toMatchObject({ code: 'keys_undecided', message: expect.stringContaining('2 active API keys') })
  expect(await world.people.authenticateSession(admin.token)).not.toBeNull()
  await members.remove(owner.ctx, admin.memberId, { keys: 'revoke' })
  for (const { key } of [made, below]) expect(await world.access.authenticate(key ?? '')).toBeNull()
  expect(await world.access.authenticate(others.key ?? '')).not.toBeNull()
  expect((await world.audited(org)).at(-1)).toMatchObject({ action: 'member.removed', after: { keys_revoked: 2 } })
  // A request that was admitted before the removal creates no key afterwards.
  expect(await codeOf(keys.create(admin.ctx, { name: 'late', scopes: ['runs:read'] }))).toBe('forbidden')
})

test('kept keys continue to work, and a key that no longer works needs no decision', async () => {
  const { org, owner, admin } = await world.newTeam()
  const made = (await world.access.keys.create(admin.ctx, { name: 'made', scopes: ['runs:read'] })).body
  await world.people.members.remove(owner.ctx, admin.memberId, { keys: 'keep' })
  expect(await world.access.authenticate(made.key ?? '')).not.toBeNull()
  expect((await world.audited(org)).at(-1)).toMatchObject({ action: 'member.removed', after: { keys_kept: 1 } })
  const next = await world.newMember(org, 'admin')
  const short = (await world.access.keys.create(next.ctx, { name: 'short', scopes: ['runs:read'] })).body
  await world.access.keys.revoke(owner.ctx, short.id)
  expect(await world.people.members.remove(owner.ctx, next.memberId)).toMatchObject({ email: next.email })
})

test('a key that ends gives nobody access that has no end', async () => {
  const { org, owner, admin, viewer } = await world.newTeam()
  const { members, invitations } = world.people
  const expires_at = '2100-01-01T00:00:00.000Z'
  const made = (await world.access.keys.create(owner.ctx, { name: 'ending', scopes: [...scopes], expires_at })).body
  const caller = await world.access.authenticate(made.key ?? '')
  const token = await world.access.tokens.create(await world.ctxOfKey(org), { scopes: [...scopes] }, null)
  const [asKey, asToken] = [caller, await world.access.authenticate(token.token)].map(
    (each) => ({ ...owner.ctx, ...each }) as Ctx,
  )
  for (const ctx of [asKey, asToken] as [Ctx, Ctx]) {
    expect(await codeOf(invite(ctx, 'viewer'))).toBe('forbidden')
    expect(await codeOf(members.update(ctx, viewer.memberId, { role: 'admin' }))).toBe('forbidden')
  }
  expect(await members.update(asKey as Ctx, admin.memberId, { role: 'viewer' })).toMatchObject({ role: 'viewer' })
  expect((await invitations.list(owner.ctx, {})).data.filter(({ status }) => status === 'open')).toEqual([])
})

test('a person without an organisation cannot log in, and the refusal gives no reason', async () => {
  const { owner, viewer } = await world.newTeam()
  await world.people.members.remove(owner.ctx, viewer.memberId)
  expect(await codeOf(world.logIn(viewer.email))).toBe('unauthorized')
})

test('members and invitations of another organisation are not found', async () => {
  const { owner, viewer } = await world.newTeam()
  const stranger = (await world.newTeam()).owner.ctx
  const { members, invitations, resets } = world.people
  const { data } = await invitations.list(owner.ctx, {})
  expect(await codeOf(members.update(stranger, viewer.memberId, { role: 'admin' }))).toBe('not_found')
  expect(await codeOf(members.remove(stranger, viewer.memberId))).toBe('not_found')
  expect(await codeOf(resets.makeLink(stranger, viewer.memberId))).toBe('not_found')
  expect(await codeOf(invitations.revoke(stranger, data[0]!.id))).toBe('not_found')
  expect((await members.list(stranger, {})).data.map(({ email }) => email)).not.toContain(viewer.email)
})

test('pending invitations are bounded, and lists are paged', async () => {
  const { org, owner } = await world.newTeam()
  await world.sql(
    `insert into invitations (id, org_id, email, role, hash, expires_at)
     select gen_random_uuid(), $1, n || '@example.com', 'viewer', sha256(convert_to('planted' || n::text, 'UTF8')), app_now() + interval '1 day'
       from generate_series(1, $2) n`,
    [org, limits.invitationsPerOrganisation],
  )
  expect(await codeOf(invite(owner.ctx, 'viewer'))).toBe('limit_reached')
  const first = await world.people.members.list({ org }, { limit: 3 })
  const second = await world.people.members.list({ org }, { limit: 3, after: first.last_id as `mem_${string}` })
  expect([first.has_more, second.has_more]).toEqual([true, false])
  expect([...first.data, ...second.data].map(({ role }) => role)).toEqual(roles.toReversed())
  const back = await world.people.members.list({ org }, { limit: 3, before: second.first_id as `mem_${string}` })
  expect(back.data).toEqual(first.data)
})
