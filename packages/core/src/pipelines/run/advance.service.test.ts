import type { Database } from '@ars/platform/db/database'
import { openTurn, workDue } from '@ars/platform/work/due-work.fixture'
import type { ClaimAsk } from '@ars/platform/work/queue'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPipelineWorld, type PipelineWorld, type Planned } from '../../../test/pipeline-world.ts'
import { pipelinesBounds } from '../bounds.ts'

import { createPipelineQueue, pipelineWorkBounds } from './advance.service.ts'
import { lockPipelineHead } from './head.store.ts'
import { chain, wide } from './planned.fixture.ts'
import { storeHead } from './progress.store.ts'
import { storeDecision } from './question.store.ts'
import { wakePipelineRuns } from './wake.store.ts'

let world: PipelineWorld

const ask: ClaimAsk = { count: 8, heavyCount: 8, perOrg: 2, uses: [], leaseSeconds: 30 }
const turn = openTurn()

beforeAll(async () => {
  world = await openPipelineWorld()
})
afterAll(() => world.close())

test('a pipeline run executes its steps in order, and ends with its output and one event', async () => {
  const { id } = await world.newRun(chain, { input: { document: 'a.pdf' } })
  const inputs: unknown[] = []
  await world.finish(({ step, input }) => {
    inputs.push(input)
    return { output: step === 'read' ? { text: 'long' } : { sum: 'short' } }
  })
  expect(inputs).toEqual([{ document: 'a.pdf' }, { text: 'long' }])
  expect(await world.rowOf(id)).toEqual({ status: 'completed', output: { result: 'short' }, error: null })
  expect(await world.stepsOf(id)).toEqual({ read: 'completed', sum: 'completed' })
  expect(await world.eventsOf(id)).toBe(1)
  const [row] = await world.sql<{ tokens_used: string; cost_usd: number; runs: number }>(
    `select tokens_used, cost_usd::float8 as cost_usd, (select count(*)::integer from pipeline_heads where pipeline_run_id = $1) as runs
       from pipeline_runs where id = $1`,
    [id],
  )
  expect(row).toEqual({ tokens_used: '6', cost_usd: 1, runs: 0 })
})

test('the outputs of a fan-out are a list in the order of its items, with null for an item that failed', async () => {
  const { id } = await world.newRun(
    {
      steps: [
        {
          key: 'each',
          for_each: 'input.list',
          max_parallel: 2,
          on_item_error: 'continue',
          input: { n: '${{ item }}' },
        },
        { key: 'all', depends_on: ['each'], input: { list: '${{ steps.each.output }}' } },
      ],
    },
    { input: { list: [10, 20, 30, 40, 50] } },
  )
  const given: unknown[] = []
  await world.finish(({ step, item, input }) => {
    if (step === 'all') given.push(input)
    return step === 'each' && item === 3 ? { code: 'model_failed' } : { output: { n: input.n } }
  })
  expect(given).toEqual([{ list: [{ n: 10 }, { n: 20 }, { n: 30 }, null, { n: 50 }] }])
  expect((await world.rowOf(id)).status).toBe('completed')
})

test('at most max_parallel items run at once', async () => {
  const { id } = await world.newRun(
    { steps: [{ key: 'each', for_each: 'input.list', max_parallel: 3 }] },
    { input: { list: Array(8).fill(0) } },
  )
  await world.advance()
  const most: number[] = []
  while (true) {
    const items = (await world.itemsOf(id)).filter(({ outcome }) => outcome === null)
    if (items.length === 0) break
    most.push(items.length)
    await world.endRuns(({ item }) => (item === items[0]?.item ? { output: {} } : 'goes on'))
    await world.advance()
  }
  expect(most).toEqual([3, 3, 3, 3, 3, 3, 2, 1])
  expect(await world.runsOf(id)).toBe(8)
})

test('a failed attempt is tried again after its delay, and only for the codes that were named', async () => {
  const { id } = await world.newRun({
    steps: [{ key: 'a', retry: { attempts: 3, on: ['model_failed'] }, on_error: 'continue' }],
  })
  await world.advance()
  await world.endRuns(() => ({ code: 'model_failed' }))
  await world.advance()
  await world.moveClock(1_100)
  await world.advance()
  expect(await world.runsOf(id)).toBe(2)
  const [delay] = await world.sql<{ seconds: number }>(
    `select extract(epoch from max(r.created_at) - max(x.finished_at))::float8 as seconds
       from runs r left join run_results x on x.run_id = r.id where r.pipeline_run_id = $1`,
    [id],
  )
  expect(delay?.seconds).toBeGreaterThanOrEqual(1)
  await world.endRuns(() => ({ code: 'tool_failed' }))
  await world.advance()
  expect(await world.itemsOf(id)).toMatchObject([
    { attempt: 1, outcome: 'failed', code: 'model_failed' },
    { attempt: 2, outcome: 'failed', code: 'tool_failed' },
  ])
  expect(await world.rowOf(id)).toMatchObject({ status: 'completed', output: { a: null } })
  expect(await world.stepsOf(id)).toEqual({ a: 'failed' })
})

test('a step that fails ends the pipeline run, and what runs beside it is cancelled', async () => {
  const { id } = await world.newRun({ steps: [{ key: 'a' }, { key: 'b' }, { key: 'c', depends_on: ['a', 'b'] }] })
  await world.advance()
  await world.endRuns(({ step }) => (step === 'a' ? { code: 'model_failed' } : 'goes on'))
  await world.advance()
  await world.wake()
  await world.advance()
  expect(await world.rowOf(id)).toMatchObject({ status: 'failed', error: { code: 'model_failed', step: 'a' } })
  expect(await world.stepsOf(id)).toEqual({ a: 'failed', b: 'cancelled', c: 'cancelled' })
  expect(
    await world.sql('select run_id from run_heads h join runs r on r.id = h.run_id where r.pipeline_run_id = $1', [id]),
  ).toEqual([])
  expect(await world.eventsOf(id)).toBe(1)
})

test('on_error continue gives null to the steps after it', async () => {
  const { id } = await world.newRun({
    steps: [
      { key: 'a', on_error: 'continue' },
      { key: 'b', depends_on: ['a'], when: "steps.a.status == 'failed'", input: { a: '${{ steps.a.output }}' } },
      { key: 'c', depends_on: ['a'], when: "steps.a.status == 'completed'" },
      { key: 'd', depends_on: ['c'] },
    ],
  })
  await world.finish(({ step, input }) => (step === 'a' ? { code: 'model_failed' } : { output: { input } }))
  expect(await world.stepsOf(id)).toEqual({ a: 'failed', b: 'completed', c: 'skipped', d: 'skipped' })
  expect((await world.rowOf(id)).output).toEqual({ b: { input: { a: null } }, d: null })
})

test('a cancelled pipeline run starts nothing more, cancels its runs and withdraws its questions', async () => {
  const { id } = await world.newRun(
    {
      steps: [
        { key: 'each', for_each: 'input.list', max_parallel: 2 },
        { key: 'ask', approval: { message: 'Go on?' } },
        { key: 'last', depends_on: ['each', 'ask'] },
      ],
    },
    { input: { list: [1, 2, 3, 4] } },
  )
  await world.advance()
  await world.sql(`update pipeline_heads set status = 'cancelling', due_at = app_now() where pipeline_run_id = $1`, [
    id,
  ])
  await world.advance()
  await world.wake()
  await world.advance()
  expect(await world.rowOf(id)).toEqual({ status: 'cancelled', output: null, error: null })
  expect(await world.stepsOf(id)).toEqual({ ask: 'cancelled', each: 'cancelled', last: 'cancelled' })
  expect(await world.runsOf(id)).toBe(2)
  expect(await world.itemsOf(id)).toMatchObject(Array(3).fill({ outcome: 'cancelled' }))
  expect(
    await world.sql('select status from run_results r join runs u on u.id = r.run_id where u.pipeline_run_id = $1', [
      id,
    ]),
  ).toEqual(Array(2).fill({ status: 'cancelled' }))
  expect(await world.eventsOf(id)).toBe(1)
})

test('a pipeline run fails at its deadline', async () => {
  const { id } = await world.newRun({ steps: [{ key: 'a' }] }, { timeoutSeconds: 60 })
  await world.advance()
  await world.moveClock(61_000)
  await world.advance()
  await world.wake()
  await world.advance()
  expect(await world.rowOf(id)).toMatchObject({ status: 'failed', error: { code: 'timeout', step: null } })
  expect(await world.stepsOf(id)).toEqual({ a: 'cancelled' })
})

test('a question is put with its rendered message, and expires', async () => {
  const { org, id } = await world.newRun(
    { steps: [{ key: 'ask', approval: { message: 'Send ${{ input.sum }}?' }, timeout_seconds: 60 }] },
    { input: { sum: 12 } },
  )
  await world.advance()
  expect(
    await world.sql('select question, due_at is not null as expires from pipeline_items where pipeline_run_id = $1', [
      id,
    ]),
  ).toEqual([{ question: { message: 'Send 12?', response_schema: null }, expires: true }])
  await world.moveClock(61_000)
  const answer = {
    step: 'ask',
    decision: 'approve',
    payload: null,
    comment: null,
    author: { type: 'key', id },
  } as const
  expect(await world.app.transaction(org, (tx) => storeDecision(tx, org, { id, decision: answer }))).toBe(false)
  await world.advance()
  expect(await world.rowOf(id)).toMatchObject({ status: 'failed', error: { code: 'approval_expired', step: 'ask' } })
})

test('expressions that cannot be evaluated fail their step', async () => {
  const definitions: Planned[] = [
    { steps: [{ key: 'a', when: 'fail' }] },
    { steps: [{ key: 'a', input: { x: '${{ fail }}' } }] },
    { steps: [{ key: 'a', approval: { message: '${{ fail }}' } }] },
  ]
  for (const definition of definitions) {
    const { id } = await world.newRun(definition)
    await world.finish()
    expect(await world.rowOf(id)).toMatchObject({ status: 'failed', error: { code: 'expression_failed', step: 'a' } })
    expect(await world.runsOf(id)).toBe(0)
  }
  const { id } = await world.newRun({ steps: [{ key: 'a' }], output: { x: '${{ fail }}' } })
  await world.finish()
  expect(await world.rowOf(id)).toMatchObject({ status: 'failed', error: { code: 'expression_failed', step: null } })
})

test('a busy thread pool delays the pipeline run by a second', async () => {
  const { id } = await world.newRun({ steps: [{ key: 'a' }] })
  const { expressions } = world.deps()
  const busy = world.deps({ expressions: { ...expressions, open: async () => ({ kind: 'busy' }) } })
  await workDue(createPipelineQueue(busy))
  expect((await headOf(id))?.due_in_seconds).toBeLessThanOrEqual(1)
  expect(await world.runsOf(id)).toBe(0)
  await world.moveClock(1_100)
  await world.advance()
  expect(await world.runsOf(id)).toBe(1)
  await world.finish()
})

test('a refusal that passes is tried again after its time and is no attempt; another one fails the item', async () => {
  const { id } = await world.newRun({ steps: [{ key: 'a', retry: { attempts: 2, on: ['forbidden'] } }] })
  await world.advance({ startRun: async () => ({ kind: 'refused', code: 'unavailable', retryAfterSeconds: 3_600 }) })
  expect(await world.itemsOf(id)).toMatchObject([{ state: 'refused', attempt: 1, run_id: null }])
  expect(await headOf(id)).toMatchObject({ runs: 0 })
  await world.moveClock(1_800_000)
  await world.advance()
  expect(await world.runsOf(id)).toBe(0)
  await world.moveClock(1_900_000)
  await world.advance()
  expect(await world.itemsOf(id)).toMatchObject([{ state: 'started', attempt: 1 }])
  expect(await headOf(id)).toMatchObject({ runs: 1 })
  await world.finish()
  const other = await world.newRun({ steps: [{ key: 'a' }] })
  await world.advance({ startRun: async () => ({ kind: 'refused', code: 'forbidden' }) })
  expect(await world.rowOf(other.id)).toMatchObject({ status: 'failed', error: { code: 'forbidden', step: 'a' } })
})

test('a pipeline run that would need another run after its last one fails with too_many_runs (pipelinesBounds.runsOfPipelineRun)', async () => {
  const { id } = await world.newRun({ steps: [{ key: 'a' }, { key: 'b', depends_on: ['a'] }] })
  await world.advance()
  await world.sql('update pipeline_heads set runs = 2000 where pipeline_run_id = $1', [id])
  await world.finish()
  expect(await world.rowOf(id)).toMatchObject({ status: 'failed', error: { code: 'too_many_runs', step: 'b' } })
})

test('a head that nothing wakes is due again within five minutes (pipelinesBounds.sleep)', async () => {
  const { id } = await world.newRun({ steps: [{ key: 'a' }] })
  await world.advance()
  expect((await headOf(id))?.due_in_seconds).toBeLessThanOrEqual(300)
  expect((await headOf(id))?.due_in_seconds).toBeGreaterThan(200)
  await world.finish()
})

test('one look takes few pipeline runs of an organisation, so that others have their turn', async () => {
  const first = await world.newRun({ steps: [{ key: 'a' }] })
  for (let n = 0; n < 9; n++) await world.newRun({ steps: [{ key: 'a' }] }, { org: first })
  const other = await world.newRun({ steps: [{ key: 'a' }] })
  const queue = createPipelineQueue(world.deps())
  const { items, isMore } = await queue.claim(ask)
  expect(items.map(({ org }) => org).toSorted()).toEqual([first.org, first.org, other.org].toSorted())
  expect(isMore).toBe(true)
  for (const item of items) await queue.giveBack(item, { afterMs: 0, tries: 0 })
  await world.finish()
})

const headOf = async (id: string) => {
  const [row] = await world.sql<{ runs: number; due_in_seconds: number }>(
    'select runs, extract(epoch from due_at - app_now())::float8 as due_in_seconds from pipeline_heads where pipeline_run_id = $1',
    [id],
  )
  return row
}

test('two workers at once start each attempt once and end the pipeline run once', async () => {
  const { id } = await world.newRun(wide, { input: { list: Array(20).fill(0) } })
  const workers = [0, 1, 2].map(() => createPipelineQueue(world.deps()))
  for (let turn = 0; turn < 40 && (await world.rowOf(id)).status === null; turn++) {
    // A lease that ends too early: every worker takes the head.
    const stolen = workers.map(async (worker) => {
      await world.sql('update pipeline_heads set due_at = app_now(), held_until = null where pipeline_run_id = $1', [
        id,
      ])
      await workDue(worker)
    })
    await Promise.all(stolen)
    await world.endRuns(({ item }) => (item % 3 === turn % 3 ? { output: {} } : 'goes on'))
  }
  await world.finish()
  expect((await world.rowOf(id)).status).toBe('completed')
  expect(await world.runsOf(id)).toBe(21)
  expect(await world.eventsOf(id)).toBe(1)
}, 300_000)

// One request of 1 MB made a pipeline run that could neither be stored nor fail: 20 lists of 8 MB in one statement.
test('lists have a bound in sum, each is written by a small statement, and they count as stored', async () => {
  const steps = Array.from({ length: 12 }, (_, at) => ({ key: `s${at}`, for_each: 'input.list', on_error: 'continue' }))
  const list = ['x'.repeat(900_000)]
  const { id } = await world.newRun({ steps }, { input: { list } })
  let largest = 0
  const transaction: Database['transaction'] = (org, work) =>
    world.app.transaction(org, (tx) =>
      work({
        query: (each) => {
          largest = Math.max(largest, JSON.stringify(each.values).length)
          return tx.query(each)
        },
      }),
    )
  await world.advance({ app: { ...world.app, transaction } })
  expect(largest).toBeGreaterThan(900_000)
  expect(largest).toBeLessThan(1_048_576)
  const rows = await world.sql<{ verdict: string; code: string | null }>(
    'select verdict, code from pipeline_steps where pipeline_run_id = $1 order by verdict desc, key',
    [id],
  )
  const bytes = JSON.stringify(list).length
  const fitting = Math.floor(pipelinesBounds.storedOfPipelineRun.bytes / bytes)
  expect(rows.filter(({ verdict }) => verdict === 'run')).toHaveLength(fitting)
  expect(rows.at(-1)).toEqual({ verdict: 'fault', code: 'too_many_items' })
  const [stored] = await world.sql<{ bytes: number }>(
    'select stored_bytes::integer as bytes from pipeline_runs where id = $1',
    [id],
  )
  expect(stored?.bytes).toBe(fitting * bytes + JSON.stringify({ list }).length)
})

test('outputs that are too large to be read are not loaded, and fail what reads them', async () => {
  const { id } = await world.newRun(
    {
      steps: [
        { key: 'each', for_each: 'input.list' },
        { key: 'all', depends_on: ['each'], input: { list: '${{ steps.each.output }}' } },
      ],
    },
    { input: { list: [1, 2] } },
  )
  let largest = 0
  const once: Database['once'] = async (org, each) => {
    const rows = await world.app.once(org, each)
    largest = Math.max(largest, JSON.stringify(rows).length)
    return rows
  }
  const endWithMuch = async (pipelineRun: string) => {
    await world.advance()
    await world.endRuns()
    await world.sql(
      `update run_results x set output = json_build_object('text', repeat('x', 4300000)), output_bytes = null
         from runs r where r.id = x.run_id and r.pipeline_run_id = $1`,
      [pipelineRun],
    )
    await world.advance({ app: { ...world.app, once } })
    await world.finish()
  }
  await endWithMuch(id)
  expect(largest).toBeGreaterThan(0)
  expect(largest).toBeLessThan(4_300_000)
  expect(await world.rowOf(id)).toMatchObject({ status: 'failed', error: { code: 'expression_failed', step: 'all' } })
  const { id: unread } = await world.newRun({ steps: [{ key: 'a' }, { key: 'b' }] })
  await endWithMuch(unread)
  expect(await world.rowOf(unread)).toMatchObject({
    status: 'failed',
    error: { code: 'expression_failed', step: null, message: expect.stringContaining('more than 8388608 bytes') },
  })
})

test('questions count against the same bound as lists', async () => {
  const steps = Array.from({ length: 12 }, (_, at) => ({
    key: `s${at}`,
    approval: { message: '${{ input.text }}' },
    on_error: 'continue',
  }))
  const { id } = await world.newRun({ steps }, { input: { text: 'x'.repeat(900_000) } })
  await world.advance()
  const states = (await world.itemsOf(id)).map(({ state, code }) => `${state} ${code}`)
  expect(states.filter((state) => state === 'started null')).toHaveLength(9)
  expect(new Set(states)).toEqual(new Set(['started null', 'failed expression_failed']))
})

test('a question that no small statement can write fails its step', async () => {
  const definition = { steps: [{ key: 'ask', approval: { message: '${{ input.text }}' } }] }
  // Two bytes for each character: few enough characters for an expression, and too many bytes.
  const { id } = await world.newRun(definition, { input: { text: 'é'.repeat(600_000) } })
  await world.finish()
  expect(await world.rowOf(id)).toMatchObject({ status: 'failed', error: { code: 'expression_failed', step: 'ask' } })
})

test('what a turn evaluated is stored when its time is over, and the next turn goes on from there', async () => {
  const steps = Array.from({ length: 5 }, (_, at) => ({ key: `s${at}`, when: 'yes' }))
  const { id } = await world.newRun({ steps })
  let opened = 0
  const { expressions } = world.deps()
  const counted = world.deps({
    expressions: {
      ...expressions,
      open: (...args) => {
        opened++
        return expressions.open(...args)
      },
    },
  })
  const queue = createPipelineQueue(counted)
  for (let n = 1; n <= 5; n++) {
    const { items } = await queue.claim(ask)
    const [item] = items
    if (!item) throw new Error('It is not due')
    // The time of the turn is over after its first act.
    const outcome = await queue.work(item, { ...turn, mayGoOn: () => opened < n })
    expect(outcome).toEqual({ kind: 'again', progressed: true })
    expect(Object.keys(await world.stepsOf(id))).toHaveLength(n)
    await queue.giveBack(item, { afterMs: 0, tries: 0 })
  }
  expect(opened).toBe(5)
  await world.finish()
  expect((await world.rowOf(id)).status).toBe('completed')
})

test('a turn whose time is over while it acts for the first time makes that act', async () => {
  const { id } = await world.newRun({ steps: [{ key: 'a', when: 'yes' }] })
  const queue = createPipelineQueue(world.deps())
  const { items } = await queue.claim(ask)
  const [item] = items
  if (!item) throw new Error('It is not due')
  let looks = 0
  const outcome = await queue.work(item, { ...turn, mayGoOn: () => looks++ === 0 })
  expect(outcome).toEqual({ kind: 'again', progressed: true })
  expect(Object.keys(await world.stepsOf(id))).toEqual(['a'])
  await queue.giveBack(item, { afterMs: 0, tries: 0 })
  await world.finish()
})

test('a busy thread pool throws nothing away that was evaluated before, and ends nothing however long it is busy', async () => {
  const { id } = await world.newRun({ steps: [{ key: 'a' }, { key: 'b' }] })
  const { expressions } = world.deps()
  const open: typeof expressions.open = async (org, step, texts) =>
    step.key === 'b' ? { kind: 'busy' } : expressions.open(org, step, texts)
  const busy = createPipelineQueue(world.deps({ expressions: { ...expressions, open } }))
  const ends: string[] = []
  // One more than the turns without progress that end a pipeline run.
  for (let n = 0; n <= pipelineWorkBounds.maxTries; n++) {
    ends.push(...(await workDue(busy)))
    expect(await world.stepsOf(id)).toEqual({ a: null })
    await world.moveClock(1_100)
  }
  expect(new Set(ends)).toEqual(new Set(['later']))
  expect(ends.length).toBeGreaterThan(pipelineWorkBounds.maxTries)
  await world.finish()
  expect((await world.rowOf(id)).status).toBe('completed')
})

test('a wake while a worker holds a pipeline run takes it from nobody, and is not lost', async () => {
  const { id, org } = await world.newRun({ steps: [{ key: 'a' }] })
  const queue = createPipelineQueue(world.deps())
  const [item] = (await queue.claim(ask)).items
  if (!item) throw new Error('It is not due')
  await world.sql('update pipeline_heads set due_at = app_now() where pipeline_run_id = $1 and due_at > app_now()', [
    id,
  ])
  expect((await queue.claim(ask)).items).toEqual([])
  expect(await queue.renew([item], 30)).toEqual(new Set([id]))
  await queue.giveBack(item, { afterMs: 300_000, tries: 0 })
  const [woken] = (await queue.claim(ask)).items
  expect([woken?.id, woken?.org, woken?.claim === item.claim]).toEqual([id, org, false])
  // The fence: the older holder prolongs nothing and gives nothing back.
  expect(await queue.renew([item], 30)).toEqual(new Set())
  await queue.giveBack(item, { afterMs: 0, tries: 0 })
  expect((await queue.claim(ask)).items).toEqual([])
  if (woken) await queue.giveBack(woken, { afterMs: 0, tries: 0 })
  await world.finish()
})

test('a pipeline run whose turns fail five times in a row fails with no_progress, and its runs are cancelled', async () => {
  const { id } = await world.newRun({ steps: [{ key: 'a' }, { key: 'b', depends_on: ['a'], when: 'x' }, { key: 'c' }] })
  await world.advance()
  await world.endRuns(({ step }) => (step === 'a' ? { output: {} } : 'goes on'))
  const { expressions } = world.deps()
  const open = () => Promise.reject(new Error('poison'))
  const poisoned = createPipelineQueue(world.deps({ expressions: { ...expressions, open } }))
  const ends: string[] = []
  for (let n = 0; n < 5; n++) {
    ends.push(...(await workDue(poisoned)))
    await world.moveClock(20_000)
  }
  expect(ends).toEqual(['failed', 'failed', 'failed', 'failed', 'buried'])
  expect(await world.rowOf(id)).toMatchObject({ status: 'failed', error: { code: 'no_progress', step: null } })
  expect(
    await world.sql('select run_id from run_heads h join runs r on r.id = h.run_id where r.pipeline_run_id = $1', [id]),
  ).toEqual([])
  expect(await world.eventsOf(id)).toBe(1)
})

test('a second wake is not lost while the holder of a woken pipeline run stores a later time', async () => {
  const { id, org } = await world.newRun({ steps: [{ key: 'a' }] })
  await world.advance()
  const [run] = await world.sql<{ run_id: string }>('select run_id from pipeline_waits where pipeline_run_id = $1', [
    id,
  ])
  const [event] = await world.sql<{ id: string }>(
    `insert into events (id, org_id, type, subject_id) values (new_uuid(), $1, 'run.completed', $2) returning id`,
    [org, run?.run_id],
  )
  await world.sql('update pipeline_heads set due_at = app_now() where pipeline_run_id = $1', [id])
  const [held] = (await createPipelineQueue(world.deps()).claim(ask)).items
  if (!held || !event) throw new Error('It is not due')
  // The first wake.
  await world.sql('update pipeline_heads set due_at = app_now() where pipeline_run_id = $1', [id])
  let waking: Promise<unknown> = Promise.resolve()
  let isAwake = false
  await world.app.transaction(org, async (tx) => {
    await lockPipelineHead(tx, org, held)
    await storeHead(tx, org, held, { runs: 1, failure: null, dueAt: null })
    waking = world.system
      .transaction(null, (other) => wakePipelineRuns(other, { ids: [event.id], firstId: event.id, lastId: event.id }))
      .then(() => {
        isAwake = true
      })
    await expect.poll(async () => isAwake || (await world.isLockAwaited())).toBe(true)
  })
  await waking
  expect((await headOf(id))?.due_in_seconds).toBeLessThanOrEqual(0)
  await world.finish()
})
