import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, startDashboard } from './dashboard.ts'
import { badge } from './run-maker.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.stop())

const items = ['a', 'b', 'c', 'd', 'e'].map((query) => ({ query }))

test('a person creates a batch, sees it reach 100 %, and downloads the results', async () => {
  const visit = await dashboard.visit({ as: 'admin' })
  const { page } = visit
  await visit.open('/batches')
  await page.getByText('No batches yet').waitFor()
  await visit.expectAccessible()
  await page.getByRole('button', { name: 'Create a batch' }).click()
  await page.getByRole('combobox', { name: 'Agent' }).selectOption({ label: 'test-echo' })
  const text = page.getByRole('textbox', { name: 'Items' })
  await text.fill('{"query": "a"}\n{"query"')
  await page.getByText('Line 2 is not JSON.').waitFor()
  await visit.expectAccessible()
  await text.fill(items.map((item) => JSON.stringify(item)).join('\n'))
  await page.getByText('5 items, 121 B').waitFor()
  await page.getByRole('button', { name: 'Create batch' }).click()
  await page.waitForURL('**/batches/bat_*')
  await badge(page, 'Completed').waitFor()
  await page.getByText('100 %').waitFor()
  await page.getByText('5 of 5 items have ended: 5 completed').waitFor()
  const rows = page.getByRole('table', { name: 'Results' }).locator('tbody tr[data-index]')
  await expect.poll(() => rows.getByText('Completed').count()).toBe(5)
  await visit.expectAccessible()

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download results' }).click(),
  ])
  const lines = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\n')
  expect(lines.map((line) => JSON.parse(line).status)).toEqual(items.map(() => 'completed'))
  await visit.open('/batches')
  await page.getByRole('table', { name: 'Batches' }).getByText('100 %').waitFor()
})

test('items come from a file, and the data of an ended batch is erased', async () => {
  const visit = await dashboard.visit({ as: 'owner' })
  const { page } = visit
  await visit.open('/batches/new')
  await page.getByRole('combobox', { name: 'Agent' }).selectOption({ label: 'test-echo' })
  const file = { name: 'items.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(items)) }
  await page.getByLabel('Items from a file').setInputFiles(file)
  await page.getByText('5 items, 121 B').waitFor()
  await page.getByText('items.json').waitFor()
  await page.getByRole('button', { name: 'Create batch' }).click()
  await badge(page, 'Completed').waitFor()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Erase data' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill(page.url().slice(-6))
  await dialog.getByRole('button', { name: 'Erase data' }).click()
  await page.getByText('Its data was erased on').waitFor()
  expect(await page.getByRole('link', { name: 'Download results' }).count()).toBe(0)
})
