import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { limits } from '@ars/contract'
import { randomBytes } from '@ars/platform/crypto'
import { toUuid } from '@ars/platform/id'
import { createSelfSigned } from '@ars/platform/self-signed'
import { type MailServer, startMailServer } from '@ars/testkit/mail-server'
import type { ReceivedMail } from '@ars/testkit/received-mail'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examine } from '../src/doctor/doctor.ts'
import { newId } from './access-matrix/people.ts'
import { type App, startApp, type Tenant, until } from './app.ts'
import { cookieOf, inviteVisitor, ownPage } from './browser.ts'

// A whole service with a mail server that demands STARTTLS and a login.

const password = 'nine blue lanterns by the quay'
const login = { user: 'ars@example.com', password: 'p@ss/word' }
const certificate = createSelfSigned({ names: ['localhost'], nowMs: Date.now(), days: 2 })
const folder = mkdtempSync(join(tmpdir(), 'ars-mail-'))

let app: App
let server: MailServer
beforeAll(async () => {
  server = await startMailServer({ mode: 'starttls', certificate, login })
  const ca = join(folder, 'ca.pem')
  writeFileSync(ca, certificate.certificate)
  app = await startApp({
    env: {
      ARS_KEKS: `test:${randomBytes(32).toString('base64')}`,
      ARS_MAIL_FROM: 'Agent Runs <runs@example.com>',
      ARS_SMTP_URL: `smtp://${encodeURIComponent(login.user)}:${encodeURIComponent(login.password)}@localhost:${server.port}`,
      ARS_SMTP_CA_FILE: ca,
    },
  })
})
afterAll(async () => {
  await app.stop()
  await server.close()
  rmSync(folder, { recursive: true })
})

const mailFor = (to: string, about: string): Promise<ReceivedMail> =>
  until(`a mail for ${to} about ${about}`, async () =>
    server.mails().find((mail) => mail.to.includes(to) && `${mail.subject} ${mail.text}`.includes(about)),
  )

const tokenIn = ({ text }: ReceivedMail): string => /#token=(\S+)/.exec(text)?.[1] ?? ''

const visitorOf = (cookie: string) => ({ key: null, headers: { ...ownPage, cookie } })

const invite = async (tenant: Tenant, role: string, email = `${newId('usr')}@example.com`) => {
  const { body } = await app.call('POST', '/v2/members/invitations', { key: tenant.key, body: { email, role } })
  return { email, body }
}

/** A member who followed the link of the mail, so that the address is proven. */
const joinByMail = async (tenant: Tenant, role: string) => {
  const { email } = await invite(tenant, role)
  const token = tokenIn(await mailFor(email, 'Invitation'))
  const accepted = await app.call('POST', '/v2/api/auth/invitation', {
    key: null,
    body: { token, name: 'Ada', password },
  })
  expect(accepted.status).toBe(200)
  return { email, cookie: cookieOf(accepted) }
}

const isProven = async (email: string): Promise<boolean> =>
  (await app.query('select from users where email = $1 and email_proven_at is not null', [email])).length === 1

test('an invitation arrives over TLS, and accepting it proves the address', async () => {
  const tenant = await app.addTenant()
  const { email } = await joinByMail(tenant, 'admin')
  const mail = await mailFor(email, 'Invitation')
  expect(mail).toMatchObject({ isSecure: true, from: 'runs@example.com' })
  expect(mail.html).toContain(`#token=${tokenIn(mail)}`)
  expect(await isProven(email)).toBe(true)
})

test('the link that the inviter sees works as before and proves nothing', async () => {
  const tenant = await app.addTenant()
  const { email, body } = await invite(tenant, 'viewer')
  expect(body.mailed).toBe(true)
  const token = new URL(body.link).hash.replace('#token=', '')
  const mailed = tokenIn(await mailFor(email, 'Invitation'))
  expect(mailed.startsWith(`${token}.`)).toBe(true)
  // Neither can a second token be invented.
  const forged = { token: `${token}.${'x'.repeat(43)}`, password }
  expect((await app.call('POST', '/v2/api/auth/invitation', { key: null, body: forged })).status).toBe(200)
  expect(await isProven(email)).toBe(false)
})

test('a person proves the address by a mailed link, once, in their own session', async () => {
  const tenant = await app.addTenant()
  const ada = await inviteVisitor(app, tenant, 'developer')
  const other = await inviteVisitor(app, tenant, 'viewer')
  const asked = await app.call('POST', '/v2/api/auth/email-proof-links', { ...visitorOf(ada.cookie), body: {} })
  expect(asked.body).toEqual({ object: 'email_proof', email: ada.email, proven: false })
  const token = tokenIn(await mailFor(ada.email, 'Confirm'))
  const prove = (cookie: string) =>
    app.call('POST', '/v2/api/auth/email-proof', { ...visitorOf(cookie), body: { token } })
  expect((await prove(other.cookie)).body.error.code).toBe('link_invalid')
  expect((await prove(ada.cookie)).body).toEqual({ object: 'email_proof', email: ada.email, proven: true })
  expect((await prove(ada.cookie)).body.error.code).toBe('link_invalid')
  expect(await isProven(ada.email)).toBe(true)
  const again = await app.call('POST', '/v2/api/auth/email-proof-links', { ...visitorOf(ada.cookie), body: {} })
  expect(again.body.proven).toBe(true)
})

test('an address that another account has proven cannot be proven again', async () => {
  const [first, second] = [await app.addTenant(), await app.addTenant()]
  const { email } = await joinByMail(first, 'admin')
  const { body } = await invite(second, 'viewer', email)
  const token = new URL(body.link).hash.replace('#token=', '')
  const accepted = await app.call('POST', '/v2/api/auth/invitation', { key: null, body: { token, password } })
  const own = visitorOf(cookieOf(accepted))
  await app.call('POST', '/v2/api/auth/email-proof-links', { ...own, body: {} })
  const proof = tokenIn(await mailFor(email, 'Confirm'))
  const { status, body: refused } = await app.call('POST', '/v2/api/auth/email-proof', {
    ...own,
    body: { token: proof },
  })
  expect([status, refused.error.code]).toEqual([409, 'email_taken'])
})

test('a person gets a few links per day, and no more', async () => {
  const { email, cookie } = await joinByMail(await app.addTenant(), 'viewer')
  await app.query('update users set email_proven_at = null where email = $1', [email])
  const ask = () => app.call('POST', '/v2/api/auth/email-proof-links', { ...visitorOf(cookie), body: {} })
  // The invitation was the first of them.
  for (let sent = 1; sent < limits.linkMailsPerAddressPerDay; sent++) expect((await ask()).status).toBe(200)
  expect((await ask()).body.error).toMatchObject({
    code: 'limit_reached',
    message: expect.stringContaining('24 hours'),
  })
})

test('all organisations together mail three links per day to an address, and one mails no invitation again within an hour (limits.invitationMailEveryMinutes)', async () => {
  const tenants = await Promise.all(Array.from({ length: 5 }, () => app.addTenant()))
  const email = `${newId('usr')}@example.com`
  const invited = async (tenant: Tenant | undefined, address = email) =>
    (await invite(tenant ?? app.tenant, 'viewer', address)).body
  expect((await invited(tenants[0])).mailed).toBe(true)
  const again = await invited(tenants[0], email.toUpperCase())
  expect([again.mailed, again.link.includes('#token=')]).toEqual([false, true])
  expect([(await invited(tenants[1])).mailed, (await invited(tenants[2])).mailed]).toEqual([true, true])
  expect([(await invited(tenants[3])).mailed, (await invited(tenants[4])).mailed]).toEqual([false, false])
  expect((await invited(tenants[3], `${newId('usr')}@example.com`)).mailed).toBe(true)
  const hashes = await app.query("select encode(subject, 'escape') as subject from mail_recipients")
  expect(JSON.stringify(hashes)).not.toContain(email.slice(4, 20))
  await expect
    .poll(async () => (await fetch(`${app.metricsUrl}/metrics`)).text())
    .toMatch(/ars_mails_held_total\{[^}]*kind="invitation"[^}]*reason="recipient"[^}]*\} 2/)
})

test('of many invitations at once to one address three are mailed', async () => {
  const tenants = await Promise.all(Array.from({ length: 6 }, () => app.addTenant()))
  const email = `${newId('usr')}@example.com`
  const answers = await Promise.all(tenants.map((tenant) => invite(tenant, 'viewer', email)))
  expect(answers.filter(({ body }) => body.mailed)).toHaveLength(limits.linkMailsPerAddressPerDay)
})

test('a mail of a stranger begins with our link, and the name of the organisation makes no other', async () => {
  const tenant = await app.addTenant()
  const name = `Your account is locked - verify at https://evil.example/login ${'x'.repeat(100)}`
  await app.query('update organisations set name = $2 where id = $1', [tenant.org, name])
  const mail = await mailFor((await invite(tenant, 'viewer')).email, 'Invitation')
  expect(mail.subject).toMatch(/^Invitation to “Your account is locked - verify at https evil example .{0,10}…”$/)
  expect(mail.text).toMatch(/^Accept the invitation:\r\nhttps:\/\/localhost/)
  expect(`${mail.subject} ${mail.text} ${mail.html}`).not.toContain('evil.example')
})

test('a reset link is mailed to a proven address, and to no other', async () => {
  const tenant = await app.addTenant()
  const [owner, member] = await Promise.all([joinByMail(tenant, 'admin'), joinByMail(tenant, 'viewer')])
  const unproven = await inviteVisitor(app, tenant, 'developer')
  const { body: list } = await app.call('GET', '/v2/members', { key: tenant.key })
  const reset = async (email: string) => {
    const { id } = list.data.find((each: { email: string }) => each.email === email)
    return (
      await app.call('POST', '/v2/members/password-resets', { ...visitorOf(owner.cookie), body: { member_id: id } })
    ).body
  }
  expect((await reset(member.email)).mailed).toBe(true)
  const token = tokenIn(await mailFor(member.email, 'Set a new password'))
  const changed = await app.call('POST', '/v2/api/auth/password-reset', {
    key: null,
    body: { token, password: `${password} 2` },
  })
  expect(changed.status).toBe(200)
  expect((await reset(unproven.email)).mailed).toBe(false)
})

test('members get mails about the events that they chose, each once', async () => {
  const tenant = await app.addTenant()
  const [admin, quiet, curious, unasked] = await Promise.all([
    joinByMail(tenant, 'admin'),
    joinByMail(tenant, 'admin'),
    joinByMail(tenant, 'viewer'),
    joinByMail(tenant, 'developer'),
  ])
  const unproven = await inviteVisitor(app, tenant, 'admin')
  const path = '/v2/members/me/notifications'
  const before = (await app.call('GET', path, visitorOf(admin.cookie))).body
  expect(before).toMatchObject({ email: admin.email, email_proven: true, mail_enabled: true })
  expect(before.kinds).not.toContain('alert_info')
  expect((await app.call('GET', path, visitorOf(unasked.cookie))).body.kinds).toEqual([])
  await app.call('PATCH', path, { ...visitorOf(quiet.cookie), body: { kinds: [] } })
  const chosen = await app.call('PATCH', path, {
    ...visitorOf(curious.cookie),
    body: { kinds: ['alert_info', 'alert_critical'] },
  })
  expect(chosen.body.kinds).toEqual(['alert_critical', 'alert_info'])
  expect((await app.call('GET', path, { key: tenant.key })).status).toBe(403)

  const alert = (severity: string) => ({
    id: newId('alt'),
    object: 'alert',
    rule: { name: `Failures\r\nBcc: eve@example.com <i>${severity}</i>`, metric: 'failure_rate' },
    severity,
    snapshot: { metric: 'failure_rate', value: 0.31, threshold: 0.05 },
  })
  await record(tenant, 'alert.triggered', alert('critical'))
  await record(tenant, 'alert.resolved', alert('critical'))
  await record(tenant, 'alert.triggered', alert('info'))
  await record(tenant, 'budget.reached', { reached_percent: 80, monthly_budget_usd: 100, spent_usd: 80.5 })
  await record(tenant, 'webhook.disabled', { id: newId('wh'), url: 'https://example.com/hook', reason: 'It is gone' })
  await record(tenant, 'api_key.expiring', {
    id: newId('key'),
    name: 'Billing',
    hint: 'ab12',
    expires_at: '2030-01-01',
  })
  await record(tenant, 'agent.updated', {})
  const fired = await mailFor(admin.email, 'fires')
  expect(fired.subject).toBe('[critical] Failures Bcc: eve example com <i>critical< i> fires')
  expect(fired.text).toContain('Value: 0.31')
  expect(fired.html).toContain('&lt;i&gt;critical&lt; i&gt;')
  for (const about of ['is resolved', '80 % of a budget', 'Webhook disabled', 'API key expires soon'])
    await mailFor(admin.email, about)
  await mailFor(curious.email, '[info]')
  await expect
    .poll(() => app.query('select from mails where org_id = $1 and due_at is not null', [tenant.org]))
    .toEqual([])
  const aboutEvents = (email: string) =>
    server.mails().filter(({ to, text }) => to.includes(email) && text.includes('Choose your mails')).length
  expect([admin, quiet, curious, unasked, unproven].map(({ email }) => aboutEvents(email))).toEqual([5, 0, 3, 0, 0])
  expect(server.mails().flatMap(({ to }) => to)).not.toContain('eve@example.com')
})

test('an organisation sends a bounded number of mails per day; its links still work', async () => {
  const tenant = await app.addTenant()
  await app.query(
    `insert into mails (id, org_id, kind, outcome, ended_at) select new_uuid(), $1, 'invitation', 'sent', app_now()
       from generate_series(1, $2::integer)`,
    [tenant.org, limits.linkMailsPerDay],
  )
  const { body } = await invite(tenant, 'viewer')
  expect([body.mailed, body.link.includes('#token=')]).toEqual([false, true])
})

test('a link of a mail is sealed in the database and absent from the log', async () => {
  const tenant = await app.addTenant()
  const { email } = await invite(tenant, 'viewer')
  const token = tokenIn(await mailFor(email, 'Invitation'))
  expect(token.length).toBeGreaterThan(80)
  for (const part of token.split('.')) expect(app.logLines.join('')).not.toContain(part)
})

test('the metrics count mails by their end', async () => {
  await expect
    .poll(async () => (await fetch(`${app.metricsUrl}/metrics`)).text())
    .toMatch(/ars_mails_ended_total\{[^}]*kind="invitation"[^}]*outcome="sent"[^}]*\} [1-9]/)
  expect(await (await fetch(`${app.metricsUrl}/metrics`)).text()).toMatch(/ars_mails_waiting(\{[^}]*\})? \d/)
})

const checked = async (env: Record<string, string>) =>
  (await examine({ ...app.env, ...env })).find(({ what }) => what === 'mail server')

test('doctor logs in to the mail server, and says what to repair', async () => {
  expect(await checked({})).toMatchObject({ found: `localhost:${server.port}` })
  expect((await checked({}))?.advice).toBeUndefined()
  const wrong = `smtp://ars:wrong@localhost:${server.port}`
  expect((await checked({ ARS_SMTP_URL: wrong }))?.advice).toContain('password')
  expect((await checked({ ARS_SMTP_CA_FILE: '' }))?.advice).toContain('ARS_SMTP_CA_FILE')
  const plain = await startMailServer()
  expect((await checked({ ARS_SMTP_URL: `smtp://localhost:${plain.port}` }))?.advice).toContain('ARS_SMTP_TLS=off')
  await plain.close()
  expect((await checked({ ARS_SMTP_URL: `smtp://localhost:${plain.port}` }))?.advice).toContain('ARS_SMTP_URL')
  expect((await checked({ ARS_MAIL_FROM: '', ARS_SMTP_URL: '' }))?.found).toContain('off')
})

const record = async (tenant: Tenant, type: string, data: object): Promise<void> => {
  await app.query('insert into events (id, org_id, type, subject_id, data) values ($1, $2, $3, $4, $5)', [
    toUuid(newId('evt')),
    tenant.org,
    type,
    toUuid(newId('alt')),
    JSON.stringify(data),
  ])
}
