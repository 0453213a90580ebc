import { randomBytes } from '@ars/platform/crypto'
import { toUuid } from '@ars/platform/id'
import { type MailServer, startMailServer } from '@ars/testkit/mail-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, startDashboard } from './dashboard.ts'

let dashboard: Dashboard
let mailServer: MailServer
beforeAll(async () => {
  mailServer = await startMailServer()
  dashboard = await startDashboard({
    env: {
      ARS_KEKS: `test:${randomBytes(32).toString('base64')}`,
      ARS_MAIL_FROM: 'runs@example.com',
      ARS_SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`,
      ARS_SMTP_TLS: 'off',
    },
  })
})
afterAll(async () => {
  await dashboard?.stop()
  await mailServer?.close()
})

test('a person is invited by link, joins, gets another role and is removed', async () => {
  const admin = await dashboard.visit({ as: 'admin' })
  await admin.open('/settings/members')
  await admin.page.getByRole('button', { name: 'Invite' }).click()
  const dialog = admin.page.getByRole('dialog')
  await dialog.getByLabel('E-mail').fill('nina@example.com')
  await dialog.getByLabel('Role').selectOption('viewer')
  await dialog.getByRole('button', { name: 'Invite' }).click()
  const secret = admin.page.locator('[data-secret]')
  await secret.waitFor()
  await admin.page.keyboard.press('Escape')
  const link = (await secret.textContent()) ?? ''
  await admin.page.getByRole('button', { name: 'I have stored it' }).click()

  const nina = await dashboard.visit()
  await nina.page.goto(link)
  await nina.page.getByLabel('Your name').fill('Nina')
  expect(nina.page.url()).not.toContain('token')
  await nina.page.getByLabel('Password').fill('a long enough password')
  await nina.page.getByRole('button', { name: 'Join' }).click()
  await nina.page.getByRole('heading', { name: 'Home' }).waitFor({ timeout: 60_000 })

  await admin.open('/settings/members')
  await admin.page.getByLabel('Role of Nina').selectOption('developer')
  await admin.page.getByText('Nina is now Developer.').waitFor()
  await admin.page.getByRole('button', { name: 'Actions for Nina' }).click()
  await admin.page.getByRole('menuitem', { name: 'Remove' }).click()
  await admin.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await admin.page.getByText('Nina was removed.').waitFor()
  await admin.expectAccessible()
})

test('the key of a provider is entered, replaced and removed, and never shown', async () => {
  const admin = await dashboard.visit({ as: 'admin' })
  await admin.open('/settings/organisation')
  await admin.page.getByText('Only simulated models answer.').waitFor()
  const enter = async (button: string, key: string) => {
    await admin.page.getByRole('button', { name: button }).click()
    await admin.page.getByLabel('API key').fill(key)
    await admin.page.getByRole('button', { name: 'Store' }).click()
    await admin.page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await enter('Enter key of OpenAI', 'sk-a-key-that-is-long-enough-4f2c')
  await admin.page.getByText('…4f2c').waitFor()
  await enter('Replace the key of OpenAI', 'sk-a-key-that-is-long-enough-77aa')
  await admin.page.getByText('…77aa').waitFor()
  expect(await admin.page.content()).not.toContain('long-enough')
  await admin.expectAccessible()
  await admin.page.getByRole('button', { name: 'Remove the key of OpenAI' }).click()
  await admin.page.getByRole('button', { name: 'Remove key' }).click()
  await admin.page.getByText('Only simulated models answer.').waitFor()
})

test('an incomplete link says so', async () => {
  const visit = await dashboard.visit()
  await visit.open('/password-reset')
  await visit.page.getByRole('heading', { name: 'This link is incomplete' }).waitFor()
  await visit.expectAccessible()
})

test('the organisation is renamed by an admin and only read by a viewer', async () => {
  const admin = await dashboard.visit({ as: 'admin' })
  await admin.open('/settings/organisation')
  await admin.page.getByLabel('Name').fill('Globex')
  await admin.page.getByRole('button', { name: 'Rename' }).click()
  await admin.page.getByText('The organisation was renamed.').waitFor()
  await admin.expectAccessible()
  const viewer = await dashboard.visit({ as: 'viewer' })
  await viewer.open('/settings/organisation')
  const rename = viewer.page.getByRole('button', { name: 'Rename' })
  expect(await rename.getAttribute('aria-disabled')).toBe('true')
  await viewer.page.getByText('members:write').first().waitFor({ state: 'attached' })
})

test('the audit log shows who renamed it, before and after', async () => {
  const visit = await dashboard.visit({ as: 'owner' })
  await visit.open('/settings/audit-log?action=organisation.renamed')
  await visit.page
    .getByRole('link')
    .filter({ has: visit.page.locator('time') })
    .first()
    .click()
  const dialog = visit.page.getByRole('dialog')
  await dialog.getByText('Globex').waitFor()
  await dialog.getByText('Adam Admin').waitFor()
  await visit.expectAccessible()
})

test('a person sees their sessions and ends another one', async () => {
  const person = await dashboard.person('developer')
  const visit = await dashboard.visit({ as: person })
  await visit.open('/settings/sessions')
  await visit.page.getByText('This one').waitFor()
  await visit.expectAccessible()
})

test('a page without the permission says which one is missing', async () => {
  const visit = await dashboard.visit({ as: 'viewer' })
  await visit.open('/settings/members')
  await visit.page.getByText('members:write').waitFor()
  await visit.expectAccessible()
})

test('two tabs, two organisations: the tab of the first is covered, and nothing is written', async () => {
  const other = await dashboard.app.addTenant()
  const person = await dashboard.person('owner')
  await dashboard.app.query(
    `insert into members (id, org_id, user_id, role) select gen_random_uuid(), $1, user_id, 'owner' from members where id = $2`,
    [other.org, toUuid(person.memberId)],
  )
  const visit = await dashboard.visit({ as: person })
  await visit.open('/settings/organisation')
  const second = await visit.newTab('/settings/organisation')
  await second.getByRole('button', { name: /^Account of/ }).click()
  await second.getByRole('menuitem', { name: /^Switch to/ }).click()
  await visit.page.getByText(/This browser now speaks for/).waitFor({ timeout: 60_000 })
  const rename = visit.page.getByRole('button', { name: 'Rename' })
  expect(await rename.evaluate((button) => button.closest('[inert]') !== null)).toBe(true)
  await visit.page.getByRole('button', { name: 'Reload' }).click()
  await rename.waitFor()
})

test('a person confirms the address by mail and chooses what to get mails about', async () => {
  const visit = await dashboard.visit({ as: 'viewer' })
  await visit.open('/settings/profile')
  await visit.page.getByRole('button', { name: 'Send a mail to confirm it' }).click()
  const proof = () => mailServer.mails().find(({ text }) => text.includes('/email-proof#'))
  await expect.poll(proof).toBeDefined()
  const link = /https:\S+#token=\S+/.exec(proof()?.text ?? '')?.[0] ?? ''
  await visit.page.goto(link)
  await visit.page.getByRole('button', { name: 'Confirm the address' }).click()
  await visit.page.getByRole('heading', { name: 'The address is confirmed' }).waitFor()
  expect(visit.page.url()).not.toContain('token')
  await visit.expectAccessible()
  await visit.page.getByRole('button', { name: 'Open the profile' }).click()
  await visit.page.getByLabel('Critical alerts').check()
  await visit.page.getByRole('button', { name: 'Save' }).click()
  await visit.page.getByText('Your choice of mails was saved.').waitFor()
  await visit.open('/settings/profile')
  expect(await visit.page.getByLabel('Critical alerts').isChecked()).toBe(true)
  expect(await visit.page.getByLabel('Warnings').isChecked()).toBe(false)
  await visit.expectAccessible()
})
