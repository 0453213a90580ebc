import { type CreatePipeline, type PipelineId, pipelineBounds } from '@ars/contract'
import { fromUuid, toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AccessWorld, newId, openAccessWorld } from '../../../test/access-world.ts'
import { expressionTexts } from '../../expressions/index.ts'
import type { Fault } from '../../fault.ts'
import { testSchemas } from '../../schemas/schemas.fixture.ts'
import { pipelineLimits } from '../definition.ts'
import { type DefinitionProblem, problemsOfDefinition } from '../definition-problems.ts'
import { findingsOfNames } from '../expression-findings.fixture.ts'
import { pipelineReplays } from './pipeline.api.ts'
import { createPipelines, type PipelineDeps } from './pipeline.service.ts'

let world: AccessWorld
beforeAll(async () => {
  world = await openAccessWorld()
})
afterAll(() => world.close())

const realCheck: PipelineDeps['check'] = async (_org, definition, agents) =>
  problemsOfDefinition(definition, { agents, check: findingsOfNames, texts: expressionTexts })

const serviceWith = (check: PipelineDeps['check'] = async () => []) =>
  createPipelines({ app: world.app, newId, schemas: testSchemas(), check })

const stepOf = (agentId: `ag_${string}`, more: object = {}) => ({ key: 'read', agent_id: agentId, ...more })

const bodyOf = (agentId: `ag_${string}`, more: Partial<CreatePipeline> = {}): CreatePipeline => ({
  name: 'Letters',
  definition: { steps: [stepOf(agentId, { input: { text: '${{ input.text }}' } })] },
  ...more,
})

const orgWithAgent = async () => {
  const { org, ctx, key } = await world.newOrg()
  return { org, ctx, key, agent: await world.newAgent(org) }
}

const setUp = async () => {
  const given = await orgWithAgent()
  const pipelines = serviceWith()
  const { body } = await pipelines.create(given.ctx, bodyOf(given.agent))
  return { ...given, pipelines, pipeline: body }
}

const faultOf = async (work: Promise<unknown>): Promise<Fault> => {
  try {
    await work
  } catch (error) {
    return error as Fault
  }
  throw new Error('It was not refused')
}

const auditOf = (org: string) =>
  world.sql<{ action: string; subject: string; before: unknown; after: unknown }>(
    "select action, subject, before, after from audit_log where org_id = $1 and action like 'pipeline.%' order by number",
    [org],
  )

describe('create', () => {
  test('a pipeline is stored with its first version, as it was sent', async () => {
    const { org, ctx, agent } = await orgWithAgent()
    const pipelines = serviceWith()
    const sent = bodyOf(agent, { description: 'Writes.', metadata: { team: 'mail' } })
    const { body, headers } = await pipelines.create(ctx, sent)
    expect(body).toMatchObject({
      object: 'pipeline', status: 'active', version: 1, archived_at: null, ...sent,
    }) // biome-ignore format: one object
    expect(headers.location).toBe(`/v2/pipelines/${body.id}`)
    expect(await pipelines.get(ctx, body.id)).toEqual(body)
    const [version] = (await pipelines.versions(ctx, { id: body.id })).data
    expect(version).toMatchObject({
      version: 1,
      name: 'Letters',
      created_by: ctx.actor.id,
      definition: sent.definition,
    })
    expect(await auditOf(org)).toEqual([
      {
        action: 'pipeline.created',
        subject: body.id,
        before: null,
        after: { name: 'Letters', version: 1, steps: ['read'] },
      },
    ])
  })

  test('a repeated request gets the same pipeline, also when it is sent twice at once', async () => {
    const { key, agent, org } = await orgWithAgent()
    const pipelines = serviceWith()
    const ctx = await world.ctxOf(key, 'once')
    const [one, other] = await Promise.all([pipelines.create(ctx, bodyOf(agent)), pipelines.create(ctx, bodyOf(agent))])
    expect(other.body).toEqual(one.body)
    const refusing = serviceWith(async () => [{ param: 'steps', message: 'is refused by now' }])
    const again = await refusing.create(ctx, bodyOf(agent))
    expect([again.body, again.headers['idempotency-replayed']]).toEqual([one.body, 'true'])
    const replay = await pipelineReplays(pipelines)['pipelines.create']?.(ctx, bodyOf(agent), undefined)
    expect(replay).toMatchObject({ body: one.body })
    const reused = await faultOf(pipelines.create(ctx, bodyOf(agent, { name: 'Another' })))
    expect(reused.code).toBe('idempotency_key_reused')
    const rows = await world.sql('select id from pipelines where org_id = $1', [org])
    expect(rows).toHaveLength(1)
  })

  test('an organisation has at most 1,000 active pipelines', async () => {
    const { org, ctx, agent } = await orgWithAgent()
    const pipelines = serviceWith()
    const { body: first } = await pipelines.create(ctx, bodyOf(agent))
    await pipelines.archive(ctx, first.id)
    await world.sql(
      `insert into pipelines (id, org_id, name) select gen_random_uuid(), $1, 'n' || n from generate_series(1, $2::integer) n`,
      [org, pipelineBounds.pipelinesPerOrganisation - 1],
    )
    const { body: last } = await pipelines.create(ctx, bodyOf(agent))
    const full = await faultOf(pipelines.create(ctx, bodyOf(agent)))
    expect([full.code, full.message]).toEqual(['limit_reached', 'An organisation has at most 1000 pipelines'])
    expect((await faultOf(pipelines.unarchive(ctx, first.id))).code).toBe('limit_reached')
    expect((await pipelines.get(ctx, first.id)).status).toBe('archived')
    await pipelines.archive(ctx, last.id)
    expect((await pipelines.unarchive(ctx, first.id)).status).toBe('active')
  })
})

describe('a definition with problems', () => {
  test('is refused with the path of each problem and its position, and nothing is stored', async () => {
    const { org, ctx, agent } = await orgWithAgent()
    const problems: DefinitionProblem[] = [
      { param: 'steps.0.when', message: 'The expression cannot be read', position: 7 },
      { param: 'steps.1.agent_id', message: 'names no agent' },
    ]
    const pipelines = serviceWith(async () => problems)
    const fault = await faultOf(pipelines.create(ctx, bodyOf(agent)))
    expect(fault).toMatchObject({
      code: 'config_invalid',
      param: 'definition.steps.0.when',
      message: 'definition.steps.0.when: The expression cannot be read (position 7)',
      details: [
        { param: 'definition.steps.0.when', message: 'The expression cannot be read (position 7)' },
        { param: 'definition.steps.1.agent_id', message: 'names no agent' },
      ],
    })
    expect(await world.sql('select id from pipelines where org_id = $1', [org])).toEqual([])
    const { problems: checked } = await pipelines.check(ctx, bodyOf(agent))
    expect(checked).toEqual([
      { param: 'definition.steps.0.when', message: 'The expression cannot be read', position: 7 },
      { param: 'definition.steps.1.agent_id', message: 'names no agent', position: null },
    ])
  })

  test('is found by the real check: agents of the organisation, their output fields, and expressions', async () => {
    const { org, ctx, agent } = await orgWithAgent()
    const { agent: foreign } = await orgWithAgent()
    const archived = await world.newAgent(org)
    const schema = { type: 'object', properties: { title: { type: 'string' } }, additionalProperties: false }
    await world.sql('update agents set output_schema = $2 where id = $1', [toUuid(agent), JSON.stringify(schema)])
    await world.sql("update agents set status = 'archived', archived_at = now() where id = $1", [toUuid(archived)])
    const after = { depends_on: ['read'] }
    const definition: CreatePipeline['definition'] = {
      steps: [
        stepOf(agent),
        stepOf(agent, { key: 'good', ...after, input: 'On ${{ steps.read.output.title }}' }),
        stepOf(agent, { key: 'bad', ...after, input: { text: 'On ${{ steps.read.output.titel }}' } }),
        stepOf(foreign, { key: 'foreign' }),
        stepOf(archived, { key: 'old' }),
        { key: 'neither' },
        { key: 'ask', approval: { message: 'Send?', response_schema: { type: 'nothing' } } },
      ],
      output: '${{ steps.old.output.x }} ${{ steps.good.output.other }}',
    }
    const { problems } = await serviceWith(realCheck).check(ctx, { definition })
    const found = problems.map(({ param, position }) => [param, position])
    expect(found).toEqual([
      ['definition.steps.4.agent_id', null],
      ['definition.steps.3.agent_id', null],
      ['definition.steps.5.agent_id', null],
      ['definition.steps.2.input.text', 7],
      ['definition.output', 30],
      ['definition.steps.6.approval.response_schema', null],
    ])
    expect(problems[0]?.message).toBe(`names an archived agent: ${archived}`)
    const fixed = { steps: definition.steps.slice(0, 2) }
    const { body } = await serviceWith(realCheck).create(ctx, bodyOf(agent, { definition: fixed }))
    const refused = await faultOf(serviceWith(realCheck).update(ctx, { id: body.id, definition }))
    expect([refused.code, (await serviceWith().get(ctx, body.id)).version]).toEqual(['config_invalid', 1])
  })

  test('is not checked any further if it is larger than 256 KiB', async () => {
    const { ctx, agent } = await orgWithAgent()
    const definition = { steps: [stepOf(agent, { input: 'x'.repeat(pipelineBounds.definitionBytes) })] }
    const pipelines = serviceWith(() => Promise.reject(new Error('It was checked')))
    const { param, details } = await faultOf(pipelines.create(ctx, bodyOf(agent, { definition })))
    expect([param, details[0]?.message]).toEqual(['definition', expect.stringContaining('at most 262144')])
  })
})

test('the limits of the contract are those of the pure rules', () => {
  const shared = Object.entries(pipelineLimits).filter(([name]) => Object.hasOwn(pipelineBounds, name))
  expect(shared).toHaveLength(9)
  expect(pipelineBounds).toMatchObject(Object.fromEntries(shared))
})

describe('update', () => {
  test('another name, description or definition is a new version; metadata is not', async () => {
    const { org, ctx, agent, pipelines, pipeline } = await setUp()
    const { id } = pipeline
    const labelled = await pipelines.update(ctx, { id, metadata: { team: 'mail' } })
    expect(labelled).toMatchObject({ version: 1, metadata: { team: 'mail' } })
    const named = await pipelines.update(ctx, { id, name: 'Mail', metadata: { team: null, owner: 'Ada' } })
    expect(named).toMatchObject({
      version: 2,
      name: 'Mail',
      metadata: { owner: 'Ada' },
      definition: pipeline.definition,
    })
    expect(await pipelines.update(ctx, { id, description: 'Writes.' })).toMatchObject({ version: 3 })
    const steps = [stepOf(agent, { timeout_seconds: 60 })]
    expect(await pipelines.update(ctx, { id, definition: { steps } })).toMatchObject({
      version: 4,
      definition: { steps },
    })
    const diff = await pipelines.diff(ctx, { id, version: 3, to: 4 })
    expect(diff).toMatchObject({ object: 'pipeline_diff', pipeline_id: id, from: 3, to: 4 })
    expect(diff.changes.map(({ path }) => path)).toEqual([
      'definition.steps.read.input',
      'definition.steps.read.timeout_seconds',
    ])
    const audit = await auditOf(org)
    expect(audit.slice(1).map(({ after }) => after)).toEqual([
      { version: 1, changed: ['metadata'] },
      { version: 2, changed: ['name', 'metadata'] },
      { version: 3, changed: ['description'] },
      { version: 4, changed: ['definition.steps.read'] },
    ])
  })

  test('a request that changes nothing makes no version and no entry of the audit log', async () => {
    const { org, ctx, agent, pipelines, pipeline } = await setUp()
    const reordered = { steps: [{ input: { text: '${{ input.text }}' }, agent_id: agent, key: 'read' }] }
    const same = await pipelines.update(ctx, { id: pipeline.id, name: 'Letters', definition: reordered, metadata: {} })
    expect(same).toEqual(pipeline)
    expect(await auditOf(org)).toHaveLength(1)
  })

  test('two callers at once both get a version, and neither change is lost', async () => {
    const { ctx, agent, pipelines, pipeline } = await setUp()
    const { id } = pipeline
    const steps = [stepOf(agent, { timeout_seconds: 5 })]
    const changes = [{ name: 'Mail' }, { description: 'Writes.' }, { definition: { steps } }, { name: 'Post' }]
    const changed = await Promise.all(changes.map((change) => pipelines.update(ctx, { id, ...change })))
    expect(changed.map(({ version }) => version).sort()).toEqual([2, 3, 4, 5])
    const now = await pipelines.get(ctx, id)
    expect(now).toMatchObject({ version: 5, description: 'Writes.', definition: { steps } })
    const names = (await pipelines.versions(ctx, { id })).data.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['Letters', 'Mail', 'Post']))
  })

  test('a change that is based on an older version is refused, with one winner', async () => {
    const { ctx, pipelines, pipeline } = await setUp()
    const { id } = pipeline
    const asked = ['Mail', 'Post'].map((name) => pipelines.update(ctx, { id, version: 1, name }))
    const results = await Promise.allSettled(asked)
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const lost = results.find((each) => each.status === 'rejected')
    expect(lost?.reason).toMatchObject({ code: 'version_conflict', param: 'version' })
    expect((await pipelines.get(ctx, id)).version).toBe(2)
  })

  test('metadata has at most 16 keys after the merge', async () => {
    const { ctx, pipelines, pipeline } = await setUp()
    const pairs = (from: number) => Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`k${from + n}`, 'v']))
    await pipelines.update(ctx, { id: pipeline.id, metadata: pairs(0) })
    const fault = await faultOf(pipelines.update(ctx, { id: pipeline.id, metadata: pairs(9) }))
    expect([fault.code, fault.param]).toEqual(['config_invalid', 'metadata'])
  })

  test('a pipeline has at most 10,000 versions', async () => {
    const { ctx, pipelines, pipeline } = await setUp()
    const uuid = toUuid(pipeline.id)
    await world.sql('update pipelines set version = $2 where id = $1', [uuid, pipelineBounds.versionsPerPipeline])
    await world.sql('update pipeline_versions set version = $2 where pipeline_id = $1', [
      uuid,
      pipelineBounds.versionsPerPipeline,
    ])
    expect((await faultOf(pipelines.update(ctx, { id: pipeline.id, name: 'Mail' }))).code).toBe('limit_reached')
  })
})

test('an archived pipeline is kept and listed, and takes no changes until it is unarchived', async () => {
  const { org, ctx, pipelines, pipeline } = await setUp()
  const { id } = pipeline
  const archived = await pipelines.archive(ctx, id)
  expect(archived).toMatchObject({ status: 'archived', archived_at: expect.any(String) })
  expect(await pipelines.archive(ctx, id)).toEqual(archived)
  const { definition } = pipeline
  for (const change of [{ name: 'Mail' }, { definition }])
    expect((await faultOf(pipelines.update(ctx, { id, ...change }))).message).toBe(`Pipeline ${id} is archived`)
  expect((await pipelines.list(ctx, { status: ['archived'] })).data).toEqual([archived])
  expect((await pipelines.list(ctx, { status: ['active'] })).data).toEqual([])
  const active = await pipelines.unarchive(ctx, id)
  expect(active).toMatchObject({ status: 'active', archived_at: null, version: 1 })
  expect(await pipelines.unarchive(ctx, id)).toEqual(active)
  const actions = (await auditOf(org)).map(({ action }) => action)
  expect(actions).toEqual(['pipeline.created', 'pipeline.archived', 'pipeline.unarchived'])
})

test('lists are paged newest first and find a text in name or description', async () => {
  const { ctx, agent } = await orgWithAgent()
  const pipelines = serviceWith()
  const ids: PipelineId[] = []
  for (const name of ['one', 'two', '100 % three'])
    ids.push((await pipelines.create(ctx, bodyOf(agent, { name, description: `About ${name}` }))).body.id)
  const [one, two, three] = ids as [PipelineId, PipelineId, PipelineId]
  const idsOf = async (page: Parameters<typeof pipelines.list>[1]) => {
    const { data, has_more } = await pipelines.list(ctx, page)
    return [data.map(({ id }) => id), has_more]
  }
  expect(await idsOf({ limit: 2 })).toEqual([[three, two], true])
  expect(await idsOf({ limit: 2, after: two })).toEqual([[one], false])
  expect(await idsOf({ limit: 1, before: one })).toEqual([[two], true])
  expect(await idsOf({ q: 'ABOUT T' })).toEqual([[two], false])
  expect(await idsOf({ q: '0 % t' })).toEqual([[three], false])
})

test('a page of versions ends early by bytes, and its cursor is a version number', async () => {
  const { ctx, agent, pipelines, pipeline } = await setUp()
  const { id } = pipeline
  for (let n = 0; n < 10; n++) {
    const input = `${n}${'x'.repeat(250_000)}`
    await pipelines.update(ctx, { id, definition: { steps: [stepOf(agent, { input })] } })
  }
  const first = await pipelines.versions(ctx, { id, limit: 100 })
  expect([first.has_more, first.first_id]).toEqual([true, '11'])
  expect(first.data.length).toBeLessThan(11)
  const rest = await pipelines.versions(ctx, { id, after: Number(first.last_id) })
  expect([...first.data, ...rest.data].map(({ version }) => version)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
  const newer = await pipelines.versions(ctx, { id, before: 1, limit: 1 })
  expect(newer.data.map(({ version }) => version)).toEqual([2])
  expect((await faultOf(pipelines.version(ctx, { id, version: 12 }))).message).toBe(`Pipeline ${id} has no version 12`)
  expect(await pipelines.version(ctx, { id, version: 1 })).toMatchObject({ definition: pipeline.definition })
})

test('a pipeline of another organisation does not exist', async () => {
  const { pipelines, pipeline } = await setUp()
  const { ctx: other, org } = await orgWithAgent()
  const { id } = pipeline
  const asked = [
    pipelines.get(other, id),
    pipelines.update(other, { id, name: 'Mine' }),
    pipelines.update(other, { id, definition: pipeline.definition }),
    pipelines.archive(other, id),
    pipelines.unarchive(other, id),
    pipelines.versions(other, { id }),
    pipelines.version(other, { id, version: 1 }),
    pipelines.diff(other, { id, version: 1, to: 1 }),
    pipelines.get(other, fromUuid('pl', org)),
  ]
  const codes = await Promise.all(asked.map(async (each) => (await faultOf(each)).code))
  expect(new Set(codes)).toEqual(new Set(['not_found']))
  expect((await pipelines.list(other, {})).data).toEqual([])
})
