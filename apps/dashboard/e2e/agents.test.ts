import { randomBytes } from 'node:crypto'
import { type LoopbackMcpServer, startMcpServer, type TestTool } from '@ars/testkit/mcp-server'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Dashboard, startDashboard } from './dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  const egress = { ARS_EGRESS_ALLOW_RANGES: '127.0.0.0/8', ARS_EGRESS_ALLOW_PORTS: 'any' }
  const keys = { ARS_KEKS: `test:${randomBytes(32).toString('base64')}` }
  dashboard = await startDashboard({ env: { ...egress, ...keys, ARS_EGRESS_ALLOW_PLAIN_HTTP: 'true' } })
})
afterAll(() => dashboard?.stop())

const says = (text: string) => ({ model: 'simulated/script', script: [{ text }] })
const fails = { model: 'simulated/script', script: [{ fail: { message: 'Broken on purpose', retryable: false } }] }
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click()
const pressIn = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
const idIn = (page: Page): string => /ag_[0-9a-z]+/.exec(page.url())?.[0] ?? ''

describe('an agent', () => {
  test('a canary that a rule rolls back shows rule and numbers, without a reload', async () => {
    const { page, open } = await dashboard.visit({ as: 'developer' })
    const { id } = await dashboard.client.agents.create({ name: 'Fragile', config: says('fine') })
    const rule = { metric: 'failure_rate', above: 0.05, min_runs: 8, window_seconds: 3_600 } as const
    const rollout = { strategy: 'canary', traffic_percent: 99, rollback_rules: [rule] } as const
    await dashboard.client.agents.update(id, { config: fails, rollout })
    await open(`/agents/${id}/releases`)
    await page.getByText('0 of 8 runs').waitFor()
    for (let n = 0; n < 12; n++) await dashboard.client.runs.create({ agent_id: id, input: {} })
    // The service judges a canary every few seconds; its clock is moved so that the next judgement is due.
    await dashboard.moveClock(60_000)
    await page.getByRole('status').getByText('Rolled back', { exact: true }).waitFor({ timeout: 120_000 })
    await page
      .getByRole('status')
      .getByText(/failure_rate above 5 % is broken: the canary had 100 %/)
      .waitFor()
    expect(await page.getByRole('button', { name: 'Promote' }).count()).toBe(0)
  })

  test('an edit survives a change that came between, and is released on top of it', async () => {
    const { page, open, expectAccessible } = await dashboard.visit({ as: 'developer' })
    const { id } = await dashboard.client.agents.create({ name: 'Shared', config: says('one') })
    await open(`/agents/${id}/edit`)
    await page.getByLabel('Description').fill('Mine.')
    await page.getByRole('textbox', { name: 'Name' }).fill('My name')
    await press(page, 'Review')
    await press(page, 'To whom')
    await dashboard.client.agents.update(id, { name: 'Their name', metadata: { team: 'shop' } })
    await press(page, 'Release to everyone')
    const dialog = page.getByRole('dialog', { name: 'Version 2 came out in the meantime' })
    await dialog.getByText('metadata.team').waitFor()
    await dialog.getByText('Changed by both: name. Your value is used.').waitFor()
    await expectAccessible()
    await pressIn(page, 'Continue on version 2')
    await page.getByRole('heading', { name: '2 fields change' }).waitFor()
    await press(page, 'To whom')
    await press(page, 'Release to everyone')
    await page.getByRole('heading', { level: 1, name: 'My name' }).waitFor()
    expect(await dashboard.client.agents.get(id)).toMatchObject({
      name: 'My name',
      description: 'Mine.',
      metadata: { team: 'shop' },
      version: 3,
    })
  })

  test('a remote agent shows its signing secret once', async () => {
    const { page, open } = await dashboard.visit({ as: 'developer' })
    await open('/agents/new?kind=remote')
    await page.getByRole('textbox', { name: 'Name' }).fill('Elsewhere')
    await page.getByLabel('URL').fill('https://127.0.0.1:9/agent')
    await press(page, 'Create agent')
    expect(await page.getByRole('dialog').locator('[data-secret]').textContent()).toMatch(/^whsec_/)
    await page.keyboard.press('Escape')
    await pressIn(page, 'I have stored it')
    await page.getByRole('heading', { level: 1, name: 'Elsewhere' }).waitFor()
  })
})

describe('a connector', () => {
  const tools: Record<string, TestTool> = {}
  let server: LoopbackMcpServer
  beforeAll(async () => {
    tools.send_payment = { description: 'Sends money.', properties: ['to'], annotations: { destructiveHint: true } }
    tools.lookup = { description: 'Looks a name up.', annotations: { readOnlyHint: true } }
    server = await startMcpServer({ tools: [], testTools: tools })
  })
  afterAll(() => server?.stop())

  test('its tools are chosen in the form of an agent', async () => {
    const { page, open } = await dashboard.visit({ as: 'developer' })
    const connector = await dashboard.client.connectors.create({ name: 'Till', url: server.url })
    await open('/agents/new')
    await page.getByRole('textbox', { name: 'Name' }).fill('Cashier')
    await page.getByRole('combobox', { name: 'Model' }).selectOption('simulated/echo')
    await press(page, 'Add a connector')
    await page.getByRole('combobox', { name: 'Connector' }).selectOption(connector.id)
    await page.getByLabel('Which tools').selectOption('some')
    await page.getByRole('group', { name: 'Allowed tools' }).getByLabel('lookup').check()
    await page.getByLabel('Calls that wait for a person').selectOption('some')
    await page.getByRole('group', { name: 'Tools that need approval' }).getByLabel('lookup').check()
    await press(page, 'Create agent')
    await page.getByRole('heading', { level: 1, name: 'Cashier' }).waitFor()
    expect((await dashboard.client.agents.get(idIn(page))).config.tools).toEqual([
      { connector_id: connector.id, allow: ['lookup'], require_approval: ['lookup'] },
    ])
  })
})
