import { type Event, verifyWebhook } from '@agent-run-service/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp, until } from '../../server/test/app.ts'
import { type Receiver, respond, startReceiver } from '../../server/test/webhook-receiver.ts'
import { type Home, makeHome } from './ars.slow.ts'

let receiver: Receiver
let app: App
let ars: Home

beforeAll(async () => {
  receiver = await startReceiver()
  app = await startApp({ env: receiver.env })
  ars = makeHome({ url: app.url, key: app.tenant.key })
})

afterAll(async () => {
  ars?.remove()
  await app?.stop()
  await receiver?.close()
})

const register = async (path: string, events = 'run.completed'): Promise<{ id: string; secret: string }> => {
  const { json, stderr } = await ars.run(['webhooks', 'create', receiver.url(path), '--events', events, '--json'])
  expect(json, stderr).toMatchObject({ object: 'webhook', url: receiver.url(path) })
  return json
}

test('a sample of any event type can be sent instead', async () => {
  const { id, secret } = await register('/sample')
  const { code, json } = await ars.run(['webhooks', 'test', id, '--event', 'run.failed', '--json'])
  expect(code).toBe(0)
  expect(json).toMatchObject({ object: 'delivery', status: 'succeeded', source: 'test', event_type: 'run.failed' })
  const [call] = receiver.calls('/sample')
  const event: Event = await verifyWebhook({ body: call?.body ?? '', headers: call?.headers ?? {}, secret })
  expect(event).toMatchObject({ type: 'run.failed', data: { status: 'failed' } })
})

test('[S69] a test event that the endpoint rejects three times makes the command fail with the reason', async () => {
  const { id } = await register('/refuses')
  receiver.on('/refuses', respond(500))
  const { code, stdout, stderr } = await ars.run(['webhooks', 'test', id])
  expect(code).toBe(1)
  expect(stdout).toMatch(/^failed after 3 attempts: .*500/)
  expect(stderr).toMatch(/attempt 1 {2}.*500[\s\S]*attempt 2 {2}.*500[\s\S]*attempt 3 {2}.*500/)
  expect(receiver.calls('/refuses')).toHaveLength(3)
})

test('deliveries are listed, shown with request and response, and redelivered', async () => {
  const { id } = await register('/history')
  receiver.on('/history', (_, response) => void response.writeHead(200).end('\u001b]0;owned\u0007fine\u001b[31m'))
  const sent = await ars.run(['webhooks', 'test', id, '--json'])
  const listed = await ars.run(['webhooks', 'deliveries', id, '--status', 'succeeded', '--json'])
  expect(listed.json).toMatchObject({ object: 'list', data: [{ id: sent.json.id }], has_more: false })
  const shown = await ars.run(['webhooks', 'delivery', id, sent.json.id])
  expect(shown.stdout).toContain('> webhook-id: evt_')
  expect(shown.stdout).toContain('"type":"test"')
  expect(shown.stdout).toContain('< fine')
  expect(shown.stdout, 'an answer cannot move the cursor').not.toContain('\u001b')
  const again = await ars.run(['webhooks', 'redeliver', id, sent.json.id, '--json'])
  expect(again.json).toMatchObject({ source: 'redelivery', status: 'succeeded', event_id: sent.json.event_id })
  const [first, second] = receiver.calls('/history')
  expect(second?.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true)
})

test('a paused webhook is enabled, and its missed events are listed and recovered', async () => {
  const { id } = await register('/paused')
  const since = new Date(Date.now() - 1_000).toISOString()
  expect((await ars.run(['webhooks', 'pause', id])).stdout).toBe(`${id} is paused.\n`)
  const run = await ars.run(['runs', 'create', 'test-echo', '--input', '{"query":"Hello"}', '--json'])
  await until('the event', async () => (await app.call('GET', '/v2/events')).text.includes(run.json.id))
  const enabled = await ars.run(['webhooks', 'enable', id])
  expect(enabled.stderr).toContain(`ars webhooks recover ${id} --since`)
  const missed = await ars.run(['webhooks', 'missed', id, '--since', since, '--json'])
  expect(missed.json.data).toMatchObject([{ type: 'run.completed', data: { id: run.json.id } }])
  const { code, stdout, stderr } = await ars.run(['webhooks', 'recover', id, '--since', since])
  expect(code, stderr).toBe(0)
  expect(stdout).toBe('completed: 1 event missed, 1 delivered, 0 failed\n')
  expect(JSON.parse(String(receiver.calls('/paused')[0]?.body))).toMatchObject({ data: { id: run.json.id } })
})

test('Ctrl-C does not stop a recovery, and the command prints how to cancel it', async () => {
  const { id } = await register('/slow')
  expect((await ars.run(['webhooks', 'pause', id])).code).toBe(0)
  await ars.run(['runs', 'create', 'test-echo', '--json'])
  expect((await ars.run(['webhooks', 'enable', id])).code).toBe(0)
  // It does not respond, so that the recovery is still running.
  const held: (() => void)[] = []
  receiver.on('/slow', (_, response) => void held.push(() => response.writeHead(204).end()))
  const running = ars.start(['webhooks', 'recover', id, '--since', '1h'])
  await until('the first attempt', async () => held.length > 0)
  running.child.kill('SIGINT')
  const { code, stderr } = await running.ended
  expect(code, stderr).toBe(130)
  const command = /ars webhooks cancel-recovery (wh_\w+) (rec_\w+)/.exec(stderr)
  expect(command?.[1]).toBe(id)
  const cancelled = await ars.run(['webhooks', 'cancel-recovery', id, command?.[2] ?? '', '--json'])
  expect(cancelled.json).toMatchObject({ status: 'cancelled' })
  for (const answer of held) answer()
})

test('a secret is shown once, when it is created', async () => {
  const { id, secret } = await register('/secret')
  expect(secret).toMatch(/^whsec_/)
  const shown = await ars.run(['webhooks', 'get', id])
  expect(shown.stdout).not.toContain(secret)
  const rotated = await ars.run(['webhooks', 'rotate-secret', id, '--overlap-hours', '0'])
  const fresh = /whsec_\S+/.exec(rotated.stdout)?.[0]
  expect(fresh).toBeDefined()
  expect(fresh).not.toBe(secret)
  const deleted = await ars.run(['webhooks', 'delete', id])
  expect(deleted.stdout).toBe(`${id} is deleted.\n`)
  expect((await ars.run(['webhooks', 'get', id])).code).toBe(4)
})
