import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, startDashboard } from './dashboard.ts'
import { badge, placeOf, rowsOf, runMaker } from './run-maker.ts'

let dashboard: Dashboard
let runs: ReturnType<typeof runMaker>
beforeAll(async () => {
  dashboard = await startDashboard()
  runs = runMaker(dashboard)
})
afterAll(() => dashboard?.stop())

test('Cancel asks no question and shows the end; nothing takes its place', async () => {
  const id = await runs.begin('test-slow', { seconds: 600 })
  const visit = await dashboard.visit({ as: 'developer' })
  const { page } = visit
  await visit.open(`/runs/${id}`)
  await badge(page, 'Running').waitFor()
  await page.getByRole('button', { name: 'Run again' }).waitFor()
  const cancel = await placeOf(page.getByRole('button', { name: 'Cancel' }))
  await page.mouse.click(...cancel)
  await badge(page, 'Cancelled').waitFor()
  const under = await page.evaluate(
    ([x, y]) => document.elementFromPoint(x, y)?.closest('button, a')?.outerHTML,
    cancel,
  )
  expect(under).toBeUndefined()
  await page.mouse.click(...cancel)
  await visit.expectAccessible()
  expect(page.url()).toContain(id)
})

test('a person approves in place, with a reason; the picture that was drawn live equals the stored one', async () => {
  const id = await runs.begin('test-approval', {
    message: 'Pay 20 euros?',
    tool_call: { name: 'pay', arguments: { euros: 20 } },
  })
  await runs.asks(id)
  const visit = await dashboard.visit({ as: 'developer' })
  const { page } = visit
  await visit.open(`/runs/${id}`)
  await page.getByRole('heading', { name: 'Pay 20 euros?' }).waitFor()
  await visit.expectAccessible()
  await page.keyboard.press('Escape')
  await page.getByLabel('Why (optional)').fill('Fine by me')
  await page.getByRole('button', { name: 'Approve' }).click()
  await badge(page, 'Completed').waitFor()
  expect((await runs.end(id)).output).toMatchObject({ result: 'approved', comment: 'Fine by me' })
  const tab = await visit.newTab(`/runs/${id}`)
  await tab.locator('[data-bar=step-2]').waitFor()
  const stored = await rowsOf(tab)
  expect(stored.map((row) => row.split(' ')[0])).toEqual(['queue', 'step-1', 'wait-1', 'step-2'])
  await expect.poll(() => rowsOf(page)).toEqual(stored)
  await page.locator('[data-bar=step-1] button').click()
  await page.waitForURL(/step=1/)
  await page.getByText(/Approved by Dora Developer/).waitFor()
  await visit.expectAccessible()
})

test('a question with a schema has a form; what does not fit stands at its field', async () => {
  const response_schema = {
    type: 'object',
    properties: { amount: { type: 'integer', title: 'Amount', minimum: 1 } },
    required: ['amount'],
    additionalProperties: false,
  }
  const id = await runs.begin('test-approval', { type: 'input', message: 'How much?', response_schema })
  await runs.asks(id)
  const visit = await dashboard.visit({ as: 'developer' })
  const { page } = visit
  await visit.open(`/runs/${id}`)
  await page.getByLabel('Amount').fill('0')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect.poll(() => page.getByLabel('Amount').getAttribute('aria-invalid')).toBe('true')
  await page.getByLabel('Amount').fill('3')
  await page.getByRole('button', { name: 'Send' }).click()
  await badge(page, 'Completed').waitFor()
  expect((await runs.end(id)).output).toMatchObject({ result: 'answered', payload: { amount: 3 } })
})

test('two people decide at the same moment: one wins, the other sees who', async () => {
  const id = await runs.begin('test-approval', { message: 'Pay 30 euros?' })
  await runs.asks(id)
  const [one, other] = [await dashboard.visit({ as: 'developer' }), await dashboard.visit({ as: 'admin' })]
  await Promise.all([one.open(`/runs/${id}`), other.open(`/runs/${id}`)])
  await Promise.all([
    one.page.getByRole('button', { name: 'Approve' }).click(),
    other.page.getByRole('button', { name: 'Reject' }).click(),
  ])
  const { output } = await runs.end(id)
  const [loser, words] =
    output?.decision === 'approved' ? [other, 'Approved by Dora Developer'] : [one, 'Rejected by Adam Admin']
  await loser.page.getByText(words).waitFor()
  await loser.expectAccessible()
})

test('a viewer cannot decide, and reads why', async () => {
  const id = await runs.begin('test-approval', { message: 'Pay 40 euros?' })
  await runs.asks(id)
  const visit = await dashboard.visit({ as: 'viewer', theme: 'dark' })
  await visit.open(`/runs/${id}`)
  const approve = visit.page.getByRole('button', { name: 'Approve' })
  expect(await approve.getAttribute('aria-disabled')).toBe('true')
  await approve.focus()
  await visit.page
    .getByText(/does not have the permission runs:approve/)
    .first()
    .waitFor({ state: 'attached' })
  await visit.expectAccessible()
})

test('a failed run says what to do about it; its data is erased after the last six characters were typed', async () => {
  const id = await runs.begin('test-fail', { code: 'budget_exceeded', message: 'Too dear' })
  await runs.end(id)
  const visit = await dashboard.visit({ as: 'admin' })
  const { page } = visit
  await visit.open(`/runs/${id}`)
  await page.getByText('Raise the budget, or choose a cheaper model', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Erase data' }).click()
  const erase = page.getByRole('button', { name: 'Erase data' })
  expect(await erase.getAttribute('aria-disabled')).toBe('true')
  await page.getByLabel(/to confirm/).fill(id.slice(-6))
  await erase.click()
  await page.getByText('Its data was erased on').waitFor()
  await visit.expectAccessible()
})

test('the bar of a failed step says so, with its retries; its panel has every failed try', async () => {
  const script = [{ fail: { message: 'The provider is away', retryable: true, retry_after_ms: 10 } }]
  const agent_id = await dashboard.app.addAgent({ config: { model: 'simulated/script', script } })
  const run = await dashboard.client.runs.create({ agent_id, input: {} })
  const [step] = (await dashboard.client.runs.steps(run.id)).data
  expect([run.status, step?.status, step?.attempts.length]).toEqual(['failed', 'failed', 5])
  for (const look of [{ theme: 'light' }, { theme: 'dark' }, { theme: 'dark', width: 400 }] as const) {
    const visit = await dashboard.visit({ as: 'viewer', ...look })
    const { page } = visit
    await visit.open(`/runs/${run.id}?step=1`)
    const bar = page.locator('[data-bar=step-1]')
    await bar.getByRole('img', { name: 'failed' }).waitFor()
    await bar.getByText('4 retries').waitFor()
    await expect.poll(() => page.locator('aside').getByText('The provider is away').count()).toBe(5)
    await page.getByText('The provider is away').first().waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    await visit.expectAccessible()
  }
})
