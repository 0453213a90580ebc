import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, startDashboard } from './dashboard.ts'
import { placeOf } from './run-maker.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.stop())

/** A run that waits for a decision. */
const ask = async (message: string): Promise<string> => {
  const agent_id = dashboard.app.tenant.agents['test-approval'] ?? ''
  const run = await dashboard.client.runs.create({ agent_id, input: { message } })
  expect(run.status).toBe('requires_action')
  return run.id
}

const statusOf = async (runId: string): Promise<string> => (await dashboard.client.runs.get(runId)).status

test('a page without decisions says so', async () => {
  const visit = await dashboard.visit({ as: 'viewer' })
  await visit.open('/approvals')
  await visit.page.getByText('Nothing waits for a decision').waitFor()
  await visit.expectAccessible()
})

test('two people decide: by keyboard, and nobody presses by accident; the other sees who was first', async () => {
  const [first, second] = [await ask('Pay 20 euros?'), await ask('Pay 30 euros?')]
  const ada = await dashboard.visit({ as: 'admin' })
  const dora = await dashboard.visit({ as: 'developer' })
  await ada.open('/approvals')
  await ada.page.getByText('Pay 30 euros?').waitFor()
  await dora.open('/approvals')

  await dora.page.getByText('Pay 20 euros?').waitFor()
  await dora.page.keyboard.press('j')
  await dora.page.keyboard.press('Enter')
  await dora.page.getByRole('heading', { name: 'Pay 20 euros?' }).waitFor()
  expect(await dora.page.locator('tr:has(a[aria-current])').textContent()).toContain('Pay 20 euros?')
  await dora.page.keyboard.press('r')
  await expect.poll(() => dora.page.evaluate(() => document.activeElement?.textContent)).toBe('Reject')
  await dora.page.keyboard.press('a')
  await expect.poll(() => dora.page.evaluate(() => document.activeElement?.textContent)).toBe('Approve')
  expect(await statusOf(first)).toBe('requires_action')
  await dora.expectAccessible()
  await dora.page.keyboard.press('Enter')
  await dora.page.getByText('The decision is sent').waitFor()
  await expect.poll(() => statusOf(first)).toBe('completed')
  await dora.page.getByRole('table').getByText('Pay 20 euros?').waitFor({ state: 'detached' })

  await ada.page.getByText('Approved by Dora Developer').waitFor()
  await ada.page.getByText('Approved by Dora Developer').waitFor({ state: 'detached' })
  expect(await statusOf(second)).toBe('requires_action')

  // Both have the same question open; the second answer comes too late.
  await ada.page.getByRole('link', { name: 'test-approval' }).click()
  await ada.page.getByRole('heading', { name: 'Pay 30 euros?' }).waitFor()
  await dashboard.client.runs.act(second, { type: 'reject', comment: 'too much' })
  await ada.page.getByRole('button', { name: 'Approve' }).click()
  await ada.page.getByRole('complementary', { name: 'Decision' }).getByText('Rejected').waitFor()
})

test('two clicks at one place decide one question: the next one that comes there waits for a person who reads it', async () => {
  const [first, second] = [await ask('Pay invoice 1?'), await ask('Pay invoice 2?')]
  const { page, open } = await dashboard.visit({ as: 'admin' })
  const sent: (string | null)[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/action')) sent.push(request.postData())
  })
  const { required_actions } = await dashboard.client.runs.get(first)
  await open(`/approvals?run=${first}`)
  const decision = page.getByRole('complementary', { name: 'Decision' })
  await decision.getByRole('heading', { name: 'Pay invoice 1?' }).waitFor()
  const approve = await placeOf(decision.getByRole('button', { name: 'Approve' }))
  await page.mouse.click(...approve)
  await decision.getByRole('heading', { name: 'Pay invoice 2?' }).waitFor()
  expect(await placeOf(decision.getByRole('button', { name: 'Approve' }))).toEqual(approve)
  await page.mouse.click(...approve)
  await page.getByText('Nothing was pressed').waitFor()
  expect(sent).toEqual([JSON.stringify({ type: 'approve', action_id: required_actions[0]?.id })])
  await expect.poll(() => statusOf(first)).toBe('completed')
  expect(await statusOf(second)).toBe('requires_action')
  await page.mouse.move(0, 0)
  await page.mouse.click(...approve)
  await expect.poll(() => statusOf(second)).toBe('completed')
})

test('a new decision is announced, and a viewer cannot decide', async () => {
  await ask('Pay 40 euros?')
  const visit = await dashboard.visit({ as: 'viewer', theme: 'dark' })
  const { page } = visit
  await visit.open('/approvals')
  await page.getByText('Pay 40 euros?', { exact: true }).waitFor()
  await ask('Pay 50 euros?')
  await page.getByRole('status').getByText('New decision: Pay 50 euros?').waitFor({ state: 'attached' })
  await page.getByRole('link', { name: 'test-approval' }).first().click()
  const approve = page.getByRole('button', { name: 'Approve' })
  await approve.waitFor()
  expect(await approve.getAttribute('aria-disabled')).toBe('true')
  await visit.expectAccessible()
})

test('the page works at 400 px', async () => {
  const visit = await dashboard.visit({ as: 'admin', width: 400 })
  await visit.open('/approvals')
  await visit.page.getByRole('link', { name: 'test-approval' }).first().click()
  await visit.page.getByRole('button', { name: 'Approve' }).waitFor()
  expect(await visit.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  await visit.expectAccessible()
})
