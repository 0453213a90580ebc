import { PipelineRunFrame } from '@ars/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type CallOptions, sharedApp, type Tenant, until } from './app.ts'
import { holdHttp1, parseFrames, readStream } from './event-stream.ts'

let app: App
let tenant: Tenant

beforeAll(async () => {
  app = await sharedApp()
  tenant = await app.addTenant()
})
afterAll(() => app.stop())

const call = (method: string, path: string, body?: unknown, options: CallOptions = {}) =>
  app.call(method, `/v2${path}`, { key: tenant.key, ...(body === undefined ? {} : { body }), ...options })

/** The body of a response that must be a success. */
const made = async (asked: ReturnType<typeof call>) => {
  const { status, body } = await asked
  expect(status, JSON.stringify(body)).toBeLessThan(300)
  return body
}

const echo = () => tenant.agents['test-echo'] as string

/** The first pipeline of a process starts the threads that check it: a busy machine may answer 503 meanwhile. */
const newPipeline = async (steps: readonly object[], more: object = {}): Promise<string> => {
  const reply = await until('an answer other than 503', async () => {
    const answer = await call('POST', '/pipelines', { name: 'Test', definition: { steps, ...more } })
    return answer.status !== 503 && answer
  })
  return (await made(Promise.resolve(reply))).id
}

const startRun = async (pipeline: string, body: object = {}) => made(call('POST', `/pipelines/${pipeline}/runs`, body))

const runOf = (id: string) => made(call('GET', `/pipeline-runs/${id}`))

const untilStatus = async (id: string, status: string) => {
  await expect.poll(async () => (await runOf(id)).status, { timeout: 120_000, interval: 250 }).toBe(status)
  return runOf(id)
}

/** What a client knows to be asked: by the snapshot, or by an event if the stream was opened before the question. */
const askedIn = (text: string) =>
  parseFrames(text).flatMap(({ data }) => data.required_actions ?? data.pipeline_run?.required_actions ?? [])

const watch = (id: string, headers: Record<string, string> = {}, key = tenant.key) =>
  readStream(`${app.url}/v2/pipeline-runs/${id}/stream`, { key, headers })

/** The steps as a client knows them that applies the frames to the snapshot. */
const appliedSteps = (frames: readonly { data: { [name: string]: unknown } }[]): unknown[] => {
  const steps = new Map<string, { key: string }>()
  for (const { data } of frames) {
    const { pipeline_run: run, step } = data as { pipeline_run?: { steps: { key: string }[] }; step?: { key: string } }
    if (data.type === 'pipeline_run.snapshot') for (const each of run?.steps ?? []) steps.set(each.key, each)
    if (step) steps.set(step.key, step)
  }
  return [...steps.values()]
}

test('the steps of a pipeline run are runs, its stream tells each change, and its end is an event', async () => {
  const id = await newPipeline(
    [
      { key: 'first', agent_id: echo(), input: { query: '${{ input.word }}' } },
      {
        key: 'second',
        agent_id: echo(),
        depends_on: ['first'],
        when: 'steps.first.status == "completed"',
        for_each: '["x", "y"]',
        max_parallel: 1,
        input: { query: 'after ${{ steps.first.status }}: ${{ item }}' },
      },
    ],
    { output: { last: '${{ steps.second.status }}' } },
  )
  const { status, headers, body } = await call(
    'POST',
    `/pipelines/${id}/runs`,
    { input: { word: 'hello' }, metadata: { customer: 'acme' } },
    { headers: { 'idempotency-key': 'first' } },
  )
  expect([status, headers.location]).toEqual([201, `/v2/pipeline-runs/${body.id}`])
  expect(body).toMatchObject({ object: 'pipeline_run', status: 'running', metadata: { customer: 'acme' } })

  const { frames, how, headers: streamHeaders } = await watch(body.id)
  expect([how, streamHeaders['content-type']]).toEqual(['end', 'text/event-stream'])
  expect(frames.map((frame) => frame.id)).toEqual(frames.map((_, at) => at + 1))
  for (const { event, data } of frames) {
    expect(PipelineRunFrame.safeParse(data).error).toBeUndefined()
    expect([data.type, data.pipeline_run_id]).toEqual([event, body.id])
  }
  const ended = await runOf(body.id)
  expect(ended).toMatchObject({ status: 'completed', output: { last: 'completed' }, input: { word: 'hello' } })
  expect(frames[0]?.event).toBe('pipeline_run.snapshot')
  expect(frames.at(-1)).toMatchObject({ event: 'pipeline_run.completed', data: { pipeline_run: ended } })
  expect(appliedSteps(frames)).toEqual(ended.steps)

  const again = await watch(body.id, { 'last-event-id': '41' })
  expect(again.frames.map((frame) => [frame.id, frame.event])).toEqual([
    [42, 'pipeline_run.snapshot'],
    [43, 'pipeline_run.completed'],
  ])

  const runs = await made(call('GET', `/runs?pipeline_run_id=${body.id}`))
  expect(runs.data.map(({ input }: { input: { query: string } }) => input.query)).toEqual([
    'after completed: y',
    'after completed: x',
    'hello',
  ])
  expect(ended.steps).toMatchObject([
    { key: 'first', status: 'completed', run_id: runs.data[2].id },
    { key: 'second', status: 'completed', items: { total: 2, completed: 2, failed: 0, running: 0 } },
  ])
  const items = await made(call('GET', `/pipeline-runs/${body.id}/steps/second/items?limit=1`))
  expect(items).toMatchObject({ data: [{ item: 0, status: 'completed' }], has_more: true, first_id: '0', last_id: '0' })
  const rest = await made(call('GET', `/pipeline-runs/${body.id}/steps/second/items?after=0`))
  expect(rest).toMatchObject({ data: [{ item: 1 }], has_more: false })

  const events = await made(call('GET', '/events?type=pipeline.completed'))
  expect(events.data.map(({ data }: { data: object }) => data)).toEqual([ended])
  const list = await made(call('GET', `/pipeline-runs?pipeline_id=${id}&status=completed`))
  expect(list.data.map((each: { id: string }) => each.id)).toEqual([body.id])

  const replay = await call(
    'POST',
    `/pipelines/${id}/runs`,
    { input: { word: 'hello' }, metadata: { customer: 'acme' } },
    { headers: { 'idempotency-key': 'first' } },
  )
  expect([replay.body.id, replay.headers['idempotency-replayed']]).toEqual([body.id, 'true'])
}, 180_000)

test('an approval waits for a person, and the stream tells the question and the decision', async () => {
  const id = await newPipeline([
    {
      key: 'ask',
      approval: { message: 'Publish ${{ input.word }}?', response_schema: { type: 'object', required: ['reason'] } },
    },
    {
      key: 'publish',
      agent_id: echo(),
      depends_on: ['ask'],
      input: { query: '${{ steps.ask.output.payload.reason }}' },
    },
  ])
  const { id: runId } = await startRun(id, { input: { word: 'it' } })
  const client = await holdHttp1(app.url, { key: tenant.key, path: `/v2/pipeline-runs/${runId}/stream` })
  await expect
    .poll(() => askedIn(client.text()), { timeout: 120_000 })
    .toMatchObject([{ id: 'ask', type: 'approval', message: 'Publish it?', step: 'ask', item: 0, run_id: null }])
  expect(await made(call('GET', `/pipeline-runs/${runId}/diagnosis`))).toMatchObject({
    waiting_for: 'action',
    steps: ['ask'],
    action_ids: ['ask'],
  })
  const act = (body: object, options?: CallOptions) => call('POST', `/pipeline-runs/${runId}/action`, body, options)
  expect((await act({ type: 'approve', payload: {} })).body.error).toMatchObject({ code: 'payload_invalid' })
  expect((await act({ type: 'approve', action_id: 'publish' })).body.error.code).toBe('no_open_action')
  const decision = { type: 'approve', comment: 'Yes', payload: { reason: 'good' } }
  const decided = await act(decision, { headers: { 'idempotency-key': 'decision' } })
  expect([decided.status, decided.body.id]).toEqual([200, runId])
  const repeated = await act(decision, { headers: { 'idempotency-key': 'decision' } })
  expect([repeated.status, repeated.headers['idempotency-replayed']]).toEqual([200, 'true'])
  await expect.poll(client.isOver, { timeout: 120_000 }).toBe(true)
  expect(parseFrames(client.text()).at(-1)?.event).toBe('pipeline_run.completed')
  const runs = await made(call('GET', `/runs?pipeline_run_id=${runId}`))
  expect(runs.data).toMatchObject([{ input: { query: 'good' } }])
  expect((await act({ type: 'reject' })).body.error.code).toBe('run_not_active')
  const entries = await made(call('GET', `/audit-log?subject=${runId}`))
  expect(entries.data).toMatchObject([{ action: 'pipeline_run.approved', after: { action_id: 'ask' } }])
}, 180_000)

test('the stream shows the question of a run of a step, and a cancel ends the runs', async () => {
  const id = await newPipeline([{ key: 'tool', agent_id: tenant.agents['test-approval'], input: { count: 1 } }])
  const { id: runId } = await startRun(id)
  const client = await holdHttp1(app.url, { key: tenant.key, path: `/v2/pipeline-runs/${runId}/stream` })
  await expect
    .poll(() => askedIn(client.text()), { timeout: 120_000 })
    .toMatchObject([{ step: 'tool', item: 0, run_id: expect.stringMatching(/^run_/) }])
  const early = await call('DELETE', `/pipeline-runs/${runId}/data`)
  expect(early.body.error.code).toBe('run_not_ended')
  expect((await made(call('DELETE', `/pipeline-runs/${runId}`))).status).toMatch(/^cancel/)
  await expect.poll(client.isOver, { timeout: 120_000 }).toBe(true)
  expect(parseFrames(client.text()).at(-1)).toMatchObject({
    event: 'pipeline_run.cancelled',
    data: { pipeline_run: { status: 'cancelled', required_actions: [] } },
  })
  const runs = await made(call('GET', `/runs?pipeline_run_id=${runId}`))
  expect(runs.data).toMatchObject([{ status: 'cancelled' }])
  expect((await made(call('DELETE', `/pipeline-runs/${runId}`))).status).toBe('cancelled')
}, 180_000)

test('a rerun keeps outputs of earlier steps, and erased data can be neither read nor reused', async () => {
  const id = await newPipeline([
    { key: 'a', agent_id: echo(), input: { query: '${{ input.secret }}' } },
    { key: 'b', agent_id: echo(), depends_on: ['a'], input: { query: '${{ steps.a.status }}' } },
  ])
  const { id: first } = await startRun(id, { input: { secret: 'marker-8391' } })
  const ended = await untilStatus(first, 'completed')
  const rerun = (body: object) => call('POST', `/pipeline-runs/${first}/rerun`, body)
  expect((await rerun({ from_step: 'none' })).body.error).toMatchObject({ code: 'input_invalid', param: 'from_step' })
  const second = await made(rerun({ from_step: 'b' }))
  expect(second).toMatchObject({ rerun_of: first, from_step: 'b', pipeline_version: 1 })
  const repeated = await untilStatus(second.id, 'completed')
  expect(repeated.steps[0].run_id).toBe(ended.steps[0].run_id)
  expect(repeated.steps[1].run_id).not.toBe(ended.steps[1].run_id)

  expect(await made(call('DELETE', `/pipeline-runs/${first}/data`))).toMatchObject({
    status: 'completed',
    input: {},
    output: null,
    erased_at: expect.any(String),
  })
  expect(JSON.stringify((await watch(first)).frames)).not.toContain('marker-8391')
  const runs = await made(call('GET', `/runs?pipeline_run_id=${first}`))
  expect(JSON.stringify(runs)).not.toContain('marker-8391')
  expect((await rerun({ from_step: 'b' })).body.error.code).toBe('input_invalid')
  expect(await made(call('GET', `/pipeline-runs/${first}/diagnosis`))).toMatchObject({ waiting_for: 'nothing' })
  expect((await made(call('GET', `/audit-log?subject=${first}`))).data).toMatchObject([
    { action: 'pipeline_run.data_erased' },
  ])
}, 180_000)

test('the message of a failed expression is shown, and is erased with the data', async () => {
  const id = await newPipeline([{ key: 'a', agent_id: echo(), when: 'input.count > 3', input: { query: 'x' } }])
  const { id: runId } = await startRun(id, { input: { count: 'many-5521' } })
  const failed = await untilStatus(runId, 'failed')
  expect(failed.steps[0].error).toMatchObject({ code: 'expression_failed' })
  expect(failed.error).toMatchObject({ code: 'expression_failed', step: 'a', message: failed.steps[0].error.message })
  expect(failed.error.message).not.toBe('Step a failed: expression_failed')
  const erased = await made(call('DELETE', `/pipeline-runs/${runId}/data`))
  expect(erased.error).toEqual({ code: 'expression_failed', step: 'a', message: 'Erased' })
  expect(erased.steps[0].error.message).toBe('The step failed: expression_failed')
}, 180_000)

test('a stream of a pipeline run needs its permission while it lasts', async () => {
  const id = await newPipeline([{ key: 'ask', approval: { message: 'Go on?' } }])
  const { id: runId } = await startRun(id)
  const other = await app.addTenant()
  expect((await watch(runId, {}, other.key)).status).toBe(404)
  expect((await watch(runId, { 'last-event-id': 'x' })).status).toBe(400)
  const scopes = ['pipelines:read', 'runs:read']
  const key = await made(call('POST', '/api-keys', { name: 'Reader', scopes }))
  const client = await holdHttp1(app.url, { key: key.key, path: `/v2/pipeline-runs/${runId}/stream` })
  await expect.poll(() => parseFrames(client.text()).length, { timeout: 60_000 }).toBeGreaterThan(0)
  await made(call('DELETE', `/api-keys/${key.id}`))
  await expect.poll(client.isOver, { timeout: 120_000 }).toBe(true)
  expect(parseFrames(client.text()).at(-1)?.event).not.toMatch(/completed|failed|cancelled/)
  await made(call('DELETE', `/pipeline-runs/${runId}`))
}, 180_000)

test('a step whose creator has lost its key is refused', async () => {
  const lost = await app.addTenant()
  const options = { key: lost.key }
  const steps = [
    { key: 'ask', approval: { message: 'Go on?' } },
    { key: 'a', agent_id: lost.agents['test-echo'], depends_on: ['ask'] },
  ]
  const pipeline = await made(call('POST', '/pipelines', { name: 'Test', definition: { steps } }, options))
  const maker = await made(
    call('POST', '/api-keys', { name: 'Maker', scopes: ['runs:write', 'pipelines:read'] }, options),
  )
  const asked = call('POST', `/pipelines/${pipeline.id}/runs`, {}, { key: maker.key })
  expect((await asked).status).toBe(201)
  const run = (await asked).body
  await made(call('DELETE', `/api-keys/${maker.id}`, undefined, options))
  const read = async () => made(call('GET', `/pipeline-runs/${run.id}`, undefined, options))
  await expect.poll(async () => (await read()).required_actions.length, { timeout: 120_000 }).toBe(1)
  await made(call('POST', `/pipeline-runs/${run.id}/action`, { type: 'approve' }, options))
  await expect.poll(async () => (await read()).status, { timeout: 120_000 }).toBe('failed')
  expect((await read()).error).toMatchObject({ code: 'forbidden', step: 'a' })
  expect((await made(call('GET', `/runs?pipeline_run_id=${run.id}`, undefined, options))).data).toEqual([])
}, 180_000)
