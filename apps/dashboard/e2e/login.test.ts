import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inviteVisitor, type Visitor } from '../../server/test/browser.ts'
import { type Dashboard, startDashboard } from './dashboard.ts'
import type { Visit } from './visit.ts'

let dashboard: Dashboard
let visitor: Visitor
beforeAll(async () => {
  dashboard = await startDashboard()
  visitor = await inviteVisitor(dashboard.app, dashboard.app.tenant)
})
afterAll(() => dashboard?.stop())

const logIn = async ({ page }: Visit, password = visitor.password): Promise<void> => {
  await page.getByLabel('E-mail').fill(visitor.email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
}

describe('a person without a session', () => {
  test('logs in with the form and comes to the page that the address named', async () => {
    const visit = await dashboard.visit()
    await visit.open('/settings/profile')
    expect(new URL(visit.page.url()).search).toBe('?next=%2Fsettings%2Fprofile')
    await logIn(visit)
    await visit.page.waitForURL(`${dashboard.url}/settings/profile`)
    await visit.page.getByRole('navigation').first().waitFor()
    await visit.expectAccessible()
  })

  test('stays on the form after a wrong password, and reads why', async () => {
    const visit = await dashboard.visit()
    await visit.open('/login')
    await logIn(visit, 'a wrong password')
    await visit.page.getByRole('alert').waitFor()
    expect(await visit.page.getByLabel('E-mail').inputValue()).toBe(visitor.email)
    await visit.expectAccessible()
  })

  test.each(['https://evil.example/', '//evil.example/', '/\\evil.example', 'javascript:alert(1)'])(
    'is not led away by ?next=%s',
    async (next) => {
      const visit = await dashboard.visit()
      await visit.open(`/login?next=${encodeURIComponent(next)}`)
      await logIn(visit)
      await visit.page.getByRole('navigation').first().waitFor()
      expect(visit.page.url()).toBe(`${dashboard.url}/`)
    },
  )

  test.each(['light', 'dark'] as const)('sees a login page without violations, in %s', async (theme) => {
    const visit = await dashboard.visit({ theme })
    await visit.open('/login')
    await visit.expectAccessible()
    expect(await visit.page.title()).toBe('Log in · Agent Run Service')
  })
})

test('a logout in one tab ends the session of the other', async () => {
  const visit = await dashboard.visit()
  await visit.open('/login')
  await logIn(visit)
  await visit.page.waitForURL(`${dashboard.url}/`)
  const other = await visit.newTab('/settings/sessions')
  await visit.page.getByRole('button', { name: 'Account of Ada' }).click()
  await visit.page.getByRole('menuitem', { name: 'Log out' }).click()
  await visit.page.waitForURL(/\/dashboard\/login/)
  await other.waitForURL(/\/dashboard\/login/)
  expect((await visit.context.cookies()).map(({ name }) => name)).not.toContain('__Host-ars_session')
})

test('a violation of the content policy does not go unseen', async () => {
  const visit = await dashboard.visit()
  await visit.open('/login')
  await visit.page.evaluate(() => {
    const image = document.createElement('img')
    image.src = 'https://evil.example/pixel.png'
    document.body.append(image)
  })
  await expect.poll(() => visit.takeProblems().join('\n')).toContain('securitypolicyviolation: img-src')
  await visit.page.evaluate(() => document.body.insertAdjacentHTML('beforeend', '<b>text</b>')).catch(() => undefined)
  await expect.poll(() => visit.takeProblems().join('\n')).toContain('require-trusted-types-for')
})
