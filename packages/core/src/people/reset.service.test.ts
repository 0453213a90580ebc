import { limits } from '@ars/contract'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  aVisitor,
  cookieOf,
  goodPassword,
  openPeopleWorld,
  type PeopleWorld,
  refusal,
  tokenOf,
} from './people.fixture.ts'
import type { OperatorsLink } from './reset.service.ts'

let world: PeopleWorld
beforeAll(async () => {
  world = await openPeopleWorld()
})
afterAll(() => world.close())

const password = 'quite another Password, 9'
const use = (link: string, wanted = password) =>
  world.people.login.resetPassword(aVisitor(), { token: tokenOf(link), password: wanted })
const linkOf = (made: OperatorsLink): string => (made.kind === 'made' ? made.link : '')
const codeOf = async (work: Promise<unknown>) => (await refusal(work)).code

test('a link from an admin sets a new password once and ends every session of the person', async () => {
  const { org, admin, viewer } = await world.newTeam()
  const { link, expiresAt } = await world.people.resets.makeLink(admin.ctx, viewer.memberId)
  expect(link).toMatch(/^https:\/\/ars\.example\.com\/dashboard\/password-reset#token=[A-Za-z0-9_-]{43}$/)
  expect(expiresAt).toBeInstanceOf(Date)
  expect(await use(link)).toMatchObject({ user: { email: viewer.email } })
  expect(await world.people.authenticateSession(viewer.token)).toBeNull()
  expect(await codeOf(world.logIn(viewer.email, { password: goodPassword }))).toBe('unauthorized')
  expect((await world.logIn(viewer.email, { password })).session.role).toBe('viewer')
  expect(await codeOf(use(link))).toBe('link_invalid')
  const acts = (await world.audited(org)).filter(({ action }) => action.startsWith('password.'))
  expect(acts).toMatchObject([
    { action: 'password.reset_link_made', actor: { id: admin.session.user.id }, subject: viewer.session.user.id },
    { action: 'password.reset', actor: { id: viewer.session.user.id }, subject: viewer.session.user.id },
  ])
})

test('a link is invalid after 24 hours, after a newer link and after a password change; a refused password does not use it up', async () => {
  const { admin, viewer, developer } = await world.newTeam()
  const { makeLink } = world.people.resets
  const earlier = await makeLink(admin.ctx, viewer.memberId)
  const newer = await makeLink(admin.ctx, viewer.memberId)
  expect(await codeOf(use(earlier.link))).toBe('link_invalid')
  expect(await codeOf(use(newer.link, 'short'))).toBe('password_refused')
  await use(newer.link)

  const changed = await makeLink(admin.ctx, developer.memberId)
  await world.people.login.changePassword(developer.ctx, { current_password: goodPassword, new_password: password })
  expect(await codeOf(use(changed.link))).toBe('link_invalid')

  const late = await makeLink(admin.ctx, developer.memberId)
  await moveDatabaseClock(world.database.ownerUrl, limits.passwordResetHours * 3_600_000)
  expect(await codeOf(use(late.link))).toBe('link_invalid')
  expect(await codeOf(use('https://x/#token=nonsense'))).toBe('link_invalid')
})

test('two concurrent uses of one link set one password', async () => {
  const { admin, viewer } = await world.newTeam()
  const { link } = await world.people.resets.makeLink(admin.ctx, viewer.memberId)
  const wanted = ['the first Password, 1', 'the second Password, 2']
  const results = await Promise.allSettled(wanted.map((each) => use(link, each)))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const winner = wanted[results.findIndex(({ status }) => status === 'fulfilled')]!
  expect((await world.logIn(viewer.email, { password: winner })).session.role).toBe('viewer')
})

test('an organisation cannot reset the password of a person who belongs to others too; only the operator can', async () => {
  const { admin, viewer } = await world.newTeam()
  const early = await world.people.resets.makeLink(admin.ctx, viewer.memberId)
  const elsewhere = await world.newTeam()
  const { link } = await world.people.invitations.invite(elsewhere.owner.ctx, { email: viewer.email, role: 'admin' })
  await world.join(viewer.email, link)
  expect(await codeOf(world.people.resets.makeLink(admin.ctx, viewer.memberId))).toBe('password_reset_refused')
  // Nor with a link from before.
  expect(await codeOf(use(early.link))).toBe('link_invalid')

  expect(await world.people.resets.makeLinkByOperator('nobody@example.com')).toEqual({ kind: 'unknown' })
  const made = await world.people.resets.makeLinkByOperator(viewer.email.toUpperCase())
  await use(linkOf(made))
  expect((await world.logIn(viewer.email, { password })).session.organisations).toHaveLength(2)
  for (const org of [admin.ctx.org, elsewhere.org]) {
    const acts = (await world.audited(org)).filter(({ action }) => action.startsWith('password.'))
    expect(acts.slice(-2)).toMatchObject([
      { action: 'password.reset_link_made', actor: { type: 'operator', id: expect.stringMatching(/^.+@.+$/) } },
      { action: 'password.reset', actor: { type: 'user' } },
    ])
  }
})

test('a person whom strangers have locked out gets in by a reset link', async () => {
  const { admin, viewer } = await world.newTeam()
  for (let tries = 0; tries <= limits.loginsPerAccount; tries++) {
    await refusal(world.logIn(viewer.email, { password: 'a wrong guess' }))
  }
  expect(await codeOf(world.logIn(viewer.email))).toBe('rate_limited')
  const { cookie } = await use((await world.people.resets.makeLink(admin.ctx, viewer.memberId)).link)
  // The link does not give strangers new guesses.
  expect(await codeOf(world.logIn(viewer.email, { password }))).toBe('rate_limited')
  const { deviceToken } = cookieOf({ headers: { 'set-cookie': cookie } })
  expect((await world.logIn(viewer.email, { password, visitor: aVisitor({ deviceToken }) })).session.role).toBe(
    'viewer',
  )
})

test('links are made downwards only', async () => {
  const { org, owner, admin, developer } = await world.newTeam()
  const second = await world.newMember(org, 'admin')
  const partner = await world.newMember(org, 'owner')
  const { makeLink } = world.people.resets
  for (const { memberId } of [owner, second, admin])
    expect(await codeOf(makeLink(admin.ctx, memberId))).toBe('forbidden')
  expect(await codeOf(makeLink(owner.ctx, partner.memberId))).toBe('forbidden')
  expect((await makeLink(owner.ctx, admin.memberId)).link).toContain('#token=')
  expect((await makeLink(admin.ctx, developer.memberId)).link).toContain('#token=')
})

test('the operator names the organisation when an address has several accounts', async () => {
  const [here, elsewhere] = [await world.newTeam(), await world.newTeam()]
  await world.newMember(elsewhere.org, 'viewer', here.owner.email)
  const { makeLinkByOperator } = world.people.resets
  const several = await makeLinkByOperator(here.owner.email)
  expect(several).toEqual({ kind: 'several', organisations: [here.org, elsewhere.org] })
  await use(linkOf(await makeLinkByOperator(here.owner.email, here.org)))
  expect((await world.logIn(here.owner.email, { password })).session.role).toBe('owner')
  expect((await world.logIn(here.owner.email)).session.role).toBe('viewer')
})
