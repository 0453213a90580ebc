import { limits } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from './access-matrix/people.ts'
import { type App, sharedApp, type Tenant } from './app.ts'
import { type Receiver, startReceiver } from './webhook-receiver.ts'

// Without a mail server: destinations of alerts work alone.

let app: App
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
  app = await sharedApp()
})
afterAll(async () => {
  await app.stop()
  await receiver.close()
})

const add = (tenant: Tenant, path: string) =>
  app.call('POST', '/v2/alert-destinations', { key: tenant.key, body: { type: 'slack', url: receiver.url(path) } })

const fire = async (tenant: Tenant, type = 'alert.triggered'): Promise<void> => {
  const rule = { name: 'Failures <!channel> & <http://evil.example|click>\nsecond line', metric: 'failure_rate' }
  const snapshot = { metric: 'failure_rate', value: 0.31, threshold: 0.05 }
  const data = { id: newId('alt'), object: 'alert', severity: 'critical', rule, snapshot }
  await app.query('insert into events (id, org_id, type, subject_id, data) values ($1, $2, $3, $4, $5)', [
    toUuid(newId('evt')),
    tenant.org,
    type,
    toUuid(newId('alt')),
    JSON.stringify(data),
  ])
}

const ends = (tenant: Tenant) =>
  app.query<{ kind: string; outcome: string; error: string | null; attempts: number }>(
    'select kind, outcome, error, attempts from mails where org_id = $1 and outcome is not null order by kind desc',
    [tenant.org],
  )

test('an alert is posted once to each destination, and its text mentions nobody', async () => {
  const tenant = await app.addTenant()
  const path = `/services/${tenant.org}/s3cr3t-of-the-channel`
  const { status, body } = await add(tenant, path)
  expect([status, body.type]).toEqual([201, 'slack'])
  expect(JSON.stringify(body)).not.toContain('s3cr3t')
  await fire(tenant)
  await fire(tenant, 'alert.resolved')
  await fire(tenant, 'agent.updated')
  await expect
    .poll(() => ends(tenant))
    .toMatchObject([
      { kind: 'alert.triggered', outcome: 'sent' },
      { kind: 'alert.resolved', outcome: 'sent' },
    ])
  const texts = receiver.calls(path).map((call) => JSON.parse(call.body.toString()).text as string)
  expect(texts).toHaveLength(2)
  const fired = texts.find((text) => text.includes('fires')) ?? ''
  expect(fired.split('\n')[0]).toBe(
    '*[critical] Failures &lt;!channel&gt; &amp; &lt;http evil example|click&gt; second line fires*',
  )
  expect(fired).toContain('Value: 0.31\nThreshold: 0.05')
  expect(fired).toMatch(/<https:\/\/localhost:\d+\/dashboard\/events\/evt_[0-9a-z]+\|Open the event>$/)
})

test('the URL is sealed, absent from logs and responses, and posts end with the destination', async () => {
  const tenant = await app.addTenant()
  const { body } = await add(tenant, '/services/sealed-s3cr3t-0815')
  const [row] = await app.query<{ url: Buffer }>('select url from alert_destinations where org_id = $1', [tenant.org])
  expect(row?.url.toString('latin1')).not.toContain('sealed')
  const list = await app.call('GET', '/v2/alert-destinations', { key: tenant.key })
  expect(list.body.data).toEqual([body])
  expect(list.text).not.toContain('s3cr3t')
  const gone = await app.call('DELETE', `/v2/alert-destinations/${body.id}`, { key: tenant.key })
  expect(gone.status).toBe(200)
  await fire(tenant)
  const again = await app.call('DELETE', `/v2/alert-destinations/${body.id}`, { key: tenant.key })
  expect(again.status).toBe(404)
  expect(receiver.calls('/services/sealed-s3cr3t-0815')).toEqual([])
  expect(app.logLines.join('')).not.toContain('s3cr3t')
})

test('a busy channel is tried again, a deleted one is not', async () => {
  const tenant = await app.addTenant()
  receiver.on('/services/busy', (_call, response, number) => response.writeHead(number === 1 ? 503 : 200).end('ok'))
  receiver.on('/services/deleted', (_call, response) => response.writeHead(404).end('no_service'))
  await add(tenant, '/services/busy')
  await add(tenant, '/services/deleted')
  await fire(tenant)
  await expect.poll(() => ends(tenant)).toMatchObject([{ outcome: 'failed', error: 'HTTP 404', attempts: 1 }])
  await expect.poll(() => receiver.calls('/services/busy').length).toBe(1)
  const waiting = (sql: string) => app.query<{ error: string | null }>(sql, [tenant.org])
  await expect
    .poll(() => waiting('select error from mails where org_id = $1 and due_at is not null'))
    .toEqual([{ error: 'HTTP 503' }])
  await waiting('update mails set due_at = app_now() where org_id = $1 and due_at is not null')
  await expect.poll(async () => (await ends(tenant)).map(({ outcome }) => outcome).sort()).toEqual(['failed', 'sent'])
})

test('an organisation has a bounded number, and addresses of the operator are refused', async () => {
  const tenant = await app.addTenant()
  for (let made = 0; made < limits.alertDestinationsPerOrganisation; made++)
    expect((await add(tenant, '/services/many')).status).toBe(201)
  expect((await add(tenant, '/services/many')).body.error.code).toBe('limit_reached')
  const metadata = { type: 'slack', url: 'https://169.254.169.254/latest' }
  const { body } = await app.call('POST', '/v2/alert-destinations', { key: tenant.key, body: metadata })
  expect(body.error.code).toBe('url_not_allowed')
})
