import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from './app.ts'
import { openChromium } from './browser/chromium.ts'
import { inviteVisitor, type Visitor } from './browser.ts'

// The SDK in a page of the service's own origin, with the session cookie of a person instead of a key.

type Window = { sdk: typeof import('@agent-run-service/sdk') }
const html = `<!doctype html><script type="module">import * as sdk from './index.ts'; globalThis.sdk = sdk</script>`
const source = join(import.meta.dirname, '../../../sdks/typescript/src')

let app: App
let browser: Browser
let page: Page
let visitor: Visitor
beforeAll(async () => {
  browser = await openChromium()
  app = await startApp()
  visitor = await inviteVisitor(app, app.tenant)
  const context = await browser.newContext({ ignoreHTTPSErrors: true })
  page = await context.newPage()
  // The browser gets these files instead of an answer of the service, so the page has the origin of the service.
  await page.route(`${app.url}/page/**`, async (route) => {
    const path = new URL(route.request().url()).pathname.replace('/page/', '')
    if (!path.endsWith('.ts')) return route.fulfill({ contentType: 'text/html', body: html })
    const text = stripTypeScriptTypes(await readFile(join(source, path), 'utf8'))
    return route.fulfill({ contentType: 'text/javascript', body: text })
  })
  await page.goto(`${app.url}/page/`)
  await page.waitForFunction(() => 'sdk' in globalThis)
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

test('a person logs in, writes with and without a body, streams, and logs out, without a key in the page', async () => {
  const agent_id = app.tenant.agents['test-echo'] ?? ''
  const seen = await page.evaluate(
    async ({ email, password, agent_id }) => {
      const { AgentRunService } = (globalThis as unknown as Window).sdk
      const client = new AgentRunService({ auth: 'cookie' })
      const before = await client.auth.me().catch((error: { name: string }) => error.name)
      await client.auth.login({ email, password })
      const me = await client.auth.me()
      const key = await client.apiKeys.create({ name: 'of a page', scopes: ['runs:read'] })
      const rotated = await client.apiKeys.rotate(key.id)
      const revoked = await client.apiKeys.revoke(rotated.id)
      const text = await client.runs.stream({ agent_id, input: { query: 'Hello' } }).text()
      const sessions = await client.sessions.list()
      await client.auth.logout()
      const after = await client.auth.me().catch((error: { name: string }) => error.name)
      return {
        baseUrl: client.baseUrl,
        before,
        type: me.type,
        isNew: rotated.id !== key.id,
        isRevoked: revoked.revoked_at !== null,
        text,
        current: sessions.data.filter((session) => session.is_current).length,
        after,
      }
    },
    { email: visitor.email, password: visitor.password, agent_id },
  )
  expect(seen).toEqual({
    baseUrl: `${app.url}/v2`,
    before: 'AuthenticationError',
    type: 'session',
    isNew: true,
    isRevoked: true,
    text: 'Hello',
    current: 1,
    after: 'AuthenticationError',
  })
})
