// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders belong to the expressions of pipelines.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../server/test/app.ts'
import { examplePipelines } from '../src/pages/pipelines/example-pipelines.ts'
import { type Dashboard, startDashboard } from './dashboard.ts'
import { badge } from './run-maker.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.stop())

const notes = { highlights: ['Lists can be filtered.'], breaking: [] }

/** An agent that always answers with the same release notes. */
const addWriter = async (): Promise<string> => {
  const { id } = await dashboard.client.agents.create({
    name: 'Writer of notes',
    config: { model: 'simulated/script', script: [{ text: JSON.stringify(notes) }] },
    output_schema: {
      type: 'object',
      required: ['highlights', 'breaking'],
      properties: { highlights: { type: 'array' }, breaking: { type: 'array' } },
    },
  })
  return id
}

test('a person makes a pipeline from an example, sees a fault while typing, runs it, approves, and runs a part again', async () => {
  const writer = await addWriter()
  const echo = dashboard.app.tenant.agents['test-echo'] ?? ''
  const visit = await dashboard.visit({ as: 'admin' })
  const { page } = visit
  await visit.open('/pipelines')
  await page.getByText('No pipelines yet').waitFor()
  await visit.expectAccessible()
  await page.getByRole('button', { name: 'Create a pipeline' }).click()
  await page.getByRole('button', { name: 'Use Approval chain' }).click()
  await page.getByRole('combobox', { name: 'Agent for release-notes' }).selectOption(writer)
  await page.getByRole('combobox', { name: 'Agent for test-echo' }).selectOption(echo)
  await page.getByText('No problems').waitFor()
  await page
    .getByRole('list', { name: 'Graph of the steps' })
    .getByRole('button', { name: /^editor/ })
    .waitFor()

  const example = examplePipelines.find(({ key }) => key === 'approval-chain')
  const ids: Readonly<Record<string, string>> = { 'release-notes': writer, 'test-echo': echo }
  const steps = (example?.definition.steps ?? []).map((step) =>
    typeof step.agent_id === 'string' ? { ...step, agent_id: ids[step.agent_id] } : step,
  )
  const definition = { ...example?.definition, steps }
  const editor = page.getByRole('textbox', { name: 'Definition, as JSON' })
  await editor.fill(
    JSON.stringify({ ...definition, steps: steps.with(1, { ...steps[1], when: 'steps.nobody.output == 1' }) }, null, 2),
  )
  const problems = page.getByRole('list', { name: 'Problems of the definition' })
  await problems.getByText('steps.1.when').first().waitFor()
  await visit.expectAccessible()
  await problems.getByRole('button').first().click()
  await expect.poll(() => editor.evaluate((element) => element.matches(':focus'))).toBe(true)
  await editor.fill(JSON.stringify(definition, null, 2))
  await page.getByText('No problems').waitFor()
  await page.getByRole('button', { name: 'Create pipeline' }).click()
  await page.getByRole('heading', { name: 'Approval chain', level: 1 }).waitFor()
  await page.getByText('It has not run yet.').waitFor()
  await visit.expectAccessible()

  await page.getByRole('button', { name: 'Start run' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('"Harbour"').waitFor()
  await visit.expectAccessible()
  await dialog.getByRole('button', { name: 'Start run' }).click()
  const question = page.getByRole('region', { name: 'A decision is needed: editor' })
  await question.getByText('Publish these release notes of Harbour 2.4.0?').waitFor()
  await badge(page, 'Needs a decision').waitFor()
  await question.getByRole('button', { name: 'Approve' }).click()
  await question.getByRole('alert').filter({ hasText: 'title' }).waitFor()
  await visit.expectAccessible()
  await question.getByRole('textbox', { name: 'title' }).fill('Harbour 2.4')
  await question.getByRole('button', { name: 'Approve' }).click()
  await badge(page, 'Completed').waitFor()
  await page.getByRole('region', { name: 'Output' }).getByText('Harbour 2.4').first().waitFor()
  const graph = page.getByRole('list', { name: 'Graph of the steps' })
  await graph.getByRole('button', { name: /^owner\s*Skipped/ }).waitFor()
  await graph.getByRole('button', { name: /^draft\s*Completed/ }).click()
  const items = page.getByRole('region', { name: 'Items of draft' })
  await items.getByText('Completed').waitFor()
  await visit.expectAccessible()

  const first = page.url()
  await page.getByRole('button', { name: 'Run again from a step' }).click()
  await page.getByRole('dialog').getByRole('combobox').selectOption('publish')
  await page.getByRole('dialog').getByRole('button', { name: 'Run again' }).click()
  await page.getByText('Again from publish of').waitFor()
  expect(page.url()).not.toBe(first)
  await badge(page, 'Completed').waitFor()
  await visit.open('/pipeline-runs')
  await expect
    .poll(() => page.getByRole('table', { name: 'Pipeline runs' }).getByText('Approval chain').count())
    .toBe(2)
})

test('a pipeline run is followed live and cancelled; who may only look decides nothing', async () => {
  const { client } = dashboard
  const agent_id = dashboard.app.tenant.agents['test-echo'] ?? ''
  const pipeline = await client.pipelines.create({
    name: 'Live',
    definition: {
      steps: [
        { key: 'each', agent_id, for_each: 'input.words', input: { query: '${{ item }}' } },
        { key: 'release', depends_on: ['each'], approval: { message: 'Release it?' } },
      ],
    },
  })
  const run = await client.pipelineRuns.create(pipeline.id, { input: { words: ['a', 'b', 'c'] } })
  const viewer = await dashboard.visit({ as: 'viewer' })
  await viewer.open(`/pipeline-runs/${run.id}`)
  const decision = viewer.page.getByRole('region', { name: 'A decision is needed: release' })
  await decision.getByText('Release it?').waitFor()
  expect(await decision.getByRole('button', { name: 'Approve' }).getAttribute('aria-disabled')).toBe('true')
  await viewer.page.getByRole('list', { name: 'Graph of the steps' }).getByText('Completed, 3 of 3 items').waitFor()
  const visit = await dashboard.visit({ as: 'developer' })
  await visit.open('/approvals')
  await visit.expectAccessible()
  await visit.page
    .getByRole('region', { name: 'Questions of pipelines' })
    .getByRole('link', { name: 'Release it?' })
    .click()
  await visit.page.waitForURL(`**/pipeline-runs/${run.id}`)
  await visit.page.getByRole('table', { name: 'Steps' }).getByRole('link', { name: 'each' }).click()
  const rows = visit.page.getByRole('table', { name: 'Items of each' }).locator('tbody tr[data-index]')
  await expect.poll(() => rows.count()).toBe(3)
  await visit.page.getByRole('button', { name: 'Cancel' }).click()
  await badge(visit.page, 'Cancelled').waitFor()
  await badge(viewer.page, 'Cancelled').waitFor()
})

test('a pipeline is changed, its versions are compared, it is archived and brought back', async () => {
  const { client } = dashboard
  const agent_id = dashboard.app.tenant.agents['test-echo'] ?? ''
  const definition = { steps: [{ key: 'only', agent_id, input: { query: 'one' } }] }
  const { id } = await client.pipelines.create({ name: 'Changing', definition })
  const visit = await dashboard.visit({ as: 'admin' })
  const { page } = visit
  await visit.open(`/pipelines/${id}/edit`)
  const editor = page.getByRole('textbox', { name: 'Definition, as JSON' })
  await editor.fill(
    JSON.stringify({ steps: [{ key: 'only', agent_id, input: { query: 'two' }, timeout_seconds: 60 }] }),
  )
  await page.getByText('No problems').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Version 2 is saved.').waitFor()
  await page.getByRole('navigation', { name: 'Pipeline', exact: true }).getByRole('link', { name: 'Versions' }).click()
  const changes = page.getByRole('list', { name: 'Changes from version 1 to version 2' })
  await changes.getByText('definition.steps.only.timeout_seconds').waitFor()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Archive' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Archive pipeline' }).click()
  await page.getByText('It accepts no runs and no changes.').waitFor()
  expect(await page.getByRole('button', { name: 'Start run' }).getAttribute('aria-disabled')).toBe('true')
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Unarchive' }).click()
  await until('the pipeline to be active', async () => (await client.pipelines.get(id)).status === 'active')
  await expect.poll(() => page.getByText('It accepts no runs and no changes.').count()).toBe(0)
})
