import { limits } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import { networkOf } from '@ars/platform/network'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  anEmail,
  aVisitor,
  cookieOf,
  goodPassword,
  openPeopleWorld,
  type PeopleWorld,
  refusal,
} from './people.fixture.ts'

let world: PeopleWorld
beforeAll(async () => {
  world = await openPeopleWorld()
})
afterAll(() => world.close())

const minutes = (count: number) => count * 60_000

test('a login returns the person, and the cookie is limited to this host, to TLS and to HTTP', async () => {
  const { org, developer } = await world.newTeam()
  const { session, cookie, token, ctx } = await world.logIn(developer.email)
  expect(session).toMatchObject({
    object: 'session',
    type: 'session',
    user: { email: developer.email, name: 'Somebody' },
    organisation: { name: 'Test', plan: 'business' },
    role: 'developer',
    organisations: [{ name: 'Test', role: 'developer' }],
  })
  expect(session.scopes).toContain('runs:write')
  expect(session.scopes).not.toContain('members:write')
  expect(cookie).toBe(
    `__Host-ars_session=${token}; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=${limits.sessionMaxDays * 86_400}`,
  )
  expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
  expect(ctx).toMatchObject({
    org,
    credential: 'session',
    actor: { type: 'user', id: session.user.id },
    sessionId: session.id,
    bucket: { id: toUuid(session.user.id), requestsPerMinute: 10_000, burst: 15_000 },
    agentIds: null,
    runId: null,
  })
  expect(await world.people.sessions.me(ctx)).toEqual(session)
})

test('the database, the audit log and the log lines contain no secret of a person', async () => {
  const { org, owner, viewer } = await world.newTeam()
  const { deviceToken } = await world.logIn(owner.email)
  const invited = await world.people.invitations.invite(owner.ctx, { email: anEmail(), role: 'viewer' })
  const reset = await world.people.resets.makeLink(owner.ctx, viewer.memberId)
  const secrets = [
    owner.token,
    deviceToken,
    goodPassword,
    invited.link.split('=')[1] ?? '',
    reset.link.split('=')[1] ?? '',
  ]
  const tables = [
    'users',
    'members',
    'invitations',
    'password_resets',
    'sessions',
    'audit_log',
    'login_attempts',
    'login_devices',
  ]
  const rows = await Promise.all(
    tables.map((table) => world.sql<{ all: string }>(`select t::text as all from ${table} t`)),
  )
  const everything =
    rows
      .flat()
      .map(({ all }) => all)
      .join('\n') + world.logLines.join('\n')
  expect(everything).toContain(owner.email)
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(20)
    expect(everything).not.toContain(secret)
    expect(everything).not.toContain(Buffer.from(secret).toString('hex'))
  }
  expect((await world.audited(org)).length).toBeGreaterThan(8)
})

test('every failed login gets the same refusal', async () => {
  const { owner } = await world.newTeam()
  const elsewhere = await world.newTeam()
  const { login } = world.people.login
  const wrong = await refusal(login(aVisitor(), { email: owner.email, password: 'not this one' }))
  const unknown = await refusal(login(aVisitor(), { email: 'nobody@example.com', password: 'not this one' }))
  const foreign = await refusal(
    login(aVisitor(), {
      email: owner.email,
      password: goodPassword,
      organisation_id: elsewhere.owner.session.organisation.id,
    }),
  )
  expect(wrong).toEqual({ code: 'unauthorized', message: expect.any(String), retryAfterSeconds: undefined })
  expect([unknown, foreign]).toEqual([wrong, wrong])
})

test('an e-mail address is compared without case, surrounding spaces or Unicode form', async () => {
  const org = await world.newOrg()
  const email = 'zoë.müller@example.com'
  await world.newMember(org, 'viewer', email)
  for (const typed of [` ${email} `, email.toUpperCase(), email.normalize('NFD')]) {
    expect((await world.logIn(typed)).session.user.email).toBe(email)
  }
})

test('a password is the same in composed and decomposed Unicode form', async () => {
  const org = await world.newOrg()
  const email = anEmail()
  const { link } = await world.people.invitations.inviteByOperator(org, { email, role: 'viewer' })
  const token = new URL(link).hash.slice('#token='.length)
  const password = 'Blåbærsyltetøy på brød'
  expect(password.normalize('NFD')).not.toBe(password.normalize('NFC'))
  await world.people.invitations.accept(aVisitor(), { token, password: password.normalize('NFD') })
  expect((await world.logIn(email, { password: password.normalize('NFC') })).session.role).toBe('viewer')
  expect((await world.logIn(email, { password: password.normalize('NFD') })).session.role).toBe('viewer')
})

test('of 50 concurrent guesses from 20 addresses at most ten are checked, and a known account is refused like an unknown one', async () => {
  const { owner } = await world.newTeam()
  const guess = (email: string) =>
    Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        refusal(
          world.people.login.login(aVisitor({ address: `198.51.100.${at % 20}` }), { email, password: `guess ${at}` }),
        ),
      ),
    )
  const known = await guess(owner.email)
  expect(known.filter(({ code }) => code === 'unauthorized')).toHaveLength(limits.loginsPerAccount)
  const unknown = await guess('nobody-at-all@example.com')
  expect(unknown.filter(({ code }) => code === 'unauthorized')).toHaveLength(limits.loginsPerAccount)
  const told = (answers: typeof known) => new Set(answers.map(({ code, message }) => `${code} ${message}`))
  expect(told(known)).toEqual(told(unknown))
  // Even the right password is not checked now.
  expect(await refusal(world.logIn(owner.email))).toMatchObject({ code: 'rate_limited' })
})

test('guessing at an account is audited in its organisation, once per window and not once per guess', async () => {
  const { org, owner } = await world.newTeam()
  for (let guess = 0; guess < 14; guess++) {
    await refusal(world.people.login.login(aVisitor(), { email: owner.email, password: 'a wrong guess' }))
  }
  // Written after the response; closing a process waits for pending writes.
  const other = world.another()
  await refusal(other.login.login(aVisitor(), { email: owner.email, password: 'a wrong guess' }))
  await other.close()
  await expect
    .poll(async () => (await world.audited(org)).filter(({ action }) => action === 'login.refused').length)
    .toBe(1)
})

test('after the seconds in Retry-After, and not earlier, the account is checked again', async () => {
  const { owner } = await world.newTeam()
  const guess = () => refusal(world.people.login.login(aVisitor(), { email: owner.email, password: 'a wrong guess' }))
  for (let tries = 0; tries < limits.loginsPerAccount; tries++) expect((await guess()).code).toBe('unauthorized')
  const { code, retryAfterSeconds = 0 } = await guess()
  expect(code).toBe('rate_limited')
  expect(retryAfterSeconds).toBeGreaterThan(limits.loginWindowSeconds / 2)
  expect(retryAfterSeconds).toBeLessThanOrEqual(limits.loginWindowSeconds)
  await moveDatabaseClock(world.database.ownerUrl, (retryAfterSeconds - 300) * 1_000)
  expect((await guess()).code).toBe('rate_limited')
  await moveDatabaseClock(world.database.ownerUrl, 300_000)
  expect((await world.logIn(owner.email)).session.role).toBe('owner')
})

test('no period of 15 minutes contains more than ten checks of one account', async () => {
  const { owner } = await world.newTeam()
  const guess = async () =>
    (await refusal(world.people.login.login(aVisitor(), { email: owner.email, password: 'a wrong guess' }))).code
  await guess()
  await moveDatabaseClock(world.database.ownerUrl, minutes(14))
  const later: string[] = []
  for (let tries = 0; tries < 9; tries++) later.push(await guess())
  expect(later).not.toContain('rate_limited')
  // A window that began with the first attempt would be over now, and ten more would follow the nine.
  await moveDatabaseClock(world.database.ownerUrl, minutes(2))
  expect(await guess()).toBe('rate_limited')
})

test('one address has a limited number of attempts over all accounts; other addresses are not affected', async () => {
  const { owner } = await world.newTeam()
  const visitor = aVisitor()
  const subject = `sha256(convert_to('address ${networkOf(visitor.address)}', 'UTF8'))`
  await world.sql(`insert into login_attempts values (${subject}, app_now(), ${limits.loginsPerAddress - 1})`)
  const guess = () => refusal(world.people.login.login(visitor, { email: anEmail(), password: 'a wrong guess' }))
  expect((await guess()).code).toBe('unauthorized')
  expect(await guess()).toMatchObject({ code: 'rate_limited', retryAfterSeconds: expect.any(Number) })
  // Requests from such an address do not count against the account.
  for (let tries = 0; tries < 12; tries++) await refusal(world.logIn(owner.email, { visitor }))
  expect((await world.logIn(owner.email)).session.role).toBe('owner')
})

test('an IPv6 network counts as one address', async () => {
  const network = 'fd00:1:2:3'
  const subject = `sha256(convert_to('address ${network}', 'UTF8'))`
  await world.sql(`insert into login_attempts values (${subject}, app_now(), ${limits.loginsPerAddress})`)
  const visitor = aVisitor({ address: `${network}::99` })
  const guess = world.people.login.login(visitor, { email: anEmail(), password: 'a wrong guess' })
  expect(await refusal(guess)).toMatchObject({ code: 'rate_limited' })
})

test('a correct password is not counted, and does not clear the guesses before it', async () => {
  const { owner } = await world.newTeam()
  const guess = () => refusal(world.people.login.login(aVisitor(), { email: owner.email, password: 'a wrong guess' }))
  for (let tries = 0; tries < limits.loginsPerAccount - 1; tries++) expect((await guess()).code).toBe('unauthorized')
  for (let logins = 0; logins < 3; logins++) expect((await world.logIn(owner.email)).session.role).toBe('owner')
  expect((await guess()).code).toBe('unauthorized')
  expect((await guess()).code).toBe('rate_limited')
})

const lockOut = async (email: string) => {
  for (let tries = 0; tries <= limits.loginsPerAccount; tries++) {
    await refusal(world.logIn(email, { password: 'a wrong guess' }))
  }
  expect(await refusal(world.logIn(email))).toMatchObject({ code: 'rate_limited' })
}

test('strangers lock no one out of a browser that has logged in before, and of no live session', async () => {
  const { owner } = await world.newTeam()
  const { deviceToken, ctx } = await world.logIn(owner.email)
  await lockOut(owner.email)
  const again = await world.logIn(owner.email, { visitor: aVisitor({ deviceToken }) })
  // The browser keeps its cookie.
  expect([again.session.role, again.deviceToken]).toEqual(['owner', deviceToken])
  const changed = { current_password: goodPassword, new_password: 'quite another Password, 9' }
  const after = cookieOf(await world.people.login.changePassword(ctx, changed))
  // A new password ends what browsers were known for, but for the one that set it.
  const withOld = world.logIn(owner.email, { password: changed.new_password, visitor: aVisitor({ deviceToken }) })
  expect(await refusal(withOld)).toMatchObject({ code: 'rate_limited' })
  const visitor = aVisitor({ deviceToken: after.deviceToken })
  expect((await world.logIn(owner.email, { password: changed.new_password, visitor })).session.role).toBe('owner')
})

test('strangers lock no one out of the browser in which an invitation was accepted', async () => {
  const { developer } = await world.newTeam()
  await lockOut(developer.email)
  const visitor = aVisitor({ deviceToken: developer.deviceToken })
  expect((await world.logIn(developer.email, { visitor })).session.role).toBe('developer')
})

test('a known browser has ten attempts too, and only at its own account', async () => {
  const { owner, viewer } = await world.newTeam()
  const { deviceToken } = await world.logIn(viewer.email)
  const visitor = () => aVisitor({ deviceToken })
  const guess = (email: string) => refusal(world.logIn(email, { password: 'a wrong guess', visitor: visitor() }))
  for (let tries = 0; tries < limits.loginsPerAccount; tries++)
    expect((await guess(viewer.email)).code).toBe('unauthorized')
  expect((await guess(viewer.email)).code).toBe('rate_limited')
  // The account itself is not locked by these guesses.
  expect((await world.logIn(viewer.email)).session.role).toBe('viewer')
  await lockOut(owner.email)
  expect((await guess(owner.email)).code).toBe('rate_limited')
})

test('a browser is known for 180 days, and an account knows ten of them', async () => {
  const { owner } = await world.newTeam()
  const { deviceToken, session } = await world.logIn(owner.email)
  for (let browsers = 0; browsers < 10; browsers++) {
    await moveDatabaseClock(world.database.ownerUrl, 1000)
    await world.logIn(owner.email)
  }
  const kept = await world.sql('select hash from login_devices where user_id = $1', [toUuid(session.user.id)])
  expect(kept).toHaveLength(10)
  await lockOut(owner.email)
  const visitor = aVisitor({ deviceToken })
  expect(await refusal(world.logIn(owner.email, { visitor }))).toMatchObject({ code: 'rate_limited' })
})

test('a new login invalidates the session that the browser had', async () => {
  const { owner } = await world.newTeam()
  const planted = await world.logIn(owner.email)
  const after = await world.logIn(owner.email, { visitor: aVisitor({ sessionToken: planted.token }) })
  expect(after.token).not.toBe(planted.token)
  expect(await world.people.authenticateSession(planted.token)).toBeNull()
  expect(await world.people.authenticateSession(after.token)).not.toBeNull()
})

test('a password change ends all other sessions of the person, and this session gets a new id', async () => {
  const { org, developer } = await world.newTeam()
  const [here, there] = [await world.logIn(developer.email), await world.logIn(developer.email)]
  const password = 'another good Password, 8'
  const { changePassword } = world.people.login
  const change = { current_password: goodPassword, new_password: password }
  expect((await refusal(changePassword(here.ctx, { ...change, current_password: 'wrong' }))).code).toBe(
    'password_wrong',
  )
  const changed = await changePassword(here.ctx, change)
  const { token } = cookieOf(changed)
  for (const old of [developer, here, there]) expect(await world.people.authenticateSession(old.token)).toBeNull()
  expect(await world.people.authenticateSession(token)).toMatchObject({ org, scopes: developer.ctx.scopes })
  expect((await refusal(world.logIn(developer.email))).code).toBe('unauthorized')
  expect((await world.logIn(developer.email, { password })).session.user.id).toBe(developer.session.user.id)
  expect((await world.audited(org)).map(({ action }) => action)).toContain('password.changed')
})

test('concurrent logins during a password change leave no session that used the old password', async () => {
  const { developer } = await world.newTeam()
  const password = 'another good Password, 8'
  const here = await world.logIn(developer.email)
  const results = await Promise.allSettled([
    ...Array.from({ length: 4 }, () =>
      world.people.login.login(aVisitor(), { email: developer.email, password: goodPassword }),
    ),
    world.people.login.changePassword(here.ctx, { current_password: goodPassword, new_password: password }),
    ...Array.from({ length: 2 }, () =>
      world.people.login.login(aVisitor(), { email: developer.email, password: goodPassword }),
    ),
  ])
  const changed = results[4]
  expect(changed?.status).toBe('fulfilled')
  const alive = await world.sql<{ id: string }>('select id from sessions where user_id = $1 and ended_at is null', [
    developer.user,
  ])
  expect(alive).toHaveLength(1)
})

test('guessing the current password from a stolen session is throttled like a login', async () => {
  const { viewer } = await world.newTeam()
  const guess = () =>
    refusal(world.people.login.changePassword(viewer.ctx, { current_password: 'wrong', new_password: goodPassword }))
  for (let tries = 0; tries < limits.loginsPerAccount; tries++) expect((await guess()).code).toBe('password_wrong')
  expect((await guess()).code).toBe('rate_limited')
})

test.for([
  ['too short', 'eleven char', 'at least 12'],
  ['too long', 'a1 b'.repeat(300), 'at most 1000'],
  ['the e-mail address', '{email}', 'not the e-mail'],
  ['on every list', 'Password1234', 'too easy'],
  ['one letter over and over', 'abababababababab', 'too easy'],
  ['half a character', 'fine until here \ud800', 'whole characters'],
] as const)('a new password that is %s is refused', async ([, password, why]) => {
  const { viewer } = await world.newTeam()
  const refused = await refusal(
    world.people.login.changePassword(viewer.ctx, {
      current_password: goodPassword,
      new_password: password.replace('{email}', viewer.email.toUpperCase()),
    }),
  )
  expect(refused).toMatchObject({ code: 'password_refused', message: expect.stringContaining(why) })
  expect((await world.logIn(viewer.email)).session.role).toBe('viewer')
})
