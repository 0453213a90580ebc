import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Run } from '@agent-run-service/sdk'
import { toUuid } from '@ars/platform/id'
import { stackFacts } from '@ars/testkit/stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, startDashboard } from './dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.stop())

const shell = async (command: string): Promise<string> => {
  const env = { ...process.env, ARS_CA_FILE: stackFacts().tls.certFile, ARS_API_KEY: dashboard.app.tenant.key }
  return (await promisify(execFile)('bash', ['-c', command], { env, timeout: 60_000 })).stdout
}

test('a new organisation makes its first call in three clicks, and the copied command works', async () => {
  const tenant = await dashboard.app.addTenant()
  const { page, open } = await dashboard.visit({ as: await dashboard.person('owner', tenant) })
  await open('/')
  await page.getByRole('link', { name: 'Run an agent' }).click()
  await page.getByText('Completed').first().waitFor({ timeout: 60_000 })
  await open('/')
  await page.getByRole('button', { name: 'Create a key' }).click()
  await page.getByRole('button', { name: 'Copy curl' }).click()
  const command = await page.evaluate(() => navigator.clipboard.readText())
  const answer = JSON.parse(await shell(command)) as { status: string; output: { result: string } }
  expect(answer).toMatchObject({ status: 'completed' })
  await page.getByRole('link', { name: 'See its run' }).waitFor({ timeout: 60_000 })
})

test('the playground streams an answer and lists its runs', async () => {
  const visit = await dashboard.visit({ as: 'developer' })
  const { page } = visit
  const agents = await dashboard.client.agents.list({ limit: 100 })
  const agent = agents.data.find(({ name }) => name === 'test-stream')
  await visit.open(`/playground?agent_id=${agent?.id}`)
  await visit.expectAccessible()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const output = page.getByRole('region', { name: 'Run' })
  await output.getByText('Completed').first().waitFor({ timeout: 60_000 })
  await output.getByText('Hello there').first().waitFor()
  await page.getByRole('heading', { name: 'Your last runs here' }).waitFor()
  await page.getByRole('button', { name: 'As code' }).click()
  await page.getByRole('tab', { name: 'Python' }).click()
  await page.getByText('from agent_run_service import').waitFor()
})

test('the playground shows the messages that the model would receive, and follows the input', async () => {
  const visit = await dashboard.visit({ as: 'developer' })
  const config = { model: 'simulated/echo', instructions: 'Be brief.', input_template: 'Translate: ${{ input.text }}' }
  const { body } = await dashboard.app.call('POST', '/v2/agents/custom', { body: { name: 'Translator', config } })
  await visit.open(`/playground?agent_id=${body.id}`)
  await visit.page.getByLabel('Input').fill('{"text": "Guten Morgen"}')
  await visit.page.getByRole('button', { name: 'Show prompt' }).click()
  const prompt = visit.page.getByRole('region', { name: 'Prompt' })
  await prompt.getByText('Be brief.').waitFor()
  await prompt.getByText('Translate: Guten Morgen').waitFor()
  await visit.page.getByLabel('Input').fill('{"text": "Gute Nacht"}')
  await prompt.getByText('Translate: Gute Nacht').waitFor()
  await visit.expectAccessible()
})

test('the copied command of the playground and of its run makes the same run again', async () => {
  const visit = await dashboard.visit({ as: 'developer' })
  const { page } = visit
  const agentId = dashboard.app.tenant.agents['test-echo'] ?? ''
  const input = { query: `it's "quoted" $HOME` }
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
  await visit.open(`/playground?agent_id=${agentId}`)
  await page.getByRole('checkbox', { name: 'Edit the input as JSON' }).check()
  await page.getByRole('textbox', { name: 'Input' }).fill(JSON.stringify(input))
  await page.getByLabel('Metadata').fill("customer = c'1\nteam = billing")
  await page.getByLabel('Timeout in seconds').fill('77')
  await page.getByRole('button', { name: 'As code' }).click()
  await page.getByRole('button', { name: 'Copy curl' }).click()
  const answer = JSON.parse(await shell(await clipboard())) as Run
  const metadata = { customer: "c'1", team: 'billing' }
  expect(answer).toMatchObject({ status: 'completed', agent_id: agentId, input, metadata })
  const [{ seconds } = { seconds: 0 }] = await dashboard.app.query<{ seconds: number }>(
    'select timeout_seconds as seconds from runs where id = $1',
    [toUuid(answer.id)],
  )
  expect(seconds).toBe(77)

  await visit.open(`/runs/${answer.id}`)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Copy as curl' }).click()
  await page.getByText('Copied as curl').waitFor()
  const again = JSON.parse(await shell(await clipboard())) as Run
  expect(again).toMatchObject({ status: 'completed', agent_id: agentId, input, metadata })
  expect(again.id).not.toBe(answer.id)
})

test('a reload of the playground goes on with its run and starts no other', async () => {
  const visit = await dashboard.visit({ as: 'developer' })
  const { page } = visit
  const agentId = await dashboard.app.addAgent({
    config: { model: 'simulated/stream' },
    inputSchema: { type: 'object', examples: [{ text: 'It takes some time. '.repeat(20), delay_ms: 100 }] },
  })
  await visit.open(`/playground?agent_id=${agentId}&start=true`)
  const output = page.getByRole('region', { name: 'Run' })
  await output.getByText('It takes some time.').first().waitFor()
  await page.waitForURL(/run=run_/)
  await page.reload()
  await output.getByText('Running').first().waitFor()
  await output.getByText('Completed').first().waitFor({ timeout: 60_000 })
  await expect.poll(() => output.locator('[data-output]').textContent()).toBe('It takes some time. '.repeat(20))
  expect((await dashboard.client.runs.list({ agent_id: agentId })).data).toHaveLength(1)
})

test('an input that is no object is refused at its field', async () => {
  const visit = await dashboard.visit({ as: 'developer' })
  const agentId = await dashboard.app.addAgent({ config: { model: 'simulated/echo' } })
  await visit.open(`/playground?agent_id=${agentId}`)
  await visit.page.getByRole('textbox', { name: 'Input' }).fill('[1]')
  await visit.page.getByRole('button', { name: 'Run', exact: true }).click()
  await visit.page.getByText('The input is a JSON object').waitFor()
  expect((await dashboard.client.runs.list({ agent_id: agentId })).data).toEqual([])
})
