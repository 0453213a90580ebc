import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, sharedApp } from './app.ts'
import { openChromium } from './browser/chromium.ts'
import { inviteVisitor, type Visitor } from './browser.ts'

// The SDK in a page of the service's own origin, with the session cookie of a person instead of a key.

type Window = { sdk: typeof import('@agent-run-service/sdk'); schemas: typeof import('@agent-run-service/sdk/schemas') }
const html = `<!doctype html><script type="module">
  import * as schemas from './generated/schemas.ts'
  import * as sdk from './index.ts'
  Object.assign(globalThis, { schemas, sdk })</script>`
const source = join(import.meta.dirname, '../../../sdks/typescript/src')

let app: App
let browser: Browser
let page: Page
let visitor: Visitor
beforeAll(async () => {
  browser = await openChromium()
  app = await sharedApp()
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

test('a page gets previews of runs, states of streams, lists of values, schemas of bodies, and a refusal for another organisation', async () => {
  const agent_id = app.tenant.agents['test-echo'] ?? ''
  const seen = await page.evaluate(
    async ({ email, password, agent_id }) => {
      const { sdk, schemas } = globalThis as unknown as Window
      let organisation: string | undefined
      const client = new sdk.AgentRunService({ auth: 'cookie', organisation: () => organisation })
      organisation = (await client.auth.login({ email, password })).organisation.id
      const own = (await client.organisation.get()).id
      const states: string[] = []
      const stream = client.runs.stream({ agent_id, input: { query: 'x'.repeat(5_000) } })
      stream.onState(({ state }) => states.push(state))
      const text = await stream.text()
      const { data } = await client.runs.list({ view: 'summary', limit: 1 })
      const names = (await client.members.directory()).data.map(({ name }) => name)
      const renamed = (await client.auth.updateMe({ name: 'Ada Lovelace' })).user.name
      organisation = 'org_00000000000000000000000000'
      const refusal = await client.runs.create({ agent_id, input: {} }).catch(({ code }: { code: string }) => code)
      organisation = own
      await client.auth.logout()
      return {
        states,
        chars: text.length,
        previews: [data[0]?.input, data[0]?.input_preview?.length, data[0]?.output, data[0]?.output_preview?.length],
        names,
        renamed,
        refusal,
        lists: [sdk.runStatuses.length > 0, sdk.scopes.includes('runs:read'), sdk.roles[0], sdk.limits.bodyBytes],
        schema: Object.keys(schemas.runsCreateSchema.properties as object).includes('agent_id'),
      }
    },
    { email: visitor.email, password: visitor.password, agent_id },
  )
  expect(seen).toEqual({
    states: ['connected', 'ended'],
    chars: 5_000,
    previews: [{}, 200, null, 200],
    names: ['Ada'],
    renamed: 'Ada Lovelace',
    refusal: 'organisation_mismatch',
    lists: [true, true, 'owner', 1_048_576],
    schema: true,
  })
})
