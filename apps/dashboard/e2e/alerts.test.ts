import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../server/test/app.ts'
import { type Dashboard, startDashboard } from './dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard({ env: { ARS_KEKS: `test:${randomBytes(32).toString('base64')}` } })
  const { app, client } = dashboard
  const failing = app.tenant.agents['test-fail'] ?? ''
  for (let n = 0; n < 4; n++) await client.runs.create({ agent_id: failing, input: { code: 'agent_error' } })
  await until('the runs are counted', async () => (await client.usage.get()).totals.failed === 4)
  // A preview evaluates whole minutes.
  await dashboard.moveClock(2 * 60_000)
})
afterAll(() => dashboard?.stop())

test('a person makes a rule on a chart, sees when it would have fired, and sees it fire', async () => {
  const visit = await dashboard.visit({ as: 'admin' })
  const { page } = visit
  await visit.open('/alerts')
  await page.getByText('No alert has fired').waitFor()
  await visit.expectAccessible()
  await page.getByRole('button', { name: 'New rule' }).first().click()
  await page.getByRole('button', { name: 'Create rule' }).click()
  await page.getByText('Give the rule a name.').waitFor()
  await page.getByLabel('Name').fill('Too many failures')
  await page.getByLabel('Threshold in %').fill('20')
  await page.getByLabel('Least runs or deliveries').fill('2')
  await page.getByLabel('Severity').selectOption('critical')
  await page.getByRole('img', { name: /^Failure rate, by hour/ }).waitFor()
  await page.getByText('It would have fired once in the last 7 days.').waitFor()
  await visit.expectAccessible()
  await page.getByRole('button', { name: 'Create rule' }).click()
  await page.getByRole('heading', { name: 'Too many failures' }).waitFor()

  await until(
    'the rule fires',
    async () => (await dashboard.client.alerts.list({ status: 'firing' })).data.length === 1,
  )
  await visit.open('/')
  await page.getByRole('link', { name: 'Alerts 1 firing' }).waitFor()
  await page.getByRole('region', { name: 'Alerts that fire' }).getByRole('link', { name: 'Too many failures' }).click()
  await page.getByText('Failure rate was 100.0 % when it fired.').waitFor()
  await page.getByRole('img', { name: /^Failure rate by minute/ }).waitFor()
  await visit.expectAccessible()
  await page.getByRole('link', { name: 'Runs of the window' }).click()
  await expect.poll(() => page.getByRole('table', { name: 'Runs' }).locator('tbody tr').count()).toBe(4)
})

test('a rule is tested, disabled, which resolves its alert, and deleted', async () => {
  const visit = await dashboard.visit({ as: 'admin' })
  const { page } = visit
  await visit.open('/alerts?view=rules')
  await page.getByRole('table', { name: 'Rules' }).getByRole('link', { name: 'Too many failures' }).click()
  await page.getByText('The rule fires now.').waitFor()
  await visit.expectAccessible()
  await page.getByRole('button', { name: 'Send test alert' }).click()
  await page.getByText('A test alert was sent').waitFor()
  await page.getByLabel('Severity').selectOption('warning')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The rule is changed.').waitFor()
  await page.getByRole('button', { name: 'Disable' }).click()
  await page.getByText('The rule is disabled.').waitFor()
  await visit.open('/alerts?status=resolved')
  await page.getByRole('table', { name: 'Alerts' }).getByRole('link', { name: 'Too many failures' }).waitFor()
  await visit.open('/alerts?view=rules')
  await page.getByRole('button', { name: 'Actions of Too many failures' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete rule' }).click()
  await page.getByText('No rules yet').waitFor()
})

test('a viewer reads alerts and changes nothing', async () => {
  const visit = await dashboard.visit({ as: 'viewer' })
  await visit.open('/alerts')
  expect(await visit.page.getByRole('button', { name: 'New rule' }).first().getAttribute('aria-disabled')).toBe('true')
})

test('a person adds a chat channel, whose URL is not shown again, and removes it', async () => {
  const visit = await dashboard.visit({ as: 'admin' })
  const { page } = visit
  await visit.open('/alerts?view=channels')
  await page.getByText('No channel yet').waitFor()
  await visit.expectAccessible()
  await page.getByRole('button', { name: 'Add channel' }).click()
  await page.getByLabel('URL of the incoming webhook').fill('https://169.254.169.254/services/T0')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('The channel was not added').waitFor()
  await visit.expectAccessible()
  await page.getByLabel('URL of the incoming webhook').fill('https://8.8.8.8/services/planted-secret-wxyz')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  const row = page.getByRole('table', { name: 'Channels' }).getByRole('row', { name: /8\.8\.8\.8.*wxyz/ })
  await row.waitFor()
  expect(await page.content()).not.toContain('planted-secret')
  await visit.expectAccessible()
  await row.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Remove channel' }).click()
  await page.getByText('No channel yet').waitFor()
  visit.takeProblems()
})
