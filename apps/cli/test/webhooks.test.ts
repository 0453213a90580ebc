import { verifyWebhook } from '@agent-run-service/sdk'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { type App, sharedApp } from '../../server/test/app.ts'
import { trustingFetch } from '../../server/test/sdk-client.ts'
import { type Receiver, startReceiver } from '../../server/test/webhook-receiver.ts'
import { createProgram } from '../src/program.ts'

/* Commands inside this process. What depends on the process of `ars` is in webhooks.slow.test.ts. */

let receiver: Receiver
let app: App
beforeAll(async () => {
  receiver = await startReceiver()
  app = await sharedApp()
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})
afterAll(async () => {
  await app.stop()
  await receiver.close()
})

/** `ars` with these arguments, the settings of a customer in its environment, and the certificate of the test stack trusted. */
const ars = async (...args: string[]): Promise<{ exitCode: unknown; printed: string }> => {
  const settings = { ARS_BASE_URL: `${app.url}/v2`, ARS_API_KEY: app.tenant.key, ARS_CONFIG: '/nonexistent' }
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value)
  vi.stubGlobal('fetch', trustingFetch())
  const lines: string[] = []
  const output = [
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0),
    vi.spyOn(process.stderr, 'write').mockReturnValue(true),
  ]
  const before = process.exitCode
  try {
    await createProgram().parseAsync(args, { from: 'user' })
    return { exitCode: process.exitCode, printed: lines.join('') }
  } finally {
    process.exitCode = before
    for (const stream of output) stream.mockRestore()
  }
}

test('[S69] [S71] a command that takes a webhook id sends a test event of the usual shape and prints the outcome', async () => {
  const body = { url: receiver.url('/test'), events: ['run.completed'] }
  const { id, secret } = (await app.call('POST', '/v2/webhooks', { body })).body
  receiver.on('/test', (_, response) => void response.writeHead(200).end('thank you'))
  const { exitCode, printed } = await ars('webhooks', 'test', id)
  expect(exitCode).toBe(0)
  expect(printed).toMatch(/^succeeded with 200 in \d+ ms: thank you\n$/)
  const [call] = receiver.calls('/test')
  const event = await verifyWebhook({ body: call?.body ?? '', headers: call?.headers ?? {}, secret })
  expect(Object.keys(event)).toEqual(['id', 'type', 'created_at', 'data'])
  expect(event).toMatchObject({ type: 'test', data: { webhook_id: id } })
  expect(event.id).toMatch(/^evt_/)
})
