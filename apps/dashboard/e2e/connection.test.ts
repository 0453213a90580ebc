import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../server/test/app.ts'
import { serveForeignPages } from '../../server/test/browser/foreign-pages.ts'
import { type Dashboard, startDashboard } from './dashboard.ts'
import { runMaker } from './run-maker.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
  await dashboard.client.runs.create({
    agent_id: runMaker(dashboard).agent('test-echo'),
    input: { query: 'Known before' },
  })
})
afterAll(() => dashboard?.stop())

test('without a connection a bar says since when, controls that write say why they are off, and the data stays', async () => {
  const visit = await dashboard.visit({ as: 'developer' })
  const { page, context } = visit
  await visit.open('/runs')
  await page.getByText('Known before').waitFor()
  const run = page.getByRole('button', { name: 'Run an agent' })
  expect(await run.getAttribute('aria-disabled')).toBe(null)
  await context.setOffline(true)
  await page.getByRole('status').getByText('Offline since').waitFor()
  expect(await run.getAttribute('aria-disabled')).toBe('true')
  await page.getByText('There is no connection to the service.').first().waitFor({ state: 'attached' })
  await page.getByText('Known before').waitFor()
  await visit.expectAccessible()
  await context.setOffline(false)
  await page.getByText('Offline since').waitFor({ state: 'detached' })
  expect(await run.getAttribute('aria-disabled')).toBe(null)
  // The browser itself writes a line for every call that it could not send.
  visit.takeProblems()
})

test.each([
  [429, 'rate_limited', 'The rate limit is reached.'],
  [503, 'overloaded', 'The service is busy or stops.'],
])('a response %i shows a bar that counts down; afterwards the page loads', async (status, code, words) => {
  const visit = await dashboard.visit({ as: 'viewer', theme: 'dark' })
  const { page } = visit
  await visit.open('/settings/profile')
  let refusals = 0
  await page.route('**/v2/**', (route) => {
    if (refusals++ > 3) return route.fallback()
    const error = { type: 'rate_limit_error', code, message: 'Later', request_id: 'req_1' }
    return route.fulfill({ status, headers: { 'retry-after': '3' }, json: { error } })
  })
  await page.getByRole('link', { name: 'Runs', exact: true }).click()
  const bar = page.getByRole('status').filter({ hasText: words })
  await bar.getByText(/Next try in/).waitFor()
  const shown = await bar.textContent()
  expect(shown).toMatch(/Next try in [123] s\./)
  await expect.poll(() => bar.textContent(), { timeout: 20_000 }).not.toBe(shown)
  await page.getByText('Known before').waitFor()
  await bar.waitFor({ state: 'detached' })
  // Chromium writes a line for a response of status 503.
  visit.takeProblems()
})

test('when less than a fifth of the rate is left, a bar says that the page refreshes less often', async () => {
  const visit = await dashboard.visit({ as: 'viewer' })
  const { page } = visit
  await page.route('**/v2/runs?*', async (route) => {
    const response = await route.fetch()
    const headers = { ...response.headers(), 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '19' }
    await route.fulfill({ response, headers })
  })
  await visit.open('/runs')
  await page.getByRole('status').getByText('Most of the rate limit is used.').waitFor()
  await visit.expectAccessible()
})

test('a page of another origin cannot show the dashboard in a frame', async () => {
  const foreign = await serveForeignPages({ secure: await freePort(), plain: await freePort() })
  try {
    const visit = await dashboard.visit({ as: 'owner' })
    const { page } = visit
    await page.goto(`https://evil.test:${foreign.port}/`)
    const frameOf = async (src: string) => {
      await page.evaluate(async (address) => {
        const frame = document.createElement('iframe')
        frame.src = address
        const loaded = new Promise((resolve) => frame.addEventListener('load', resolve))
        document.body.replaceChildren(frame)
        await loaded
      }, src)
      const frame = page.frames().find((each) => each !== page.mainFrame())
      return frame?.url()
    }
    // The page frames what lets itself be framed, so a refusal is that of the dashboard.
    expect(await frameOf(`https://evil.test:${foreign.port}/sandbox`)).toContain('/sandbox')
    for (const path of ['/dashboard/', '/dashboard/runs', '/dashboard/login'])
      expect(await frameOf(dashboard.app.url + path)).toBe('chrome-error://chromewebdata/')
    expect(visit.takeProblems().join()).toContain("frame-ancestors 'none'")
  } finally {
    await foreign.stop()
  }
})
