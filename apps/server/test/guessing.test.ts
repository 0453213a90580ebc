import { limits } from '@ars/contract'
import { asClient } from '@ars/testkit/client'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type Reply, startApp, type Tenant, until } from './app.ts'
import { inviteVisitor, ownPage, type Visitor } from './browser.ts'

const guesses = 300
let app: App

// The tests act as a trusted proxy, so that each request can come from any address.
beforeAll(async () => {
  app = await startApp({ role: 'gateway', env: { ARS_TRUSTED_PROXIES: '127.0.0.1/32' } })
})
afterAll(() => app.stop())

const logIn = (from: string, email: string, password: string): Promise<Reply> =>
  app.call('POST', '/api/auth/login', {
    key: null,
    body: { email, password },
    headers: { ...ownPage, 'x-forwarded-for': from },
  })

/** This many people guess at one account, each from the given address. */
const guessAt = (email: string, addressOf: (at: number) => string): Promise<Reply[]> =>
  Promise.all(Array.from({ length: guesses }, (_, at) => logIn(addressOf(at), email, `a wrong guess ${at}`)))

const newVisitor = async (): Promise<Visitor & { tenant: Tenant }> => {
  const tenant = await app.addTenant()
  return { ...(await inviteVisitor(app, tenant)), tenant }
}

/** By the service's own counter: only a checked password costs a hash. */
const passwordsComputed = async (): Promise<number> => {
  const metrics = await (await request(`${app.metricsUrl}/metrics`)).body.text()
  return Number(/^ars_passwords_computed_total (\d+)/m.exec(metrics)?.[1])
}

const countBy = (replies: readonly Reply[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** The visible part of a response, without values that are new in every one. */
const shown = ({ status, headers, body }: Reply): unknown => {
  const { request_id: ofThisRequest, ...error } = body.error
  const { date, 'x-request-id': id, 'content-length': length, ...rest } = headers
  return { status, headers: rest, error }
}

let networks = 0
const newNetwork = (): string => `198.18.${networks++}`

test.for([
  ['one address', 1],
  ['150 addresses', 150],
] as const)('of 300 concurrent guesses at an account from %s, ten are checked', async ([, addresses]) => {
  const { email, password } = await newVisitor()
  const network = newNetwork()
  const before = await passwordsComputed()
  const answers = await guessAt(email, (at) => `${network}.${at % addresses}`)
  expect(countBy(answers)).toEqual({ 401: limits.loginsPerAccount, 429: guesses - limits.loginsPerAccount })
  expect((await passwordsComputed()) - before).toBe(limits.loginsPerAccount)
  for (const { status, headers } of answers)
    if (status === 429) expect(Number(headers['retry-after'])).toBeGreaterThan(0)

  // Even the right password is not checked, from any address: a guess reveals nothing.
  const right = await logIn(`${newNetwork()}.1`, email, password)
  expect([right.status, right.headers['set-cookie']]).toEqual([429, undefined])
  expect((await passwordsComputed()) - before).toBe(limits.loginsPerAccount)
  await moveDatabaseClock(app.database.ownerUrl, Number(right.headers['retry-after']) * 1_000)
  expect((await logIn(`${newNetwork()}.1`, email, password)).status).toBe(200)
  expect((await passwordsComputed()) - before).toBe(limits.loginsPerAccount + 1)
})

test('an address that tries one password on many accounts is throttled, and no other address is', async () => {
  const { email, password } = await newVisitor()
  const before = await passwordsComputed()
  const address = `${newNetwork()}.1`
  const subject = `sha256(convert_to('address ${address}', 'UTF8'))`
  await app.query(`insert into login_attempts values (${subject}, app_now(), ${limits.loginsPerAddress - 5})`)
  const batch = Array.from({ length: 20 }, (_, at) => logIn(address, `nobody-${at}@example.com`, 'Password1'))
  expect(countBy(await Promise.all(batch))).toEqual({ 401: 5, 429: 15 })
  expect((await passwordsComputed()) - before).toBe(5)
  expect((await logIn(address, email, password)).status).toBe(429)
  expect((await logIn(`${newNetwork()}.1`, email, password)).status).toBe(200)
})

test('guesses that wait for each other do not block the lookup of other keys', async () => {
  const { email } = await newVisitor()
  const { key } = await app.addTenant()
  await logIn(`${newNetwork()}.1`, email, 'a wrong guess')
  const network = newNetwork()
  const waiting = await asClient(app.database.superuserUrl, async (client) => {
    // While this transaction is open, attempts for the account cannot be counted.
    await client.query('begin')
    await client.query(`select 1 from login_attempts where subject = sha256(convert_to($1, 'UTF8')) for update`, [
      `account ${email}`,
    ])
    const answers = Array.from({ length: 30 }, (_, at) => logIn(`${network}.${at}`, email, `a wrong guess ${at}`))
    await until('that guesses wait', async () => {
      const locked = await app.query<{ n: number }>(
        `select count(*)::integer as n from pg_stat_activity
          where datname = current_database() and application_name like 'ars-%' and wait_event_type = 'Lock'`,
      )
      return (locked[0]?.n ?? 0) > 0
    })
    expect((await app.call('GET', '/v2/agents', { key })).status).toBe(200)
    await client.query('rollback')
    return answers
  })
  expect(countBy(await Promise.all(waiting))).toEqual({ 401: limits.loginsPerAccount - 1, 429: 21 })
})

// Row 68 of the bad inputs: an existing account, an unknown one, and one whose owner was removed everywhere.
test('a wrong password, an unknown person and a removed person get the same response, byte for byte', async () => {
  const known = await newVisitor()
  const removed = await newVisitor()
  await app.query('delete from members where org_id = $1', [removed.tenant.org])
  const accounts = [
    [known.email, 'not the right Password, 1'],
    ['unknown-to-everybody@example.com', 'not the right Password, 1'],
    [removed.email, removed.password],
  ] as const
  const told = await Promise.all(
    accounts.map(async ([email, password]) => {
      const address = `${newNetwork()}.1`
      const answers: unknown[] = []
      for (let tries = 0; tries < limits.loginsPerAccount; tries++) {
        answers.push(shown(await logIn(address, email, password)))
      }
      const { status, headers, body } = await logIn(address, email, password)
      // The remaining time depends on the time of the request.
      expect(Number(headers['retry-after'])).toBeGreaterThan(limits.loginWindowSeconds - 120)
      return [...answers, shown({ status, headers: { ...headers, 'retry-after': 'seconds' }, text: '', body })]
    }),
  )
  expect(told[0]).toHaveLength(limits.loginsPerAccount + 1)
  expect(told[0]?.[0]).toMatchObject({ status: 401, error: { code: 'unauthorized' } })
  expect(told[0]?.at(-1)).toMatchObject({ status: 429, error: { code: 'rate_limited' } })
  expect(told[1]).toEqual(told[0])
  expect(told[2]).toEqual(told[0])
})

// The rest of row 67 of the bad inputs is with the logins of `people.test.ts`.
test('a password is the same in either Unicode form', async () => {
  const { tenant } = await newVisitor()
  const invited = await app.call('POST', '/v2/members/invitations', {
    key: tenant.key,
    body: { email: 'zoe@example.com', role: 'viewer' },
  })
  const password = 'Blåbærsyltetøy på brød'
  const [composed, decomposed] = [password.normalize('NFC'), password.normalize('NFD')]
  expect(composed).not.toBe(decomposed)
  const token = new URL(invited.body.link).hash.replace('#token=', '')
  await app.call('POST', '/v2/api/auth/invitation', { key: null, body: { token, password: decomposed } })
  for (const typed of [composed, decomposed]) {
    expect((await logIn(`${newNetwork()}.1`, 'zoe@example.com', typed)).status).toBe(200)
  }
  expect((await logIn(`${newNetwork()}.1`, 'zoe@example.com', `${composed}.`)).status).toBe(401)
})
