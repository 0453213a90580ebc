import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../server/test/app.ts'
import { type Dashboard, startDashboard } from './dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.stop())

/** A run that writes a word every second, for far longer than the test takes. */
const startTalking = async (): Promise<string> => {
  const agent_id = dashboard.app.tenant.agents['test-stream'] ?? ''
  const input = { text: 'lantern '.repeat(600), chunk_chars: 8, delay_ms: 1_000 }
  return (await dashboard.client.runs.create({ agent_id, input }, { wait: false })).id
}

test('a person shares a run, a stranger follows it live and sees nothing else, until the link is revoked', async () => {
  const runId = await startTalking()
  const maker = await dashboard.visit({ as: 'developer' })
  await maker.open(`/runs/${runId}`)
  await maker.page.getByRole('button', { name: 'Share', exact: true }).click()
  await maker.page.getByText('This run is not shared.').waitFor()
  await maker.expectAccessible()
  await maker.page.getByLabel('The link works for').selectOption({ label: '1 day' })
  await maker.page.getByRole('button', { name: 'Create link' }).click()
  const secret = maker.page.locator('[data-secret]')
  await secret.waitFor()
  const link = (await secret.textContent()) ?? ''
  expect(link).toMatch(new RegExp(`^${dashboard.url}/shared#run=${runId}&token=ars_share_[0-9A-Za-z]{38}$`))
  await maker.page.getByRole('button', { name: 'I have stored it' }).click()
  await maker.page.getByRole('button', { name: 'Revoke' }).waitFor()
  expect(await maker.page.content()).not.toContain('ars_share_')

  const stranger = await dashboard.visit()
  const { page } = stranger
  const asked: { url: string; headers: Record<string, string> }[] = []
  page.on('request', (request) => {
    if (request.url().includes('/v2/')) asked.push({ url: request.url(), headers: request.headers() })
  })
  await stranger.open(link.slice(dashboard.url.length))
  await page.locator('[data-output]').getByText('lantern lantern').waitFor()
  await page.getByText('live', { exact: true }).waitFor()
  expect(page.url()).toBe(`${dashboard.url}/shared`)
  const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]))
  expect(stored).not.toContain('ars_share_')
  for (const name of ['Cancel', 'Message', 'Share', 'More actions']) {
    expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0)
  }
  expect(await page.getByRole('navigation').count()).toBe(0)
  expect(await page.getByRole('link').count()).toBe(0)
  await stranger.expectAccessible()
  const paths = new Set(asked.map(({ url }) => new URL(url).pathname))
  expect([...paths].toSorted()).toEqual(['', '/steps', '/stream'].map((view) => `/v2/runs/${runId}${view}`))
  for (const { headers } of asked) {
    expect([headers.authorization?.startsWith('Bearer ars_share_'), headers.cookie]).toEqual([true, undefined])
  }

  await maker.page.getByRole('button', { name: 'Revoke' }).click()
  await maker.page.getByText('This run is not shared.').waitFor()
  await page.getByRole('heading', { name: 'This link does not work any more' }).waitFor()
  expect(await page.getByText('lantern').count()).toBe(0)
  await stranger.expectAccessible()
  await dashboard.client.runs.cancel(runId)
})

test('a link to an ended run shows output, steps and replay; a reload asks for the link again', async () => {
  const agent_id = dashboard.app.tenant.agents['test-echo'] ?? ''
  const run = await dashboard.client.runs.create({ agent_id, input: { query: 'Hello stranger' } })
  const { url } = await dashboard.client.runs.share(run.id)
  // Somebody who is logged in sees the same: the link is read without the cookie.
  for (const visit of [await dashboard.visit({ theme: 'dark' }), await dashboard.visit({ as: 'viewer', width: 400 })]) {
    const { page } = visit
    await visit.open((url ?? '').slice(dashboard.url.length))
    await page.getByText('Hello stranger').first().waitFor()
    await page.getByText('Completed').first().waitFor()
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByLabel('Frame', { exact: true }).waitFor()
    await visit.expectAccessible()
    await page.reload()
    await page.getByRole('heading', { name: 'This link is incomplete' }).waitFor()
    await visit.expectAccessible()
  }
})

test('a link that has ended, and one that is cut off, say what to do', async () => {
  const agent_id = dashboard.app.tenant.agents['test-echo'] ?? ''
  const run = await dashboard.client.runs.create({ agent_id, input: {} })
  const share = await dashboard.client.runs.share(run.id, { expires_in_seconds: 60 })
  const visit = await dashboard.visit()
  const address = (share.url ?? '').slice(dashboard.url.length)
  await visit.open(address.slice(0, -1))
  await visit.page.getByRole('heading', { name: 'This link is incomplete' }).waitFor()
  // The same page with another fragment is not loaded again by the browser.
  await visit.page.evaluate(
    (hash) => {
      location.hash = hash
    },
    new URL(share.url ?? '').hash,
  )
  await visit.page.getByRole('heading', { name: 'Shared run' }).waitFor()
  expect(visit.page.url()).toBe(`${dashboard.url}/shared`)
  await dashboard.moveClock(61_000)
  // A gateway trusts a credential for some seconds.
  const read = () => dashboard.app.call('GET', `/v2/runs/${run.id}`, { key: share.token })
  await until('the end of the link', async () => (await read()).status === 401)
  const later = await dashboard.visit()
  await later.open(address)
  await later.page.getByRole('heading', { name: 'This link does not work any more' }).waitFor()
  await later.page.getByText('Ask the person who sent it for a new one.').waitFor()
})
