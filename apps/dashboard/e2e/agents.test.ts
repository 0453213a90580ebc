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
/** A cell of the table of both versions, such as the runs of the canary. */
const figure = (page: Page, row: string, column: number) =>
  page.getByRole('row', { name: row }).getByRole('cell').nth(column).textContent()

describe('an agent', () => {
  test('is created, edited with a canary, compared, promoted and rolled back', async () => {
    const { page, open, expectAccessible } = await dashboard.visit({ as: 'developer' })
    await open('/agents')
    await press(page, 'New agent')
    await page.getByRole('textbox', { name: 'Name' }).fill('Greeter')
    await page.getByRole('combobox', { name: 'Model' }).selectOption('simulated/echo')
    await page.getByRole('textbox', { name: 'Instructions' }).fill('Be brief.\nBe kind.')
    await press(page, 'Create agent')
    await page.getByRole('heading', { level: 1, name: 'Greeter' }).waitFor()
    await page.getByText('100 %').waitFor()
    const id = idIn(page)

    await press(page, 'Edit')
    await page.getByRole('textbox', { name: 'Instructions' }).fill('Be brief.\nBe very kind.')
    await page.getByLabel('Temperature').fill('0.5')
    await press(page, 'Review')
    await page.getByRole('heading', { name: '2 fields change' }).waitFor()
    await page.getByText('Added: Be very kind.').waitFor()
    await page.getByText('config.temperature').waitFor()
    await expectAccessible()
    await press(page, 'To whom')
    await page.getByLabel('A canary').check()
    await press(page, '50 %')
    await expectAccessible()
    await press(page, 'Start a canary with 50 %')
    await page.getByText('50 % of new runs').waitFor()

    for (let n = 0; n < 12; n++) await dashboard.client.runs.create({ agent_id: id, input: { query: 'Hello' } })
    await expect
      .poll(async () => Number(await figure(page, 'Runs', 0)) + Number(await figure(page, 'Runs', 1)), {
        timeout: 60_000,
      })
      .toBe(12)
    await page
      .getByText(/of 50 runs/)
      .first()
      .waitFor()
    await page.getByRole('img', { name: /Failure rate/ }).press('ArrowRight')
    await page.getByText('0.0 %').first().waitFor()
    await press(page, 'Show as table')
    await expectAccessible()

    await press(page, 'Change share')
    await page.getByLabel('Own share in percent').fill('75')
    await pressIn(page, 'Change share')
    await page.getByText('75 % of new runs', { exact: true }).waitFor()
    await press(page, 'Promote')
    await pressIn(page, 'Promote')
    await page.getByRole('status').getByText('Running', { exact: true }).waitFor()
    expect((await dashboard.client.agents.get(id)).version).toBe(2)

    await press(page, 'Roll back')
    expect(await page.getByLabel('Reason').inputValue()).toMatch(/^Version 2 after \d+ runs: failure rate 0\.0 %/)
    await page.getByLabel('Reason').fill('It was too kind.')
    await pressIn(page, 'Roll back')
    await page.getByRole('cell', { name: 'It was too kind.' }).waitFor()
    const [running] = (await dashboard.client.deployments.list({ agent_id: id, status: 'active' })).data
    expect(running?.version).not.toBe(2)

    await open(`/agents/${id}/versions?from=1&to=2`)
    await page
      .getByRole('list', { name: 'Changes from version 1 to version 2' })
      .getByText('config.instructions')
      .waitFor()
  })

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

  test('what the service refuses stands at its field, and leaving with changes asks', async () => {
    const { page, open, expectAccessible } = await dashboard.visit({ as: 'developer' })
    const { id } = await dashboard.client.agents.create({ name: 'Priceless', config: { model: 'simulated/echo' } })
    await open(`/agents/${id}/edit`)
    await page.getByLabel('Temperature').fill('3')
    await press(page, 'Review')
    await page
      .getByRole('alert')
      .getByText(/^temperature: /)
      .waitFor()
    await page.getByLabel('Temperature').fill('')
    await page.getByLabel('Input schema').fill('{"type": "nonsense"}')
    await press(page, 'Review')
    await press(page, 'To whom')
    await press(page, 'Release to everyone')
    await page
      .getByRole('alert')
      .getByText(/^input schema: /)
      .waitFor()
    await expectAccessible()
    await page.getByRole('link', { name: 'Agents', exact: true }).first().click()
    await pressIn(page, 'Stay')
    expect(page.url()).toContain('/edit')
    await page.getByRole('link', { name: 'Agents', exact: true }).first().click()
    await pressIn(page, 'Leave')
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
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

  test('is found by filters, archived after a question and unarchived', async () => {
    const { page, open } = await dashboard.visit({ as: 'developer' })
    const { id } = await dashboard.client.agents.create({ name: 'Findable one', config: { model: 'simulated/echo' } })
    await open('/agents')
    await page.getByLabel('Search in name and description').fill('findable')
    await page.waitForURL(/q=findable/)
    await page.getByRole('link', { name: 'Findable one' }).waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
    await page.getByRole('button', { name: 'Actions of Findable one' }).click()
    await page.getByRole('menuitem', { name: 'Archive', exact: true }).click()
    await pressIn(page, 'Archive agent')
    await page.getByRole('cell').getByText('Archived').waitFor()
    expect((await dashboard.client.agents.get(id)).status).toBe('archived')
    await page.getByRole('button', { name: 'Actions of Findable one' }).click()
    await page.getByRole('menuitem', { name: 'Unarchive', exact: true }).click()
    await expect.poll(async () => (await dashboard.client.agents.get(id)).status).toBe('active')
    await page.getByRole('link', { name: 'Findable one' }).click()
    await page.waitForURL(new RegExp(id))
  })
})

test('a catalog agent is hired under a name', async () => {
  const { page, open, expectAccessible } = await dashboard.visit({ as: 'developer' })
  await open('/catalog')
  await page.getByLabel('Search in the catalog').fill('extractor')
  await page.getByRole('link', { name: 'Structured extractor' }).click()
  await page.getByRole('heading', { level: 1, name: 'Structured extractor' }).waitFor()
  await page.getByText('Brandt & Sons').first().waitFor()
  await press(page, 'Hire')
  await page.getByRole('dialog').getByLabel('Name').fill('Invoice reader')
  await expectAccessible()
  await pressIn(page, 'Hire')
  await page.getByRole('heading', { level: 1, name: 'Invoice reader' }).waitFor()
  expect(await dashboard.client.agents.get(idIn(page))).toMatchObject({
    name: 'Invoice reader',
    catalog_key: 'extractor',
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

  test('a tool that its server changed is off until a person has read the difference and approved it', async () => {
    const { page, open, expectAccessible } = await dashboard.visit({ as: 'admin' })
    await open('/connectors')
    await press(page, 'New connector')
    await page.getByLabel('Name').fill('Bank')
    await page.getByLabel('URL').fill(server.url)
    await press(page, 'Add connector')
    await page.getByRole('heading', { level: 1, name: 'Bank' }).waitFor()
    await expect.poll(() => page.getByText('Approved', { exact: true }).count()).toBe(2)

    tools.send_payment = {
      description: 'Sends money to anyone at once.',
      properties: ['to'],
      annotations: { destructiveHint: true },
    }
    await press(page, 'List the tools again')
    await page.getByText('Changed since its approval', { exact: true }).waitFor()
    await page.getByText(/Added: .*Sends money to anyone at once\./).waitFor()
    await expectAccessible()
    await press(page, 'Approve again')
    await expect.poll(() => page.getByText('Approved', { exact: true }).count()).toBe(2)

    await press(page, 'Edit')
    await page.getByRole('dialog').getByLabel('Name').fill('Bank of tests')
    await pressIn(page, 'Save')
    await page.getByRole('heading', { level: 1, name: 'Bank of tests' }).waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await pressIn(page, 'Delete connector')
    await page.getByRole('heading', { level: 1, name: 'Connectors' }).waitFor()
  })

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
