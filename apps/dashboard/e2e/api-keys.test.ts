import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../server/test/app.ts'
import { type Dashboard, startDashboard } from './dashboard.ts'
import { settled } from './visit.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.stop())

const statusOf = async (key: string): Promise<number> =>
  (await dashboard.app.call('GET', '/v2/runs?limit=1', { key })).status

const createKey = async (page: Page, name: string, preset: string): Promise<string> => {
  await page.getByRole('button', { name: 'Create key' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Create an API key' })
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: preset }).click()
  await dialog.getByRole('button', { name: 'Create key' }).click()
  return takeSecret(page)
}

/** Reads the secret that is shown once, and closes its dialog. */
const takeSecret = async (page: Page): Promise<string> => {
  const secret = await page.locator('[data-secret]').textContent()
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.locator('[data-secret]').waitFor({ state: 'detached' })
  return secret ?? ''
}

test('the form says what is missing, and Escape does not lose a secret', async () => {
  const visit = await dashboard.visit({ as: 'admin' })
  const { page } = visit
  await visit.open('/settings/api-keys')
  await page.getByRole('button', { name: 'Create key' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Create an API key' })
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await dialog.getByText('Enter a name.').waitFor()
  await dialog.getByText('Choose at least one scope.').waitFor()
  await visit.expectAccessible()
  await dialog.getByLabel('Name').fill('kept')
  await dialog.getByLabel('runs:read: See runs').check()
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await page.locator('[data-secret]').waitFor()
  await visit.expectAccessible()
  await page.keyboard.press('Escape')
  expect(await takeSecret(page)).toMatch(/^ars_live_/)
})

test('a key is edited and revoked with the keys below it', async () => {
  const visit = await dashboard.visit({ as: 'admin' })
  const { page } = visit
  await visit.open('/settings/api-keys')
  const key = await createKey(page, 'parent', 'All that I may')
  const child = await dashboard.app.call('POST', '/v2/api-keys', {
    key,
    body: { name: 'child', scopes: ['runs:read'] },
  })
  expect(await statusOf(child.body.key)).toBe(200)

  await page.getByRole('link', { name: 'parent' }).click()
  await page.getByText('Keys that it created').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change parent' })
  await dialog.getByLabel('Name').fill('renamed')
  await dialog.getByRole('button', { name: 'Run agents' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'renamed' }).waitFor()
  await visit.expectAccessible()

  await page.getByRole('button', { name: 'Revoke', exact: true }).click()
  await page.getByLabel('Revoke the keys below it too').check()
  await page.getByRole('button', { name: 'Revoke key' }).click()
  await page.getByText('1 keys below it are revoked too.').waitFor()
  await until('both keys to end', async () => (await statusOf(key)) === 401 && (await statusOf(child.body.key)) === 401)
})

test('a person without keys:write sees the keys, and why nothing can be done', async () => {
  const visit = await dashboard.visit({ as: 'developer' })
  await visit.open('/settings/api-keys')
  const button = visit.page.getByRole('button', { name: 'Create key' })
  expect(await button.getAttribute('aria-disabled')).toBe('true')
  expect(await button.getAttribute('aria-describedby')).not.toBeNull()
  await visit.page.getByText('does not have the permission keys:write').first().waitFor({ state: 'attached' })
})

test('a person without keys:read sees which permission is missing', async () => {
  const visit = await dashboard.visit({ as: 'viewer' })
  await visit.open('/settings/api-keys')
  await visit.page.getByText('does not have the permission keys:read').waitFor()
  expect(await visit.page.getByRole('table').count()).toBe(0)
})

test('a key that was sent over plain HTTP has a banner that leads to the rotation', async () => {
  const made = await dashboard.client.apiKeys.create({ name: 'leaked', scopes: ['runs:read'] })
  await dashboard.app.query(`update api_keys set exposed_at = app_now() where name = 'leaked'`)
  const visit = await dashboard.visit({ as: 'admin', theme: 'dark' })
  await visit.open(`/settings/api-keys/${made.id}`)
  await visit.page.getByText('was sent over plain HTTP').waitFor()
  await visit.expectAccessible()
  await visit.page.getByRole('status').getByRole('button', { name: 'Rotate' }).click()
  await visit.page.getByRole('dialog', { name: 'Rotate leaked' }).waitFor()
})

test.each([
  ['light', 1_440],
  ['dark', 1_440],
  ['light', 400],
] as const)('the list is accessible, in %s at %s px', async (theme, width) => {
  const visit = await dashboard.visit({ as: 'admin', theme, width })
  await visit.open('/settings/api-keys')
  await visit.page.getByRole('table', { name: 'API keys' }).waitFor()
  await visit.expectAccessible()
  expect(await visit.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
})

// The last test: it moves the clock of the service, which ends the sessions.
test('[S48] a key is created and rotated in the dashboard; both keys work, and the old one ends after 24 hours', async () => {
  const visit = await dashboard.visit({ as: 'admin' })
  const { page } = visit
  await visit.open('/settings/api-keys')
  const old = await createKey(page, 'deploy script', 'Run agents')
  expect(await statusOf(old)).toBe(200)

  await page.getByRole('link', { name: 'deploy script' }).click()
  await page.getByRole('heading', { name: 'deploy script' }).waitFor()
  await settled(page)
  await page.getByRole('button', { name: 'Rotate' }).click()
  const dialog = page.getByRole('dialog', { name: 'Rotate deploy script' })
  await dialog.getByText('works for another 24 hours').waitFor()
  await dialog.getByRole('button', { name: 'Rotate key' }).click()
  const fresh = await takeSecret(page)
  expect(fresh).not.toBe(old)
  expect([await statusOf(old), await statusOf(fresh)]).toEqual([200, 200])

  await page.getByText(/works for another 23 h 5\d min/).waitFor()
  await page.getByText('something still has it').waitFor()
  await visit.expectAccessible()
  await page.getByRole('link', { name: 'API keys' }).first().click()
  await page.getByText(/Ends in 23 h 5\d min/).waitFor()
  await page.getByRole('button', { name: 'Revoke now' }).waitFor()
  await visit.expectAccessible()

  await dashboard.moveClock(24 * 3_600_000 + 60_000)
  await until('the old key to end', async () => (await statusOf(old)) === 401)
  expect(await statusOf(fresh)).toBe(200)
})
