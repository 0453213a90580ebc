import { systemClock } from '@ars/platform/clock'
import { createIdMaker, fromUuid, toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp, type Tenant } from './app.ts'

const newId = createIdMaker(systemClock)
let app: App

beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

/** A pipeline run of the tenant's key, as rows: no operation creates one yet. */
const plantPipelineRun = async (tenant: Tenant, steps: readonly object[]): Promise<string> => {
  const [pipeline, id] = [toUuid(newId('pl')), toUuid(newId('plr'))]
  const [key] = await app.query<{ id: string }>('select id from api_keys where org_id = $1', [tenant.org])
  await app.query(`insert into pipelines (id, org_id, name) values ($1, $2, 'Test')`, [pipeline, tenant.org])
  await app.query(
    `insert into pipeline_versions (pipeline_id, version, org_id, name, definition, created_by_type)
     values ($1, 1, $2, 'Test', $3, 'operator')`,
    [pipeline, tenant.org, JSON.stringify({ steps })],
  )
  await app.query(
    `with run as (
       insert into pipeline_runs (id, org_id, pipeline_id, pipeline_version, input, timeout_seconds, created_by, created_by_type)
       values ($1, $2, $3, 1, '{}', 3600, $4, 'key')
     )
     insert into pipeline_heads (pipeline_run_id, org_id, pipeline_id, deadline_at)
     values ($1, $2, $3, app_now() + interval '1 hour')`,
    [id, tenant.org, pipeline, key?.id],
  )
  return id
}

const statusOf = async (id: string) =>
  (await app.query<{ status: string | null }>('select status from pipeline_runs where id = $1', [id]))[0]?.status

const ofTenant = async (tenant: Tenant, path: string) => (await app.call('GET', `/v2${path}`, { key: tenant.key })).body

test('the steps of a pipeline run are runs, and its end is an event with the whole pipeline run', async () => {
  const tenant = await app.addTenant()
  const agent_id = tenant.agents['test-echo']
  const id = await plantPipelineRun(tenant, [
    { key: 'first', agent_id, input: { query: 'hello' } },
    {
      key: 'second',
      agent_id,
      depends_on: ['first'],
      when: 'steps.first.status == "completed"',
      for_each: '["x", "y"]',
      max_parallel: 1,
      input: { query: 'after ${{ steps.first.status }}: ${{ item }}' },
    },
  ])
  await expect.poll(() => statusOf(id), { timeout: 120_000, interval: 250 }).toBe('completed')
  const runs = await ofTenant(tenant, `/runs?pipeline_run_id=${fromUuid('plr', id)}`)
  expect(runs.data.map(({ input }: { input: { query: string } }) => input.query)).toEqual([
    'after completed: y',
    'after completed: x',
    'hello',
  ])
  const events = await ofTenant(tenant, '/events?limit=100')
  const told = events.data.filter(({ type }: { type: string }) => type === 'pipeline.completed')
  expect(told).toMatchObject([
    {
      data: {
        id: fromUuid('plr', id),
        status: 'completed',
        steps: [
          { key: 'first', status: 'completed', run_id: runs.data[2].id },
          { key: 'second', status: 'completed' },
        ],
      },
    },
  ])
}, 180_000)

test('a step whose creator has lost its key is refused', async () => {
  const tenant = await app.addTenant()
  await app.query('update api_keys set revoked_at = app_now() where org_id = $1', [tenant.org])
  const id = await plantPipelineRun(tenant, [{ key: 'a', agent_id: tenant.agents['test-echo'] }])
  await expect.poll(() => statusOf(id), { timeout: 120_000, interval: 250 }).toBe('failed')
  const [row] = await app.query<{ error: { code: string } }>('select error from pipeline_runs where id = $1', [id])
  expect(row?.error.code).toBe('forbidden')
  expect(await app.query('select id from runs where pipeline_run_id = $1', [id])).toEqual([])
}, 180_000)
