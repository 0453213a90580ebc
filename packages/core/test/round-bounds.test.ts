import { eventSample, limits } from '@ars/contract'
import { DatabaseBusy } from '@ars/platform/db/unavailable'
import { fromUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { testRequest } from '@ars/testkit/caller'
import { fakeClock } from '@ars/testkit/clock'
import { expect, test } from 'vitest'
import { alertsBounds } from '../src/alerts/bounds.ts'
import { at, failures, minute } from '../src/alerts/metric-minutes.fixture.ts'
import { previewOf } from '../src/alerts/preview.service.ts'
import { catalogBounds } from '../src/catalog/bounds.ts'
import { createCatalog } from '../src/catalog/catalog.service.ts'
import { connectorsBounds } from '../src/connectors/bounds.ts'
import { createToolService } from '../src/connectors/tool.service.ts'
import { toolLimits } from '../src/connectors/tool-list.ts'
import { createToolboxes } from '../src/connectors/toolbox.service.ts'
import { eventsBounds } from '../src/events/bounds.ts'
import { createEventRenderer } from '../src/events/envelope.service.ts'
import { expressionsBounds } from '../src/expressions/bounds.ts'
import { checkExpression } from '../src/expressions/expression-check.ts'
import { pipelinesBounds } from '../src/pipelines/bounds.ts'
import { createPipelineExpressions } from '../src/pipelines/pipeline-expressions.service.ts'
import { retentionBounds } from '../src/retention/bounds.ts'
import { dropOldPartitions } from '../src/retention/partition.service.ts'
import { runsBounds } from '../src/runs/bounds.ts'
import { deadlineSweep } from '../src/runs/control/deadline.sweep.ts'
import { createEngineProbe } from '../src/runs/dispatch/engine-probe.sweep.ts'
import { lostSweep } from '../src/runs/dispatch/lost.sweep.ts'
import { reconcileSweep } from '../src/runs/dispatch/reconcile.sweep.ts'
import { openStepContext } from '../src/runs/execute/step-context.service.ts'
import { createFeed } from '../src/runs/feed/feed.service.ts'
import { createAdmission } from '../src/runs/queue/admission.service.ts'
import { scriptedDatabase } from './scripted-database.ts'

const log = createLog({ level: 'silent' })
const nothing = {} as never
const uuid = '01890a5d-ac96-774b-bcce-b302099a8057'
const uuidOf = (n: number): string => `01890a5d-ac96-774b-bcce-${String(n).padStart(12, '0')}`

test('runs that are followed are looked at by statements of runsBounds.feedsLookedAt', async () => {
  const { count } = runsBounds.feedsLookedAt
  const { db, ofName } = scriptedDatabase({})
  const pubSub = { subscribe: async () => undefined, unsubscribe: () => undefined, isUp: () => true }
  const feed = createFeed({ feedReads: db, pubSub: pubSub as never, log, lookEveryMs: 0 })
  for (let n = 0; n <= count; n++) (await feed.follow('org', uuidOf(n))).arm()
  const sizes = () => ofName('feed.heads').map(({ values }) => (values.find(Array.isArray) as string[]).length)
  await expect.poll(() => sizes().slice(0, 2)).toEqual([count, 1])
  feed.close()
})

test('pipeline runs of events are read up to eventsBounds.pipelineRunsTogether at once', async () => {
  const { count } = eventsBounds.pipelineRunsTogether
  const data = eventSample('pipeline.completed') as never
  const read: number[] = []
  const renderAll = createEventRenderer({
    readRuns: async () => new Map(),
    readPipelineRuns: async (_, ids) => {
      read.push(ids.length)
      return new Map(ids.map((id) => [id, data]))
    },
  })
  const rows = Array.from({ length: 2 * count + 1 }, (_, n) => ({
    ...{ id: uuidOf(n), type: 'pipeline.completed', subject_id: uuidOf(1_000 + n) },
    ...{ created_at: new Date(0), data: null, webhook_id: null },
  }))
  const { rendered, isCut } = await renderAll('o', rows as never, 1e9)
  expect([rendered.length, isCut, read]).toEqual([rows.length, false, [count, count, 1]])
})

test('a worker whose probes get no answer registers again after the rounds of runsBounds.probesUnanswered', async () => {
  const { count } = runsBounds.probesUnanswered
  let registered = 0
  const { sweep } = createEngineProbe({
    engine: {
      call: () => Promise.reject(new Error('no answer')),
      query: async () => [{ service_key: 'canary-0', partition_key: 0 }],
    } as never,
    registration: { ensure: async () => void registered++ } as never,
    clock: fakeClock(),
    log,
    partitionCount: 1,
  })
  for (let round = 1; round < count; round++) await sweep.run()
  expect(registered).toBe(0)
  await sweep.run()
  expect(registered).toBe(1)
})

test('of invocations that the engine retries as many are listed as runsBounds.invocationsListed says, and the rest in later rounds', async () => {
  const { count } = runsBounds.invocationsListed
  const left = new Set(Array.from({ length: count + 5 }, (_, n) => `inv ${n}`))
  const asked: number[] = []
  const sweep = lostSweep({
    system: nothing,
    engine: {
      listBackingOff: async (_: unknown, most: number) => {
        asked.push(most)
        return [...left].slice(0, most).map((id) => ({ id, key: null, isMismatch: true, isUnreachable: false }))
      },
      kill: async (id: string) => void left.delete(id),
    } as never,
    dispatcher: nothing,
    health: { answeredMs: () => 0 },
    clock: fakeClock(),
    log,
    onLost: () => undefined,
  })
  for (let round = 0; left.size > 0; round++) {
    expect(round).toBeLessThan(20)
    await sweep.run()
  }
  expect(new Set(asked)).toEqual(new Set([count]))
})

test('of overdue runs that cannot be ended as many are left out for a while as runsBounds.overdueRunsPutAside says', async () => {
  const { count } = runsBounds.overdueRunsPutAside
  const runs = Array.from({ length: count + 1 }, (_, n) => uuidOf(n))
  const tried = new Map<string, number>()
  /** Of the one run that a statement is about, among its values. */
  let place: number | undefined
  const { db } = scriptedDatabase({
    'sweep.end_overdue': ({ values }) => {
      // A page as a whole, then one run of it after the other.
      place ??= values.findIndex((value) => Array.isArray(value) && value[0] === runs[0])
      if (place < 0) place = undefined
      const [run] = place === undefined ? [] : ((values[place] ?? []) as string[])
      if (run !== undefined) tried.set(run, (tried.get(run) ?? 0) + 1)
      throw new Error('inconsistent rows')
    },
    'sweep.list_overdue': ({ values }) => {
      const except = new Set(values.find(Array.isArray) as string[])
      const limit = values.find((value) => typeof value === 'number') as number
      return runs
        .filter((run) => !except.has(run))
        .slice(0, limit)
        .map((run_id) => ({ run_id }))
    },
  })
  const sweep = deadlineSweep({
    ...{ system: db, feed: nothing, admission: nothing, pubSub: nothing, clock: fakeClock(), log },
    newId: ((prefix: 'evt') => fromUuid(prefix, uuid)) as never,
    noteEnd: nothing,
    retentionDays: 30,
  })
  await sweep.run()
  await sweep.run()
  expect([tried.size, tried.get(runs[0] as string), tried.get(runs[count] as string)]).toEqual([count + 1, 1, 2])
})

test('segments that the engine does not know are remembered up to runsBounds.unknownSegmentsKnown', async () => {
  const { count } = runsBounds.unknownSegmentsKnown
  const all = Array.from({ length: count + 1 }, (_, n) => ({ org_id: uuid, run_id: uuidOf(n), epoch: 1, segment: 1 }))
  const again: string[] = []
  const { db } = scriptedDatabase({
    'sweep.stalled': ({ values }) => {
      const limit = values.find((value) => typeof value === 'number' && value === runsBounds.stalledRunsTogether.count)
      const after = values.find((value) => typeof value === 'string') as string | undefined
      const from = after === undefined ? 0 : all.findIndex(({ run_id }) => run_id === after) + 1
      return all.slice(from, from + Number(limit))
    },
    'sweep.resubmit': ({ values }) => {
      again.push(values.find((value) => typeof value === 'string' && value.startsWith('0189')) as string)
      return []
    },
  })
  const clock = fakeClock()
  const sweep = reconcileSweep({
    ...{ system: db, dispatcher: nothing, clock, log, partitionCount: 1, quietMs: 1_000 },
    engine: { query: async () => [] } as never,
    health: { upPartitions: () => new Set() } as never,
  })
  // Two rounds, because a round has a bounded number of pages.
  await sweep.run()
  await sweep.run()
  expect(again).toEqual([])
  clock.advance(10_000)
  await sweep.run()
  await sweep.run()
  expect([again.length, again.includes(uuidOf(0)), again.includes(uuidOf(count))]).toEqual([count, true, false])
})

test('looks for runs that may start end after those of runsBounds.busyLooks while another process admits', async () => {
  const { db, countOf } = scriptedDatabase({ 'runs.admit': () => [{ what: 'busy' }] })
  const admission = createAdmission({ db, dispatcher: nothing, log, relayAfterMs: 0, cellSlots: 1 })
  await admission.admit()
  expect(countOf('runs.admit')).toBe(runsBounds.busyLooks.count + 1)
})

test('looks begin at the organisations of runsBounds.admissionStarts, and beyond them anywhere', async () => {
  const { count } = runsBounds.admissionStarts
  const first = Promise.withResolvers<void>()
  const starts: unknown[] = []
  const db = {
    once: async (_: unknown, { values }: { values: readonly unknown[] }) => {
      starts.push(values.find((value) => typeof value === 'string') ?? null)
      await first.promise
      return []
    },
  }
  const admission = createAdmission({ db: db as never, dispatcher: nothing, log, relayAfterMs: 0, cellSlots: 1 })
  const done = admission.admit()
  for (let n = 0; n < count + 5; n++) admission.follow({ admitted: [], busy: true, left: false }, uuidOf(n))
  // The looks that follow are asked for after a pause; the first one holds up all of them until then.
  await new Promise((resolve) => setTimeout(resolve, 100))
  first.resolve()
  await done
  expect([starts.length, new Set(starts).size, starts.filter((start) => start === null).length]).toEqual([
    count + 2,
    count + 1,
    2,
  ])
})

test('a step keeps the last of its failed tries, and their messages are cut (limits.stepAttempts, limits.attemptMessageChars)', async () => {
  const clock = fakeClock()
  const context = openStepContext(
    { app: nothing, secrets: nothing, feed: nothing, deltas: nothing, histories: nothing, clock },
    {
      segment: { org: uuid, run: uuid, epoch: 1 },
      attempt: 1,
      claimId: uuid,
      step: 1,
      claimedAt: new Date(0),
    } as never,
    () => undefined,
  )
  const long = 'x'.repeat(limits.attemptMessageChars + 1)
  for (let n = 0; n < limits.stepAttempts + 2; n++)
    context.failedTry({ startedMs: clock.monotonicMs(), code: `code_${n}`, message: long } as never)
  const { attempts } = await context.close()
  expect(attempts.map(({ error }) => error.code)).toEqual(
    Array.from({ length: limits.stepAttempts }, (_, n) => `code_${n + 2}`),
  )
  expect(new Set(attempts.map(({ error }) => error.message.length))).toEqual(new Set([limits.attemptMessageChars]))
})

test('a preview tells the last periods of alertsBounds.periodsTold, and counts all', async () => {
  const { count } = alertsBounds.periodsTold
  const cycle = 40
  const length = cycle * (count + 3)
  const history = Array.from({ length }, (_, n) => {
    const isBad = n % cycle < 10
    return minute(n, { completed: isBad ? 14 : 20, failed: isBad ? 6 : 0 })
  })
  const { fired, periods } = await previewOf(failures, history, { from: at(0), to: at(length) })
  expect([fired, periods.length]).toEqual([count + 3, count])
  expect(new Date(periods.at(-1)?.from ?? 0).getTime()).toBeGreaterThan(at(cycle * (count + 2)).getTime())
})

test('more catalog folders than catalogBounds.folders end the start', () => {
  const open = (folders: number) => () =>
    createCatalog({ folders: Array(folders).fill('/nonexistent'), models: nothing, validator: nothing, log })
  expect(open(catalogBounds.folders.count)).toThrow(/cannot be read/)
  expect(open(catalogBounds.folders.count + 1)).toThrow('There are too many catalog folders')
})

test('an agent with more connectors than connectorsBounds.connectorsOfAgent fails its step', async () => {
  const { count } = connectorsBounds.connectorsOfAgent
  const open = createToolboxes({ app: scriptedDatabase({}).db, listings: nothing, limits: toolLimits } as never)
  const select = (connectors: number) =>
    Array.from({ length: connectors }, (_, n) => ({ connectorId: fromUuid('con', uuidOf(n)) }))
  const failureOf = (connectors: number) =>
    open('o', select(connectors) as never, new AbortController().signal).then(
      () => 'no failure',
      (error: Error) => error.message,
    )
  expect(await failureOf(count + 1)).toBe(`An agent uses at most ${count} connectors`)
  expect(await failureOf(count)).not.toContain('An agent uses at most')
})

test('of refused tools as many are shown as connectorsBounds.refusedToolsShown says', async () => {
  const row = {
    ...{ id: uuid, name: 'n', url: 'https://a.test', auth_type: 'none', created_by: uuid, created_by_type: 'key' },
    ...{ tools: {}, tools_listed_at: null, tools_error: null, created_at: new Date(0), moved_by: null },
  }
  const { db } = scriptedDatabase({ 'connectors.find_counted': () => [row] })
  const refused = Array.from({ length: connectorsBounds.refusedToolsShown.count + 1 }, (_, n) => ({ name: `t${n}` }))
  const tools = createToolService({
    app: db,
    newId: nothing,
    limits: toolLimits,
    listings: {
      list: async () => ({ session: { close: async () => undefined }, listing: { refused } }),
      record: async () => undefined,
    } as never,
  })
  const shown = (await tools.refresh(testRequest(uuid), fromUuid('con', uuid))).refused
  expect(shown).toEqual(refused.slice(0, -1))
})

test('fields of outputs are checked for the schemas of pipelinesBounds.outputSchemasTyped, and those of further agents are not', async () => {
  const { chars } = pipelinesBounds.outputSchemasTyped
  const half = { type: 'object', description: 'x'.repeat(chars / 2 - 100) }
  const given: string[] = []
  const threads = {
    run: async ({ payload }: { payload: unknown }) => {
      given.push((payload as { agents: string }).agents)
      return { kind: 'done', result: [] } as const
    },
  }
  const ids = ['agt_a', 'agt_b', 'agt_c']
  const steps = ids.map((agent_id, n) => ({ key: `s${n}`, agent_id }))
  const agents = new Map(ids.map((id) => [id, { outputSchema: half }]))
  await createPipelineExpressions({ threads }).check('o', { steps } as never, agents as never)
  const known = JSON.parse(given[0] as string) as [string, { outputSchema: object | null }][]
  expect(known.map(([id, { outputSchema }]) => [id, outputSchema !== null])).toEqual([
    ['agt_a', true],
    ['agt_b', true],
    ['agt_c', false],
  ])
})

test('a fault names as many fields as expressionsBounds.namesTold', () => {
  const { count } = expressionsBounds.namesTold
  const fields = Object.fromEntries(Array.from({ length: count + 1 }, (_, n) => [`field${n}`, { kind: 'string' }]))
  const { problems } = checkExpression({
    source: 'input.missing == "x"',
    variables: { input: { kind: 'object', fields } } as never,
    wanted: 'bool',
  })
  expect(problems[0]?.message.match(/field\d+/g)).toHaveLength(count)
  expect(problems[0]?.message).toContain('…')
})

test('a partition that stays locked is tried as often as retentionBounds.partitionTries', async () => {
  const { db, countOf } = scriptedDatabase({
    'partitions.parents': () => [{ name: 'runs', now: new Date(20_000 * 86_400_000), today: 20_000 }],
    'partitions.list': () => [{ parent: 'runs', firstDay: 1, endDay: 2 }],
    'partitions.drop': () => {
      throw new DatabaseBusy('the table is locked')
    },
  })
  await expect(dropOldPartitions({ system: db, log }, { days: 30, deltaHours: 1 })).rejects.toThrow(DatabaseBusy)
  expect(countOf('partitions.drop')).toBe(retentionBounds.partitionTries.count)
})
