import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type CallOptions, sharedApp } from './app.ts'

let app: App

beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

const call = (method: string, path: string, body?: unknown, options: CallOptions = {}) =>
  app.call(method, `/v2${path}`, { ...(body === undefined ? {} : { body }), ...options })

/** The body of a response that must be a success. */
const made = async (asked: ReturnType<typeof call>) => {
  const { status, body } = await asked
  expect(status, JSON.stringify(body)).toBeLessThan(300)
  return body
}

const echoStep = (key: string, more: object = {}) => ({ key, agent_id: app.tenant.agents['test-echo'], ...more })

const broken = () => ({
  steps: [
    echoStep('a', { input: { query: '${{ steps.b.output.text }}' } }),
    echoStep('b', { when: 'input.count >' }),
    { key: 'c', agent_id: 'ag_01kf3xw0fqe1vrr9m8sdv2wbx4' },
  ],
})

test('a faulty definition is refused with the places of its faults, and the check shows the same', async () => {
  const refused = await call('POST', '/pipelines', { name: 'Broken', definition: broken() })
  expect(refused.status).toBe(422)
  expect(refused.body.error).toMatchObject({
    code: 'config_invalid',
    param: expect.stringMatching(/^definition\.steps\./),
  })
  const params = refused.body.error.details.map(({ param }: { param: string }) => param)
  expect(params).toEqual(expect.arrayContaining(['definition.steps.1.when', 'definition.steps.2.agent_id']))
  const when = refused.body.error.details.find(({ param }: { param: string }) => param === 'definition.steps.1.when')
  expect(when.message).toMatch(/\(position \d+\)$/)
  const { problems } = await made(call('POST', '/pipelines/check', { definition: broken() }))
  expect(problems.map(({ param }: { param: string }) => param)).toEqual(params)
  expect(problems.find(({ param }: { param: string }) => param === 'definition.steps.1.when').position).toEqual(
    expect.any(Number),
  )
  const good = { steps: [echoStep('a')] }
  expect((await made(call('POST', '/pipelines/check', { definition: good }))).problems).toEqual([])
})

test('a pipeline has versions that can be compared, and an archived one starts nothing', async () => {
  const definition = { steps: [echoStep('a', { input: { query: 'one' } })] }
  const { status, headers, body } = await call('POST', '/pipelines', {
    name: 'Report',
    definition,
    metadata: { team: 'x' },
  })
  expect([status, headers.location]).toEqual([201, `/v2/pipelines/${body.id}`])
  expect(body).toMatchObject({ object: 'pipeline', status: 'active', version: 1, definition, metadata: { team: 'x' } })

  const changed = { steps: [echoStep('a', { input: { query: 'two' } })] }
  expect((await made(call('PATCH', `/pipelines/${body.id}`, { version: 1, definition: changed }))).version).toBe(2)
  const late = await call('PATCH', `/pipelines/${body.id}`, { version: 1, name: 'Late' })
  expect([late.status, late.body.error.code]).toEqual([422, 'version_conflict'])
  const versions = await made(call('GET', `/pipelines/${body.id}/versions`))
  expect(versions.data.map(({ version }: { version: number }) => version)).toEqual([2, 1])
  expect((await made(call('GET', `/pipelines/${body.id}/versions/1`))).definition).toEqual(definition)
  const diff = await made(call('GET', `/pipelines/${body.id}/versions/1/diff?to=2`))
  expect(diff.changes.length).toBeGreaterThan(0)

  expect((await made(call('DELETE', `/pipelines/${body.id}`))).status).toBe('archived')
  const start = await call('POST', `/pipelines/${body.id}/runs`, {})
  expect([start.status, start.body.error.code]).toEqual([422, 'pipeline_archived'])
  const update = await call('PATCH', `/pipelines/${body.id}`, { name: 'New' })
  expect(update.body.error.code).toBe('pipeline_archived')
  expect((await made(call('GET', '/pipelines?status=archived'))).data).toMatchObject([{ id: body.id }])
  expect((await made(call('POST', `/pipelines/${body.id}/unarchive`))).status).toBe('active')
  const entries = await made(call('GET', `/audit-log?subject=${body.id}`))
  expect(entries.data.map(({ action }: { action: string }) => action)).toEqual([
    'pipeline.unarchived',
    'pipeline.archived',
    'pipeline.updated',
    'pipeline.created',
  ])
})

test('a key that is narrowed to some agents manages no pipeline, and starts those of its agents only', async () => {
  const agent_ids = [app.tenant.agents['test-echo']]
  const scopes = ['pipelines:read', 'pipelines:write', 'runs:read', 'runs:write']
  const { key } = await made(call('POST', '/api-keys', { name: 'Narrow', scopes, agent_ids }))
  const own = await made(call('POST', '/pipelines', { name: 'Own', definition: { steps: [echoStep('a')] } }))
  const other = await made(
    call('POST', '/pipelines', {
      name: 'Other',
      definition: { steps: [echoStep('a'), { key: 'b', agent_id: app.tenant.agents['test-slow'] }] },
    }),
  )
  for (const refused of [
    call('GET', '/pipelines', undefined, { key }),
    call('GET', `/pipelines/${own.id}`, undefined, { key }),
    call('POST', '/pipelines', { name: 'New', definition: own.definition }, { key }),
    call('DELETE', `/pipelines/${own.id}`, undefined, { key }),
    call('POST', `/pipelines/${other.id}/runs`, {}, { key }),
  ])
    expect((await refused).body.error).toMatchObject({ code: 'forbidden' })
  const started = await made(call('POST', `/pipelines/${own.id}/runs`, {}, { key }))
  const hidden = await made(call('POST', `/pipelines/${other.id}/runs`, {}))
  expect((await call('GET', `/pipeline-runs/${hidden.id}`, undefined, { key })).body.error.code).toBe('forbidden')
  const list = await made(call('GET', '/pipeline-runs', undefined, { key }))
  expect(list.data.map(({ id }: { id: string }) => id)).toEqual([started.id])
})
