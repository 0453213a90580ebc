import { randomBytes } from 'node:crypto'
import { type Event, verifyWebhook } from '@agent-run-service/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../server/test/app.ts'
import { type Call, type Receiver, respond, startReceiver } from '../../server/test/webhook-receiver.ts'
import { type Dashboard, startDashboard } from './dashboard.ts'

let dashboard: Dashboard
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
  dashboard = await startDashboard({ env: receiver.env })
})
afterAll(async () => {
  await dashboard?.stop()
  await receiver?.close()
})

const arrival = (path: string, number = 1): Promise<Call> =>
  until(`call ${number} at ${path}`, async () => receiver.calls(path)[number - 1])

const verified = ({ body, headers }: Call, secret: string): Promise<Event> => verifyWebhook({ body, headers, secret })

const runOnce = () =>
  dashboard.client.runs.create({ agent_id: dashboard.app.tenant.agents['test-echo'] ?? '', input: { query: 'Hello' } })

describe('registration', () => {
  test('[S54] an endpoint is registered in the dashboard with URL, events and secret, and receives a signed event', async () => {
    const visit = await dashboard.visit({ as: 'developer' })
    const { page } = visit
    const secret = `whsec_${randomBytes(32).toString('base64')}`
    await visit.open('/webhooks')
    await page.getByRole('button', { name: 'New webhook' }).first().click()
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByText('Enter an address that begins with https://.').waitFor()
    await visit.expectAccessible()
    await page.getByLabel('URL').fill(receiver.url('/registered'))
    await page.getByRole('checkbox', { name: 'run.completed' }).check()
    await page.getByRole('checkbox', { name: 'run.failed' }).check()
    await page.getByLabel('Secret').fill(secret)
    await page.getByLabel('Description').fill('of the shop')
    await page.getByRole('button', { name: 'Create webhook' }).click()
    expect(await page.locator('[data-secret]').textContent()).toBe(secret)
    await page.getByRole('tab', { name: 'Python' }).click()
    await page.getByText('def standard_fits').waitFor()
    await visit.expectAccessible()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.waitForURL(/\/webhooks\/wh_/)

    const [webhook] = (await dashboard.client.webhooks.list()).data
    expect(webhook).toMatchObject({
      url: receiver.url('/registered'),
      events: ['run.completed', 'run.failed'],
      description: 'of the shop',
    })
    const run = await runOnce()
    const event = await verified(await arrival('/registered'), secret)
    expect(event).toMatchObject({ type: 'run.completed', data: { id: run.id } })
  })

  test('an address that the service may not call is refused at its field', async () => {
    const visit = await dashboard.visit({ as: 'developer' })
    await visit.open('/webhooks/new')
    await visit.page.getByLabel('URL').fill('https://10.1.2.3/hook')
    await visit.page.getByRole('checkbox', { name: /All events/ }).check()
    await visit.page.getByRole('button', { name: 'Create webhook' }).click()
    await expect.poll(() => visit.page.getByLabel('URL').getAttribute('aria-invalid')).toBe('true')
    await visit.expectAccessible()
  })
})

describe('deliveries', () => {
  test('[S70] a button of the dashboard sends a signed test event, and its delivery is followed to the end', async () => {
    const made = await dashboard.client.webhooks.create({ url: receiver.url('/test'), events: ['run.failed'] })
    const visit = await dashboard.visit({ as: 'developer' })
    const { page } = visit
    await visit.open(`/webhooks/${made.id}`)
    await page.getByText('Nothing was sent to this endpoint yet').waitFor()
    await page.getByRole('button', { name: 'Send test event' }).click()
    expect(await page.getByRole('dialog').getByLabel('Type').inputValue()).toBe('test')
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
    await page.waitForURL(/\/deliveries\/dlv_/)
    await page.getByRole('status').getByText('Delivered').waitFor()
    await visit.expectAccessible()

    const call = await arrival('/test')
    expect(await verified(call, made.secret ?? '')).toMatchObject({ type: 'test', data: { webhook_id: made.id } })
    expect(call.headers['x-service-test']).toBe('true')
  })

  test('[S68] a delivery shows the request body, the response and the HTTP status, as text', async () => {
    const url = receiver.on('/broken', (_, response) => {
      response.writeHead(500, { 'content-type': 'text/html', 'x-reason': 'no stock' })
      response.end('<b data-hostile>broken</b>')
    })
    const made = await dashboard.client.webhooks.create({ url, events: ['run.completed'] })
    const run = await runOnce()
    const visit = await dashboard.visit({ as: 'developer' })
    const { page } = visit
    await visit.open(`/webhooks/${made.id}`)
    await page.getByRole('img', { name: '3 of 3 attempts, 3 failed' }).waitFor()
    await visit.expectAccessible()
    await page.getByRole('link', { name: 'Failed' }).click()
    await page.waitForURL(/\/deliveries\/dlv_/)
    const request = page.getByRole('region', { name: 'Request' })
    const response = page.getByRole('region', { name: 'Response' })
    await request.getByRole('button', { name: 'As sent' }).click()
    expect(await request.locator('pre').textContent()).toBe(receiver.calls('/broken')[0]?.body.toString())
    await request.getByText(run.id).waitFor()
    await request.getByText('webhook-signature').waitFor()
    await response.getByText('500', { exact: true }).waitFor()
    await response.getByText('<b data-hostile>broken</b>').waitFor()
    await response.getByText('no stock').waitFor()
    expect(await page.locator('[data-hostile]').count()).toBe(0)
    await page.getByRole('link', { name: 'Attempt 1' }).click()
    await page.waitForURL(/attempt=1/)
    await visit.expectAccessible()

    receiver.on('/broken', respond(204))
    const failed = page.url()
    await page.getByRole('button', { name: 'Redeliver' }).click()
    await page.getByRole('status').getByText('Delivered').waitFor()
    expect(page.url().split('?')[0]).not.toBe(failed.split('?')[0])
  })

  test('the filters of deliveries are in the address', async () => {
    const made = await dashboard.client.webhooks.create({ url: receiver.url('/filtered'), events: ['*'] })
    await dashboard.client.webhooks.test(made.id, { event_type: 'run.failed' })
    await arrival('/filtered')
    const visit = await dashboard.visit({ as: 'viewer' })
    const { page } = visit
    await visit.open(`/webhooks/${made.id}?type=run.failed&created_after=-1h&nonsense=1`)
    await page.getByRole('link', { name: 'Delivered' }).waitFor()
    await page.getByLabel('Event type').selectOption('run.completed')
    await page.getByText('No delivery passes these filters').waitFor()
    expect(new URL(page.url()).searchParams.get('type')).toBe('run.completed')
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await page.getByRole('link', { name: 'Delivered' }).waitFor()
    expect(await page.getByRole('button', { name: 'Send test event' }).getAttribute('aria-disabled')).toBe('true')
  })
})

describe('outages', () => {
  test('a paused endpoint is enabled, and the events that it missed are recovered with progress', async () => {
    const made = await dashboard.client.webhooks.create({ url: receiver.url('/paused'), events: ['run.completed'] })
    await dashboard.client.webhooks.update(made.id, { active: false })
    const runs = [await runOnce(), await runOnce(), await runOnce()]
    await until('three missed events', async () => (await dashboard.client.webhooks.missed(made.id)).data.length === 3)
    const visit = await dashboard.visit({ as: 'developer' })
    const { page } = visit
    await visit.open(`/webhooks/${made.id}`)
    await page.getByText('A person paused it.').waitFor()
    await visit.expectAccessible()
    await page.getByRole('button', { name: 'Enable' }).click()
    await page.getByRole('button', { name: 'Recover' }).click()
    await page.getByText('Missed in this time: 3').waitFor()
    await visit.expectAccessible()
    await page.getByRole('button', { name: 'Start recovery' }).click()
    await page.getByText('Delivered 3 of 3 events.').waitFor()
    await page.getByText('Completed', { exact: true }).waitFor()
    await arrival('/paused', 3)
    const arrived = receiver.calls('/paused').map(({ body }) => JSON.parse(body.toString()).data.id)
    expect(arrived.toSorted()).toEqual(runs.map(({ id }) => id).sort())
  })

  test('a running recovery can be cancelled', async () => {
    const held: (() => void)[] = []
    const url = receiver.on('/held', (_, response) => void held.push(() => response.writeHead(204).end()))
    const made = await dashboard.client.webhooks.create({ url, events: ['run.completed'] })
    await dashboard.client.webhooks.update(made.id, { active: false })
    await runOnce()
    await until('a missed event', async () => (await dashboard.client.webhooks.missed(made.id)).data.length === 1)
    await dashboard.client.webhooks.update(made.id, { active: true })
    const visit = await dashboard.visit({ as: 'developer' })
    await visit.open(`/webhooks/${made.id}/recoveries`)
    await visit.page.getByRole('button', { name: 'Start recovery' }).click()
    await visit.page.getByText('Running', { exact: true }).waitFor()
    await visit.page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await visit.page.getByText('Cancelled', { exact: true }).waitFor()
    expect((await dashboard.client.webhooks.recoveries(made.id)).data[0]?.status).toBe('cancelled')
    for (const release of held) release()
  })

  test('an endpoint that answers 410 says why nothing is sent', async () => {
    const made = await dashboard.client.webhooks.create({
      url: receiver.on('/gone', respond(410)),
      events: ['run.failed'],
    })
    await dashboard.client.webhooks.test(made.id)
    await until('the webhook to be disabled', async () => !(await dashboard.client.webhooks.get(made.id)).active)
    const visit = await dashboard.visit({ as: 'developer', theme: 'dark' })
    await visit.open(`/webhooks/${made.id}/settings`)
    await visit.page.getByText('The endpoint answered 410 Gone.').waitFor()
    await visit.expectAccessible()
  })
})

test('a webhook is changed, its secret rotated, and it is deleted', async () => {
  const made = await dashboard.client.webhooks.create({ url: receiver.url('/changed'), events: ['run.failed'] })
  const visit = await dashboard.visit({ as: 'developer' })
  const { page } = visit
  await visit.open(`/webhooks/${made.id}/settings`)
  await page.getByRole('checkbox', { name: 'Runs' }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The webhook is changed').waitFor()
  expect((await dashboard.client.webhooks.get(made.id)).events).toContain('run.requires_action')

  await page.getByRole('button', { name: 'Rotate secret' }).click()
  const rotation = page.getByRole('dialog', { name: 'Rotate the secret' })
  await rotation.getByLabel('Overlap in hours').fill('0')
  await rotation.getByRole('button', { name: 'Rotate secret' }).click()
  const secret = (await page.locator('[data-secret]').textContent()) ?? ''
  await page.getByRole('button', { name: 'I have stored it' }).click()
  expect(secret).not.toBe(made.secret)
  await dashboard.client.webhooks.test(made.id)
  await verified(await arrival('/changed'), secret)

  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByLabel(/to confirm/).fill(made.id.slice(-6))
  await page.getByRole('button', { name: 'Delete webhook' }).click()
  await page.waitForURL(`${dashboard.url}/webhooks`)
  await visit.open(`/webhooks/${made.id}`)
  await page.getByRole('heading', { name: 'Webhook not found' }).waitFor()
  await visit.expectAccessible()
})

test.each([
  ['light', 1_440],
  ['dark', 1_440],
  ['light', 400],
] as const)('the lists are accessible, in %s at %s px', async (theme, width) => {
  const visit = await dashboard.visit({ as: 'viewer', theme, width })
  for (const path of ['/webhooks', '/events', '/webhooks?status=disabled', '/events?type=run.completed']) {
    await visit.open(path)
    await visit.expectAccessible()
    expect(await visit.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  }
})

test('an event shows its JSON and its deliveries', async () => {
  const made = await dashboard.client.webhooks.create({ url: receiver.url('/events'), events: ['run.completed'] })
  const run = await runOnce()
  const { id } = await verified(await arrival('/events'), made.secret ?? '')
  const visit = await dashboard.visit({ as: 'developer' })
  const { page } = visit
  await visit.open('/events?type=run.completed')
  await page.getByRole('table', { name: 'Events' }).getByText(run.id).waitFor()
  await visit.open(`/events/${id}`)
  await page.getByRole('region', { name: 'Deliveries' }).getByText(receiver.url('/events')).waitFor()
  await page.getByRole('button', { name: 'Copy JSON' }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(`"id": "${id}"`)
  await visit.expectAccessible()
})
