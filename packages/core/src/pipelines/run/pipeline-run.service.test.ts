import { limits, type PipelineId, type PipelineRunId, pipelineRunBounds } from '@ars/contract'
import { systemClock } from '@ars/platform/clock'
import { openDatabase } from '@ars/platform/db/database'
import { createIdMaker, fromUuid, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { testRequest } from '@ars/testkit/caller'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPipelineWorld, type PipelineWorld, type Planned } from '../../../test/pipeline-world.ts'
import { unguardedTexts } from '../../../test/unguarded-texts.ts'
import type { Ctx } from '../../ctx.ts'
import { createEvents } from '../../events/index.ts'
import { eraseRunData } from '../../runs/run/erase.store.ts'
import { createPipelineReader } from './pipeline-reader.service.ts'
import { createPipelineRuns, type PipelineRunService } from './pipeline-run.service.ts'
import { lockStarts } from './pipeline-run.store.ts'
import { createPipelineRunView } from './pipeline-run-view.service.ts'

const newId = createIdMaker(systemClock)
let world: PipelineWorld
let service: PipelineRunService

beforeAll(async () => {
  world = await openPipelineWorld()
  service = createPipelineRuns(parts())
})
afterAll(() => world.close())

const parts = (): Parameters<typeof createPipelineRuns>[0] => ({
  app: world.app,
  view: createPipelineRunView({ app: world.app, actionsOfRuns: async () => new Map() }),
  newId,
  texts: unguardedTexts,
  storageLimits: {},
  pubSub: { publish: () => undefined },
  checkPayload: async (_, schema, payload) =>
    typeof payload === schema.type ? [] : [{ param: 'payload', message: 'payload is of another type.' }],
  eraseRun: (org, id) => eraseRunData(world.app, org, id),
})

const ctxOf = (org: string, over: Partial<Ctx> = {}): Ctx => ({ ...testRequest(org), ...over })

/** A pipeline, of which one pipeline run has ended. */
const newPipeline = async (definition: Planned, input?: unknown) => {
  const planted = await world.newRun(definition, { input })
  const [row] = await world.sql<{ pipeline_id: string }>('select pipeline_id from pipeline_runs where id = $1', [
    planted.id,
  ])
  return { ...planted, pipelineId: fromUuid('pl', row?.pipeline_id ?? ''), runId: fromUuid('plr', planted.id) }
}

const two: Planned = {
  steps: [
    { key: 'a', input: { x: '${{ input.x }}' } },
    { key: 'b', depends_on: ['a'], input: { a: '${{ steps.a.output.x }}' } },
  ],
}

test('a pipeline run is created once for an idempotency key, and shows how far its steps are', async () => {
  const { org, pipelineId } = await newPipeline(two)
  await world.finish()
  const ctx = ctxOf(org, { idempotencyKey: 'once' })
  const body = { id: pipelineId, input: { x: 1 }, metadata: { customer: 'acme' } }
  const { body: run, headers } = await service.create(ctx, body)
  expect(headers?.location).toBe(`/v2/pipeline-runs/${run.id}`)
  expect(run).toMatchObject({ status: 'running', input: { x: 1 }, output: null, metadata: { customer: 'acme' } })
  expect(run.steps.map(({ status }) => status)).toEqual(['pending', 'pending'])
  expect((await service.create(ctx, body)).body.id).toBe(run.id)
  await expect(service.create(ctx, { ...body, input: {} })).rejects.toMatchObject({ code: 'idempotency_key_reused' })
  await world.advance()
  expect((await service.get(ctx, run.id)).steps).toMatchObject([
    {
      key: 'a',
      status: 'running',
      items: { total: 1, completed: 0, failed: 0, running: 1 },
      run_id: expect.stringMatching(/^run_/),
    },
    { key: 'b', status: 'pending', run_id: null },
  ])
  await world.finish(({ input }) => ({ output: input }))
  expect(await service.get(ctx, run.id)).toMatchObject({
    status: 'completed',
    output: { b: { a: 1 } },
    tokens_used: 6,
    cost_usd: 1,
  })
  expect(
    (await service.list(ctx, { pipeline_id: pipelineId, status: ['completed'], limit: 1 })).data.map(({ id }) => id),
  ).toEqual([run.id])
  expect((await service.list(ctx, { status: ['running'] })).data).toEqual([])
})

test('the event of an ended pipeline run has the whole pipeline run', async () => {
  const { org, runId, id } = await newPipeline(two, { x: 2 })
  await world.finish(({ input }) => ({ output: input }))
  const events = createEvents({
    ...{ app: world.app, feedReads: world.app, clock: systemClock, log: world.log },
    pubSub: { publish: () => undefined, subscribe: async () => undefined, unsubscribe: () => undefined } as never,
    readRuns: async () => new Map(),
    readPipelineRuns: createPipelineReader({ app: world.app }),
  })
  const [event] = await world.sql<{ id: string }>('select id from events where subject_id = $1', [id])
  const body = JSON.parse((await events.bodyOf(org, event?.id ?? '')) ?? 'null')
  expect(body).toMatchObject({
    type: 'pipeline.completed',
    data: { id: runId, status: 'completed', output: { b: { a: 2 } } },
  })
  expect(body.data).toEqual(await service.get(ctxOf(org), runId))
  events.close()
})

test('a pipeline that does not exist, is archived or uses other agents starts nothing', async () => {
  const { org, pipelineId, runId } = await newPipeline(two)
  await world.finish()
  const start = (over: Partial<Ctx> = {}, id: PipelineId = pipelineId) => service.create(ctxOf(org, over), { id })
  await expect(start({}, newId('pl'))).rejects.toMatchObject({ code: 'not_found' })
  await expect(start({ agentIds: new Set([toUuid(newId('ag'))]) })).rejects.toMatchObject({ code: 'forbidden' })
  await world.sql(`update pipelines set status = 'archived', archived_at = app_now() where org_id = $1`, [org])
  await expect(start()).rejects.toMatchObject({ code: 'pipeline_archived' })
  const again = service.rerun(ctxOf(org), { id: runId, from_step: 'b' })
  await expect(again).rejects.toMatchObject({ code: 'pipeline_archived' })
})

test('a token sees the pipeline runs that it created only, and a narrowed key those of its agents', async () => {
  const { org, pipelineId, agentId, runId } = await newPipeline(two)
  await world.finish()
  const ours = ctxOf(org, { runOwner: toUuid(newId('run')) })
  const { body } = await service.create(ours, { id: pipelineId })
  expect((await service.list(ours, {})).data.map(({ id }) => id)).toEqual([body.id])
  await expect(service.get(ours, runId)).rejects.toMatchObject({ code: 'forbidden' })
  const narrowed = ctxOf(org, { agentIds: new Set([toUuid(newId('ag'))]) })
  await expect(service.get(narrowed, runId)).rejects.toMatchObject({ code: 'forbidden' })
  expect((await service.list(narrowed, {})).data).toEqual([])
  expect((await service.list(ctxOf(org, { agentIds: new Set([toUuid(agentId as 'ag_')]) }), {})).data).toHaveLength(2)
  await world.finish()
})

test('the items of a step are listed in pages, with their last attempts', async () => {
  const { org, runId } = await newPipeline(
    {
      steps: [
        {
          key: 'each',
          for_each: 'input.list',
          on_item_error: 'continue',
          retry: { attempts: 2, on: ['model_failed'] },
        },
      ],
    },
    { list: [1, 2, 3] },
  )
  const ctx = ctxOf(org)
  await world.advance()
  await world.endRuns(({ item }) => {
    if (item === 0) return { output: {} }
    return item === 1 ? { code: 'model_failed' } : 'goes on'
  })
  const first = await service.items(ctx, { id: runId, key: 'each', limit: 2 })
  expect(first).toMatchObject({
    items: [{ item: 0 }, { item: 1, status: 'waiting', error: { code: 'model_failed' } }],
    hasMore: true,
  })
  expect(first.items[1]?.retry_at).not.toBeNull()
  const last = await service.items(ctx, { id: runId, key: 'each', after: 1 })
  expect(last).toMatchObject({ items: [{ item: 2, status: 'running', retry_at: null }], hasMore: false })
  expect((await service.items(ctx, { id: runId, key: 'each', before: 2, limit: 1 })).items).toMatchObject([{ item: 1 }])
  await world.advance()
  await world.moveClock(1_100)
  await world.finish(() => ({ code: 'model_failed' }))
  await world.moveClock(1_100)
  await world.finish(() => ({ code: 'model_failed' }))
  expect((await service.items(ctx, { id: runId, key: 'each' })).items).toMatchObject([
    { item: 0, attempt: 1, status: 'completed', error: null },
    { item: 1, attempt: 2, status: 'failed', error: { code: 'model_failed', message: 'As asked' } },
    { item: 2, attempt: 2, status: 'failed' },
  ])
  expect((await service.get(ctx, runId)).steps).toMatchObject([
    { items: { total: 3, completed: 1, failed: 2, running: 0 } },
  ])
  await expect(service.items(ctx, { id: runId, key: 'none' })).rejects.toMatchObject({ code: 'not_found' })
})

test('the limit of active pipeline runs holds for requests at the same moment', async () => {
  const { org, pipelineId } = await newPipeline(two)
  await world.finish()
  const { activePerOrganisation: max } = pipelineRunBounds
  await world.sql(
    `insert into pipeline_heads (pipeline_run_id, org_id, pipeline_id, deadline_at, due_at)
     select gen_random_uuid(), $1, $2, app_now() + interval '1 hour', app_now() + interval '1 hour' from generate_series(1, $3::integer)`,
    [org, toUuid(pipelineId), max - 2],
  )
  const asked = await Promise.allSettled(
    Array.from({ length: 6 }, () => service.create(ctxOf(org), { id: pipelineId })),
  )
  expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  expect(asked.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'limit_reached' } })
  await world.sql('delete from pipeline_heads where org_id = $1', [org])
})

test('starts that wait for one of their organisation leave connections to others', async () => {
  const [{ org, pipelineId }, other] = [await newPipeline(two), await newPipeline(two)]
  await world.finish()
  const app = openDatabase({
    url: world.database.appUrl,
    name: 'small',
    size: 3,
    log: createLog({ level: 'silent' }),
    acquireTimeoutMs: 30_000,
  })
  const small = createPipelineRuns({ ...parts(), app })
  const [locked, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holder = world.app.transaction(org, async (tx) => {
    await lockStarts(tx, org, { max: 1, storageLimits: {} })
    locked.resolve()
    await end.promise
  })
  await locked.promise
  const starts = Array.from({ length: 8 }, () => small.create(ctxOf(org), { id: pipelineId }))
  const waiting = () => world.sql('select from pg_locks where locktype = $1 and not granted', ['advisory'])
  await expect.poll(async () => (await waiting()).length).toBeGreaterThan(0)
  for (let n = 0; n < 10; n++) await small.get(ctxOf(other.org), other.runId)
  expect(await small.create(ctxOf(other.org), { id: other.pipelineId })).toMatchObject({ body: { status: 'running' } })
  expect(await waiting()).toHaveLength(1)
  end.resolve()
  await Promise.all([holder, ...starts])
  await app.close()
})

test('the diagnosis says whether workers have it, its organisation uses its share, or it made no progress', async () => {
  const { org, pipelineId } = await newPipeline(two)
  await world.finish()
  const ctx = ctxOf(org)
  const ids: PipelineRunId[] = []
  for (let n = 0; n < 3; n++) ids.push((await service.create(ctx, { id: pipelineId })).body.id)
  const [held, first, last] = ids as [PipelineRunId, PipelineRunId, PipelineRunId]
  const set = (id: PipelineRunId, columns: string) =>
    world.sql(`update pipeline_heads set ${columns} where pipeline_run_id = $1`, [toUuid(id)])
  const lease = `held_until = app_now() + interval '30 seconds', due_at = app_now() + interval '30 seconds'`
  await set(held, lease)
  await set(first, `due_at = app_now() - interval '3 seconds'`)
  await set(last, `due_at = app_now() - interval '1 second'`)
  expect(await service.diagnose(ctx, held)).toMatchObject({
    waiting_for: 'worker',
    message: 'A worker advances it now.',
  })
  expect(await service.diagnose(ctx, last)).toMatchObject({
    waiting_for: 'worker',
    message: 'It waits for its turn: workers advance 1 of your pipeline runs now, and 1 are due before this one.',
  })
  await set(first, lease)
  expect(await service.diagnose(ctx, last)).toMatchObject({
    waiting_for: 'share',
    message:
      'The share of your organisation is in use: workers advance 2 of your pipeline runs now, and 0 are due before this one.',
  })
  await set(last, `due_at = app_now() + interval '8 seconds', tries = 4`)
  expect(await service.diagnose(ctx, last)).toMatchObject({
    waiting_for: 'retry',
    retry_at: expect.any(String),
    message: expect.stringMatching(
      /^Its last 4 turns made no progress\. It is tried again at .+; after 5 it fails with no_progress\.$/,
    ),
  })
  // A narrowed key, and one that sees what it created only, get counts of what they see.
  const [row] = await world.sql<{ definition: { steps: { agent_id: string }[] } }>(
    'select definition from pipeline_versions where pipeline_id = $1',
    [toUuid(pipelineId)],
  )
  const agentIds = new Set(row?.definition.steps.map(({ agent_id }) => toUuid(agent_id as 'ag_')))
  await set(first, `held_until = null, due_at = app_now() - interval '3 seconds'`)
  await set(last, `due_at = app_now() - interval '1 second', tries = 0`)
  const foreign = await newPipeline(two)
  await world.sql('update pipeline_heads set org_id = $1 where pipeline_run_id = $2', [org, foreign.id])
  await world.sql('update pipeline_runs set org_id = $1 where id = $2', [org, foreign.id])
  await world.sql('update pipeline_versions set org_id = $1 where pipeline_id = $2', [org, toUuid(foreign.pipelineId)])
  await set(foreign.runId, lease)
  const of = (numbers: string) =>
    `The share of your organisation is in use: workers advance ${numbers} are due before this one.`
  expect((await service.diagnose(ctx, last)).message).toBe(of('2 of your pipeline runs now, and 1'))
  expect((await service.diagnose(ctxOf(org, { agentIds }), last)).message).toBe(
    of('1 of the pipeline runs that you see now, and 1'),
  )
  const owner = toUuid(newId('key'))
  await world.sql('update pipeline_runs set owner_id = $1 where id = $2', [owner, toUuid(last)])
  expect((await service.diagnose(ctxOf(org, { runOwner: owner }), last)).message).toBe(
    of('0 of the pipeline runs that you see now, and 0'),
  )
  // What others use is not shown.
  const other = await newPipeline(two)
  expect((await service.diagnose(ctxOf(other.org), other.runId)).message).toMatch(/advance 0 of your .* and 0 are due/)
  await world.sql('delete from pipeline_heads where org_id = any ($1)', [[org, other.org]])
})

test('a page of large pipeline runs ends early', async () => {
  const { org, pipelineId } = await newPipeline(two)
  await world.finish()
  const ctx = ctxOf(org)
  const input = { text: 'x'.repeat(600_000) }
  const ids: string[] = []
  const pages = Math.ceil(limits.pageBytes / 600_000) + 1
  for (let made = 0; made < pages; made++) ids.unshift((await service.create(ctx, { id: pipelineId, input })).body.id)
  const first = await service.list(ctx, { limit: 100 })
  expect(first.data.length).toBeLessThan(pages)
  expect(first.has_more).toBe(true)
  const rest = await service.list(ctx, { limit: 100, after: first.data.at(-1)?.id })
  expect([...first.data, ...rest.data].map(({ id }) => id).slice(0, pages)).toEqual(ids)
  await world.sql('delete from pipeline_heads where org_id = $1', [org])
})

test('bytes are stored with a pipeline run, with its lists at its end, and are gone after an erasure', async () => {
  const { org, runId, id } = await newPipeline(
    { steps: [{ key: 'each', for_each: 'input.list' }] },
    { list: ['y'.repeat(10_000)] },
  )
  const bytes = async () =>
    Number(
      (await world.sql<{ bytes: string }>('select stored_bytes as bytes from pipeline_runs where id = $1', [id]))[0]
        ?.bytes,
    )
  await world.finish()
  expect(await bytes()).toBeGreaterThan(20_000)
  await service.erase(ctxOf(org), runId)
  expect(await bytes()).toBe(0)
})

test('a cancel is idempotent, and one of an ended pipeline run changes nothing', async () => {
  const { org, runId } = await newPipeline(two)
  await world.advance()
  expect((await service.cancel(ctxOf(org), runId)).status).toBe('cancelling')
  expect((await service.cancel(ctxOf(org), runId)).status).toBe('cancelling')
  await world.advance()
  await world.wake()
  await world.advance()
  expect((await service.cancel(ctxOf(org), runId)).status).toBe('cancelled')
})

const asking: Planned = {
  steps: [
    {
      key: 'ask',
      approval: { message: 'Pay ${{ input.sum }}?', response_schema: { type: 'string' } },
      timeout_seconds: 60,
    },
    { key: 'pay', depends_on: ['ask'], input: { answer: '${{ steps.ask.output }}' } },
  ],
}

test('an approval needs a payload that fits, is decided once, and its output is payload and comment', async () => {
  const { org, runId } = await newPipeline(asking, { sum: 5 })
  const ctx = ctxOf(org)
  await expect(service.act(ctx, { id: runId, type: 'approve' })).rejects.toMatchObject({ code: 'no_open_action' })
  await world.advance()
  const { required_actions: open } = await service.get(ctx, runId)
  expect((await service.list(ctx, {})).data.find(({ id }) => id === runId)?.required_actions).toEqual(open)
  expect(open).toMatchObject([{ id: 'ask', message: 'Pay 5?', step: 'ask', run_id: null }])
  expect(await service.diagnose(ctx, runId)).toMatchObject({
    waiting_for: 'action',
    steps: ['ask'],
    action_ids: ['ask'],
  })
  await expect(service.act(ctx, { id: runId, type: 'approve', payload: 1 })).rejects.toMatchObject({
    code: 'payload_invalid',
  })
  const yes = { id: runId, type: 'approve', payload: 'yes', comment: 'fine' } as const
  expect((await service.act(ctx, yes)).body.required_actions).toEqual([])
  expect((await service.act(ctx, { ...yes, action_id: 'ask' })).body.id).toBe(runId)
  await expect(service.act(ctx, { id: runId, type: 'reject', action_id: 'ask' })).rejects.toMatchObject({
    code: 'action_already_resolved',
  })
  const inputs: unknown[] = []
  await world.finish(({ input }) => {
    inputs.push(input)
    return { output: {} }
  })
  expect(inputs).toEqual([{ answer: { payload: 'yes', comment: 'fine' } }])
  expect((await service.get(ctx, runId)).status).toBe('completed')
  await expect(service.act(ctx, yes)).rejects.toMatchObject({ code: 'run_not_active' })
})

test('a rejected approval fails its step', async () => {
  const { org, runId } = await newPipeline(asking, { sum: 5 })
  await world.advance()
  await service.act(ctxOf(org), { id: runId, type: 'reject', comment: 'too much' })
  await world.finish()
  expect(await service.get(ctxOf(org), runId)).toMatchObject({
    status: 'failed',
    error: { code: 'approval_rejected', step: 'ask' },
  })
})

test('a rerun keeps the outputs before from_step and runs the rest again', async () => {
  const { org, runId } = await newPipeline(two, { x: 3 })
  const ctx = ctxOf(org)
  await world.advance()
  await expect(service.rerun(ctx, { id: runId, from_step: 'b' })).rejects.toMatchObject({ code: 'run_not_ended' })
  await world.finish(({ step, input }) => (step === 'b' ? { code: 'model_failed' } : { output: input }))
  expect((await service.get(ctx, runId)).error).toEqual({ code: 'model_failed', message: 'As asked', step: 'b' })
  await expect(service.rerun(ctx, { id: runId, from_step: 'none' })).rejects.toMatchObject({ code: 'input_invalid' })
  const { body } = await service.rerun(ctx, { id: runId, from_step: 'b' })
  expect(body).toMatchObject({
    rerun_of: runId,
    from_step: 'b',
    steps: [
      { key: 'a', status: 'completed' },
      { key: 'b', status: 'pending' },
    ],
  })
  const begun: unknown[] = []
  await world.finish(({ step, input }) => {
    begun.push([step, input])
    return { output: input }
  })
  expect(begun).toEqual([['b', { a: 3 }]])
  expect(await service.get(ctx, body.id)).toMatchObject({
    status: 'completed',
    output: { b: { a: 3 } },
    tokens_used: 3,
  })
})

test('erasing removes input, output, lists, questions and the data of the runs, and a rerun is refused after it', async () => {
  const { org, id, runId } = await newPipeline(
    {
      steps: [
        { key: 'each', for_each: 'input.list', input: { secret: '${{ item }}' } },
        { key: 'ask', approval: { message: 'For ${{ input.list }}?' } },
        { key: 'last', depends_on: ['each', 'ask'], input: { all: '${{ steps.each.output }}' } },
      ],
    },
    { list: ['leak-marker', 'leak-marker'] },
  )
  const ctx = ctxOf(org)
  await world.advance()
  await expect(service.erase(ctx, runId)).rejects.toMatchObject({ code: 'run_not_ended' })
  await service.act(ctx, { id: runId, type: 'approve', payload: 'leak-marker', comment: 'leak-marker' })
  await world.finish(({ input }) => ({ output: input }))
  expect(await service.erase(ctx, runId)).toMatchObject({
    status: 'completed',
    input: {},
    output: null,
    erased_at: expect.any(String),
  })
  for (const table of [
    'pipeline_runs',
    'pipeline_steps',
    'pipeline_items',
    'runs',
    'run_results',
    'events',
    'event_bodies',
  ]) {
    const rows = await world.sql<{ row: string }>(`select t::text as row from ${table} t where org_id = $1`, [org])
    expect([table, rows.filter(({ row }) => row.includes('leak-marker'))]).toEqual([table, []])
  }
  expect(await world.itemsOf(id)).toHaveLength(4)
  await expect(service.rerun(ctx, { id: runId, from_step: 'last' })).rejects.toMatchObject({
    code: 'input_invalid',
    param: 'from_step',
  })
})

test('a rerun is refused if the output of a run that it would reuse was erased', async () => {
  const { org, id, runId } = await newPipeline(two, { x: 3 })
  await world.finish(({ input }) => ({ output: input }))
  const [item] = await world.itemsOf(id)
  await eraseRunData(world.app, org, item?.run_id ?? '')
  await expect(service.rerun(ctxOf(org), { id: runId, from_step: 'b' })).rejects.toMatchObject({
    code: 'input_invalid',
  })
})

test('an organisation has at most 1,000 pipeline runs that have not ended', async () => {
  const { org, pipelineId } = await newPipeline(two)
  await world.sql(
    `insert into pipeline_heads (pipeline_run_id, org_id, pipeline_id, deadline_at, due_at)
     select gen_random_uuid(), $1, $2, app_now() + interval '1 day', app_now() + interval '1 day' from generate_series(1, 999)`,
    [org, toUuid(pipelineId)],
  )
  await expect(service.create(ctxOf(org), { id: pipelineId })).rejects.toMatchObject({ code: 'limit_reached' })
})
