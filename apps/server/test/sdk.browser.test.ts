import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join, normalize } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, sharedApp } from './app.ts'
import { openChromium } from './browser/chromium.ts'
import { sdkClient } from './sdk-client.ts'

// The SDK in a real browser, on a page of another origin, with the credential of such a page: a short-lived token.

type Window = { sdk: typeof import('@agent-run-service/sdk') }
const html = `<!doctype html><script type="module">import * as sdk from './index.ts'; globalThis.sdk = sdk</script>`
const source = join(import.meta.dirname, '../../../sdks/typescript/src')

let app: App
let browser: Browser
let pages: Server
let page: Page
beforeAll(async () => {
  browser = await openChromium()
  app = await sharedApp()
  pages = createServer(async (request, response) => {
    const path = normalize(request.url ?? '/')
    if (!path.endsWith('.ts')) return response.writeHead(200, { 'content-type': 'text/html' }).end(html)
    const text = stripTypeScriptTypes(await readFile(join(source, path), 'utf8'))
    return response.writeHead(200, { 'content-type': 'text/javascript' }).end(text)
  })
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve))
  const context = await browser.newContext({ ignoreHTTPSErrors: true })
  page = await context.newPage()
  await page.goto(`http://localhost:${(pages.address() as AddressInfo).port}/`)
  await page.waitForFunction(() => 'sdk' in globalThis)
})
afterAll(async () => {
  await browser?.close()
  pages?.close()
  await app?.stop()
})

test('a page streams one run with a short-lived token, from the first frame to the last', async () => {
  const client = sdkClient(app)
  const agent_id = app.tenant.agents['test-stream'] ?? ''
  const run = await client.runs.create({ agent_id, input: { chunks: 20, delay_ms: 20 } }, { wait: false })
  const { token } = await client.sessionTokens.create({ scopes: ['runs:read'], run_id: run.id })
  const seen = await page.evaluate(
    async ({ apiKey, baseUrl, id }) => {
      const { sdk } = globalThis as unknown as Window
      const own = new sdk.AgentRunService({ apiKey, baseUrl })
      const frames: Record<string, unknown>[] = []
      for await (const frame of own.runs.watch(id)) frames.push(frame)
      const again: string[] = []
      // A second reader, from the middle.
      for await (const frame of own.runs.watch(id, {}, { lastEventId: '5' })) again.push(frame.type)
      const refused = await own.runs.list().catch((error: { name: string }) => error.name)
      return { frames, again, refused, status: (await own.runs.get(id)).status }
    },
    { apiKey: token, baseUrl: `${app.url}/v2`, id: run.id },
  )
  const last = seen.frames.at(-1) as { type: string; run: { output: { result: string } } }
  expect(last.type).toBe('run.completed')
  expect(seen.frames.map(({ delta }) => delta ?? '').join('')).toBe(last.run.output.result)
  expect(seen.again).toEqual(seen.frames.slice(5).map(({ type }) => type))
  expect(seen.status).toBe('completed')
  // The list is closed to pages of other origins, so the browser withholds the response.
  expect(seen.refused).toBe('ConnectionError')
})

test('a signature is verified with the browser’s crypto', async () => {
  const verdicts = await page.evaluate(async () => {
    const { verifyWebhook } = (globalThis as unknown as Window).sdk
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    }
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const delivery = { body: '{"test": 2432232314}', headers, secret, now: new Date(1_614_265_330_000) }
    const refused = verifyWebhook({ ...delivery, body: '{"test": 2432232315}' })
    return [await verifyWebhook(delivery), await refused.catch((error: { reason: string }) => error.reason)]
  })
  expect(verdicts).toEqual([{ test: 2_432_232_314 }, 'signature_mismatch'])
})
