import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { server } from '@ars/tools/dev/server'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort, until } from '../../server/test/app.ts'
import { type Dashboard, startDashboard } from './dashboard.ts'
import { badge, rowsOf, runMaker } from './run-maker.ts'

// The worker is a separate process, so that it can be killed.
let dashboard: Dashboard
let worker: ReturnType<typeof server>
let runs: ReturnType<typeof runMaker>
const folder = mkdtempSync(join(tmpdir(), 'ars-run-live-'))
beforeAll(async () => {
  dashboard = await startDashboard({ role: 'gateway' })
  runs = runMaker(dashboard)
  const metrics = { ARS_METRICS_HOST: '127.0.0.1', ARS_METRICS_PORT: String(await freePort()) }
  const env = { ...process.env, ...dashboard.app.env, ...metrics }
  worker = server({ name: 'worker', dir: folder, role: 'worker', env })
  await worker.start()
})
afterAll(async () => {
  await worker?.stop()
  await dashboard?.stop()
  rmSync(folder, { recursive: true })
})

const outputOf = (page: Page): Promise<string | null> => page.locator('[data-output]').textContent()

/** Keeps every text that the page shows as the output. */
const recordTexts = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const texts = new Set<string>()
    Object.assign(window, { texts })
    const record = () => texts.add(document.querySelector('[data-output]')?.textContent ?? '')
    new MutationObserver(record).observe(document.body, { childList: true, characterData: true, subtree: true })
  })

const recordedTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => [...(window as unknown as { texts: Set<string> }).texts])

test('a live page outlives a restart of the gateway and the kill of the worker: text and picture equal what is stored', async () => {
  const port = await freePort()
  const address = `https://localhost:${port}`
  const gateway = () => dashboard.app.join('gateway', { ARS_HTTP_PORT: String(port), ARS_PUBLIC_URL: address })
  const first = await gateway()
  const text = Array.from({ length: 300 }, (_, n) => `word${n} `).join('')
  const script = [
    { delay_ms: 300, again: true },
    { text, chunk_chars: 24, delay_per_chunk_ms: 200 },
  ]
  const agentId = await dashboard.app.addAgent({ config: { model: 'simulated/script', script } })
  const id = await runs.begin(agentId, {})
  const visit = await dashboard.visit({ as: 'viewer' })
  const { page } = visit
  await page.goto(`${address}/dashboard/runs/${id}`)
  await page.getByText('live', { exact: true }).waitFor()
  await page.locator('[data-output]', { hasText: 'word9 ' }).waitFor()
  await recordTexts(page)
  await visit.expectAccessible()

  await first.stop()
  await page.getByText('connecting again…').waitFor()
  const second = await gateway()
  await page.getByText('live', { exact: true }).waitFor({ timeout: 60_000 })
  const before = (await outputOf(page))?.length ?? 0
  await until('more text after the restart', async () => ((await outputOf(page))?.length ?? 0) > before)
  expect((await dashboard.client.runs.get(id)).status).toBe('running')

  await worker.kill()
  await worker.start()
  const { status, output } = await runs.end(id)
  expect([status, output?.result]).toEqual(['completed', text])
  await badge(page, 'Completed').waitFor({ timeout: 90_000 })
  await expect.poll(() => outputOf(page)).toBe(text)
  for (const shown of await recordedTexts(page)) expect(text.startsWith(shown)).toBe(true)

  const tab = await visit.context.newPage()
  await tab.goto(`${address}/dashboard/runs/${id}`)
  await tab.locator('[data-output]').waitFor()
  const namesOf = async (rows: Promise<string[]>) => (await rows).map((row) => row.split(' ')[0])
  await expect.poll(() => namesOf(rowsOf(tab))).toEqual(['queue', 'step-1', 'step-2'])
  const stored = await rowsOf(tab)
  await expect.poll(() => rowsOf(page)).toEqual(stored)
  await page.goto('about:blank')
  await tab.close()
  await second.stop()
  // The browser itself writes a line for every connection that was refused during the restart.
  visit.takeProblems()
})

/** Markup, links that run code, marks that turn the direction of text, colours and a title of a terminal. */
const hostile = [
  '<img src=x onerror=alert(1)><script>alert(2)</script><iframe srcdoc="<script>alert(3)</script>"></iframe>',
  '[click](javascript:alert(4)) [data](data:text/html,<script>alert(5)</script>) ![pixel](https://evil.example/p.png)',
  '\u202Etxt.exe\u202C \u2066isolated \u200Fright to left',
  '\u001B[31mred\u001B[0m \u001B]0;title\u0007 \u001B[2J',
].join('\n\n')
const line = 'x'.repeat(1_000_000)

test('what a hostile model says stays text, while it comes and afterwards, and the page answers below 5 MB of it', async () => {
  const script = [
    { asks: [{ type: 'approval', message: hostile }] },
    { chunks: [hostile, ...Array(5).fill(line)], delay_per_chunk_ms: 1_000 },
  ]
  const agentId = await dashboard.app.addAgent({ config: { model: 'simulated/script', script } })
  const id = await runs.begin(agentId, { query: hostile }, { note: hostile.slice(0, 200) })
  await runs.asks(id)
  const visit = await dashboard.visit({ as: 'viewer' })
  const { page } = visit
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  await visit.open(`/runs/${id}`)
  await page.getByRole('heading').filter({ hasText: 'onerror=alert(1)' }).waitFor()
  await recordTexts(page)
  await dashboard.client.runs.act(id, { type: 'approve' })
  await page.locator('[data-output]').waitFor()
  expect(await page.locator('[data-output]').evaluate((each) => getComputedStyle(each).unicodeBidi)).toBe('isolate')
  await badge(page, 'Completed').waitFor({ timeout: 60_000 })
  await page.getByText('the first 64.0 KB are shown').first().waitFor()
  expect(await recordedTexts(page)).toContain(hostile)
  for (const form of ['JSON', 'Markdown', 'Text']) {
    await page.getByRole('button', { name: form, exact: true }).click({ timeout: 5_000 })
    await page.locator(`button[aria-pressed=true]:text-is("${form}")`).waitFor({ timeout: 5_000 })
    expect(await page.locator('#main :is(img, script, iframe, a[href^=javascript], a[href^=data])').count()).toBe(0)
  }
  await page.locator('[data-bar=step-2] button').click()
  await page.waitForURL(/step=2/)
  await visit.expectAccessible()
  await visit.open('/runs')
  await page.getByText('<img src=x onerror=alert(1)>').first().waitFor()
  expect(await page.locator('#main :is(img, script, iframe)').count()).toBe(0)
  expect(dialogs).toEqual([])
})

test('Markdown of a hostile model has links to http only, and no picture', async () => {
  const script = [{ text: hostile }]
  const agent_id = await dashboard.app.addAgent({ config: { model: 'simulated/script', script } })
  const run = await dashboard.client.runs.create({ agent_id, input: {} })
  const visit = await dashboard.visit({ as: 'viewer' })
  const { page } = visit
  await visit.open(`/runs/${run.id}`)
  await expect.poll(() => outputOf(page)).toBe(hostile)
  await page.getByRole('button', { name: 'Markdown' }).click()
  await page.getByRole('link', { name: 'pixel' }).waitFor()
  const links = await page
    .locator('section[aria-label=Output] a')
    .evaluateAll((all) => all.map((link) => [link.getAttribute('href'), link.getAttribute('rel')]))
  expect(links).toEqual([['https://evil.example/p.png', 'noopener noreferrer']])
  expect(await page.locator('#main :is(img, script, iframe)').count()).toBe(0)
  await visit.expectAccessible()
})
