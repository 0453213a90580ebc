import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, startDashboard } from './dashboard.ts'
import { runMaker } from './run-maker.ts'

let dashboard: Dashboard
let runs: ReturnType<typeof runMaker>
beforeAll(async () => {
  dashboard = await startDashboard()
  runs = runMaker(dashboard)
})
afterAll(() => dashboard?.stop())

test('the list shows the copy-paste block while there are no runs', async () => {
  const tenant = await dashboard.app.addTenant()
  const visit = await dashboard.visit({ as: await dashboard.person('admin', tenant) })
  await visit.open('/runs')
  await visit.page.getByText('No runs yet').waitFor()
  await visit.page.getByRole('tab', { name: 'curl' }).waitFor()
  await visit.expectAccessible()
})

test('the list is filtered by status, error and metadata, in the address', async () => {
  const failed = await runs.begin('test-fail', { code: 'tool_error', message: 'The printer is on fire' })
  const tagged = await runs.begin('test-echo', { query: 'Hello' }, { customer: 'a&b=c' })
  await Promise.all([runs.end(failed), runs.end(tagged)])
  const visit = await dashboard.visit({ as: 'viewer' })
  const { page } = visit
  await visit.open('/runs')
  await page.getByText('The printer is on fire').waitFor()
  await visit.expectAccessible()
  await page.getByRole('button', { name: 'Failed' }).click()
  await page.waitForURL(/status=failed/)
  await page.getByRole('combobox', { name: 'Error' }).selectOption('tool_error')
  await page.waitForURL(/error_code=tool_error/)
  await page.getByText('The printer is on fire').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByLabel('Metadata key').fill('customer')
  await page.getByLabel('Metadata value').fill('a&b=c')
  await page.getByRole('button', { name: 'Add' }).click()
  await expect.poll(() => page.locator('tbody tr[data-row-id]').count()).toBe(1)
  expect(await page.locator(`tr[data-row-id="${tagged}"]`).count()).toBe(1)
  await page.reload()
  await page.locator(`tr[data-row-id="${tagged}"]`).waitFor()
  await page.getByRole('combobox', { name: 'Time range' }).selectOption('-15m')
  await page.waitForURL(/created_after=-15m/)
  await page.getByRole('button', { name: 'Queued' }).click()
  await page.getByText('No run matches these filters').waitFor()
  await visit.expectAccessible()
})

test('the selected runs are cancelled, one by one', async () => {
  const ids = [await runs.begin('test-slow', { seconds: 600 }), await runs.begin('test-slow', { seconds: 600 })]
  const visit = await dashboard.visit({ as: 'developer' })
  const { page } = visit
  await visit.open('/runs')
  for (const id of ids) await page.getByRole('checkbox', { name: `Select ${id}` }).check()
  await page.getByRole('button', { name: 'Cancel 2 runs' }).click()
  await page.getByText('2 of 2 cancelled.').waitFor()
  for (const id of ids) expect((await runs.end(id)).status).toBe('cancelled')
  await visit.expectAccessible()
})

test('the palette walks with the arrow keys, closes with Escape, and goes to an agent by its name', async () => {
  const visit = await dashboard.visit({ as: 'viewer' })
  const { page } = visit
  const field = page.getByRole('combobox', { name: 'A place, an agent' })
  await visit.open('/runs')
  await page.keyboard.press('Control+k')
  await field.fill('test-')
  await page.keyboard.press('ArrowDown')
  await visit.expectAccessible()
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
  await page.keyboard.press('Control+k')
  await field.fill('test-echo')
  await page.keyboard.press('Enter')
  await page.waitForURL(/agents\/ag_/)
})

test('the page of an unknown run names the organisation that was looked in', async () => {
  const visit = await dashboard.visit({ as: 'viewer' })
  await visit.open('/runs/run_01jzzzzzzzzzzzzzzzzzzzzzzz')
  await visit.page.getByText('is not in').waitFor()
  await visit.expectAccessible()
})

test('list, run and JSON fit a screen of 400 px', async () => {
  const run = await dashboard.client.runs.create({ agent_id: runs.agent('test-stream'), input: { chunks: 3 } })
  const visit = await dashboard.visit({ as: 'viewer', width: 400 })
  for (const path of ['/runs', `/runs/${run.id}`, `/runs/${run.id}?view=raw`]) {
    await visit.open(path)
    expect(await visit.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  }
  await visit.expectAccessible()
})

test('a replay goes through the frames with the arrow keys', async () => {
  const run = await dashboard.client.runs.create({
    agent_id: runs.agent('test-stream'),
    input: { chunks: 3, delay_ms: 1 },
  })
  const visit = await dashboard.visit({ as: 'viewer' })
  const { page } = visit
  await visit.open(`/runs/${run.id}?view=replay`)
  const slider = page.getByRole('slider', { name: 'Frame' })
  await slider.focus()
  await page.locator('[data-frame="0"]').waitFor()
  expect(await page.locator('[data-bar]').count()).toBe(1)
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.locator('[data-bar=step-1]').waitFor()
  await visit.expectAccessible()
  await page.keyboard.press('End')
  await expect.poll(() => page.locator('[data-output]').textContent()).toBe(run.output?.result)
})

test('a comparison marks the place at which two runs parted', async () => {
  const [one, other] = await Promise.all(
    ['Hello', 'Goodbye'].map((query) =>
      dashboard.client.runs.create({ agent_id: runs.agent('test-echo'), input: { query } }),
    ),
  )
  const visit = await dashboard.visit({ as: 'viewer' })
  const { page } = visit
  await visit.open(`/runs/compare?a=${one?.id}&b=${other?.id}`)
  await page.getByText('They differ first in input, query.').waitFor()
  await page.getByText('First difference').waitFor()
  await visit.expectAccessible()
  await visit.open(`/runs/compare?a=${one?.id}&b=${one?.id}`)
  await page.getByText('Input, steps and output are the same.').waitFor()
})
