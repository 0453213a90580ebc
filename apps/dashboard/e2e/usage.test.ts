import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../server/test/app.ts'
import { type Dashboard, startDashboard } from './dashboard.ts'

const runs = { completed: 6, failed: 2 } as const

let dashboard: Dashboard
let agentId: string
beforeAll(async () => {
  dashboard = await startDashboard()
  const { app, client } = dashboard
  agentId = app.tenant.agents['test-echo'] ?? ''
  const failing = app.tenant.agents['test-fail'] ?? ''
  for (let n = 0; n < runs.completed; n++) await client.runs.create({ agent_id: agentId, input: { query: `${n}` } })
  for (let n = 0; n < runs.failed; n++) await client.runs.create({ agent_id: failing, input: { code: 'agent_error' } })
  await until('all runs are counted', async () => (await client.usage.get()).totals.runs === 8)
})
afterAll(() => dashboard?.stop())

const saved = async (page: Page, item: string): Promise<{ name: string; lines: string[] }> => {
  await page.getByRole('button', { name: 'Download as CSV' }).click()
  const downloading = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: item }).click()
  const download = await downloading
  const text = await readFile(await download.path(), 'utf8')
  return { name: download.suggestedFilename(), lines: text.trimEnd().split('\r\n') }
}

test('[S35] Usage shows how much of the quota is used, by whom, and leads to the runs', async () => {
  const visit = await dashboard.visit({ as: 'viewer' })
  const { page } = visit
  await visit.open('/usage')
  await page.getByRole('meter', { name: 'Quota of runs' }).waitFor()
  await page.getByText(/^8 of /).waitFor()
  await page.getByText('6 completed, 2 failed, 0 cancelled').waitFor()
  await page.getByRole('table', { name: 'By API key' }).getByRole('link').first().waitFor()
  await visit.expectAccessible()

  const { name, lines } = await saved(page, 'By agent')
  expect(name).toMatch(/^usage-\d{4}-\d\d-by-agent\.csv$/)
  expect(lines[0]).toMatch(/^agent_id,name,runs,completed,failed/)
  expect(lines[1]).toContain(`${agentId},test-echo,6,6,0`)

  await page.getByLabel('Figure of the chart').selectOption('tokens')
  await page.getByText('Tokens by day').waitFor()
  await page.getByRole('table', { name: 'By agent' }).getByRole('link', { name: 'test-echo' }).click()
  await page.waitForURL(/\/runs\?/)
  expect(new URL(page.url()).searchParams.get('agent_id')).toBe(agentId)
  await expect.poll(() => page.getByRole('table', { name: 'Runs' }).locator('tbody tr').count()).toBe(6)
})

test('a month without runs says so', async () => {
  const visit = await dashboard.visit({ as: 'viewer' })
  await visit.open('/usage')
  await visit.page.getByLabel('Month').selectOption({ index: 3 })
  await visit.page.getByText('No run has ended in this month.').waitFor()
  expect(await visit.page.getByText('Limits now').count()).toBe(0)
  await visit.expectAccessible()
})

test('[S36] Analytics shows the figures of a period, and a point of a chart leads to its runs', async () => {
  const visit = await dashboard.visit({ as: 'viewer' })
  const { page } = visit
  await visit.open('/analytics')
  const figure = (name: string) => page.getByLabel('Figures').locator('div', { hasText: name }).last()
  await expect.poll(() => figure('Ended runs').textContent()).toContain('8')
  await expect.poll(() => figure('Success rate').textContent()).toContain('75.0 %')
  await page.getByRole('table', { name: 'Most frequent errors' }).getByRole('link', { name: 'agent_error' }).waitFor()
  await visit.expectAccessible()

  const { lines } = await saved(page, 'Series')
  expect(lines[0]).toMatch(/^started_at,runs,completed,failed/)
  expect(lines.slice(1).reduce((sum, line) => sum + Number(line.split(',')[1]), 0)).toBe(8)

  await page.getByRole('img', { name: /^Ended runs\. Arrow keys/ }).focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/runs\?.*created_after=/)
  await page.goBack()

  await page.getByLabel('Period').selectOption('-7d')
  await page.getByLabel('Agent', { exact: true }).selectOption('test-fail')
  await page.getByLabel('Group by').selectOption('error_code')
  await expect.poll(() => figure('Ended runs').textContent()).toContain('2')
  await page.getByRole('table', { name: 'By Error code' }).getByRole('link', { name: 'agent_error' }).click()
  await page.waitForURL(/error_code=agent_error/)
  await expect.poll(() => page.getByRole('table', { name: 'Runs' }).locator('tbody tr').count()).toBe(2)
})

test('the values of a chart can be read as a table, whose times lead to the runs', async () => {
  const visit = await dashboard.visit({ as: 'viewer' })
  const { page } = visit
  await visit.open('/analytics?interval=hour')
  await page.getByRole('button', { name: 'Show as table' }).first().click()
  await visit.expectAccessible()
  await page.getByLabel('Ended runs').getByRole('link').first().click()
  await page.waitForURL(/\/runs\?.*created_after=/)
})

test('a period that is too long for its interval is refused in words, and the filters stay', async () => {
  const visit = await dashboard.visit({ as: 'viewer' })
  await visit.open('/analytics?from=-30d&interval=minute')
  await visit.page.getByText('By minute, a period has at most 1 day').waitFor()
  await visit.page.getByRole('button', { name: 'Clear' }).click()
  await visit.page.getByLabel('Figures').waitFor()
  expect(new URL(visit.page.url()).search).toBe('')
})

test('an admin sets, changes and removes a budget', async () => {
  const visit = await dashboard.visit({ as: 'admin' })
  const { page } = visit
  const budgets = page.getByRole('region', { name: 'Budgets' })
  const actions = (name: string) => page.getByRole('button', { name: `Actions of the budget of ${name}` })
  await visit.open('/usage')
  await budgets.getByText('No budget is set.').waitFor()
  await budgets.getByRole('button', { name: 'New budget' }).click()
  await page.getByLabel('For').selectOption('test-echo')
  await page.getByLabel('US dollars a month').fill('ten')
  await page.getByRole('button', { name: 'Set budget' }).click()
  await page.getByText('Enter an amount in US dollars, such as 50.').waitFor()
  await visit.expectAccessible()
  await page.getByLabel('US dollars a month').fill('10')
  await page.getByLabel('When it is used up').selectOption('park')
  await page.getByRole('button', { name: 'Set budget' }).click()
  await budgets.getByRole('meter', { name: 'Budget of test-echo' }).waitFor()
  expect(await dashboard.client.agents.get(agentId)).toMatchObject({ monthly_budget_usd: 10, budget_action: 'park' })
  await visit.expectAccessible()

  await actions('test-echo').click()
  await page.getByRole('menuitem', { name: 'Change' }).click()
  await page.getByLabel('US dollars a month').fill('$20')
  await page.getByRole('button', { name: 'Set budget' }).click()
  await budgets.getByText('of $20').waitFor()

  await actions('test-echo').click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Remove budget' }).click()
  await budgets.getByText('No budget is set.').waitFor()
  expect(await dashboard.client.agents.get(agentId)).toMatchObject({ monthly_budget_usd: null })
})

test('a viewer sees budgets and cannot change them', async () => {
  const organisation = await dashboard.client.organisation.get()
  await dashboard.client.organisation.update({ monthly_budget_usd: 100 })
  const visit = await dashboard.visit({ as: 'viewer' })
  await visit.open('/usage')
  await visit.page.getByRole('meter', { name: 'Budget of The whole organisation' }).waitFor()
  await visit.page.getByRole('button', { name: 'New budget' }).and(visit.page.locator('[aria-disabled=true]')).waitFor()
  expect((await dashboard.client.budgets.list()).data).toMatchObject([{ id: organisation.id }])
  await dashboard.client.organisation.update({ monthly_budget_usd: null })
})

test('Home shows the quota', async () => {
  const visit = await dashboard.visit({ as: 'viewer' })
  await visit.open('/')
  await visit.page.getByRole('link', { name: /^8 of .* runs$/ }).click()
  await visit.page.getByRole('heading', { name: 'Usage' }).waitFor()
  expect(new URL(visit.page.url()).pathname).toBe('/dashboard/usage')
})
