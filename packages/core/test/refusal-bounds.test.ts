import { systemClock } from '@ars/platform/clock'
import { fromUuid } from '@ars/platform/id'
import type { TaskOutcome } from '@ars/platform/thread-pool'
import { testRequest } from '@ars/testkit/caller'
import { expect, test } from 'vitest'
import { connectorsBounds } from '../src/connectors/bounds.ts'
import { createToolService } from '../src/connectors/tool.service.ts'
import { guardrailsBounds } from '../src/guardrails/bounds.ts'
import { createExpressions } from '../src/guardrails/expression/expression.service.ts'
import { requireRules } from '../src/guardrails/policy/rule-check.service.ts'
import { createAccept } from '../src/runs/accept/accept-batch.service.ts'
import { createRunCreation } from '../src/runs/accept/create-run.service.ts'
import { runsBounds } from '../src/runs/bounds.ts'
import { createActions } from '../src/runs/control/action.service.ts'
import { createCancels } from '../src/runs/control/cancel.service.ts'
import { unattended } from '../src/runs/queue/admission.fixture.ts'
import type { AccessibleRun } from '../src/runs/run/accessible-run.ts'
import { askedRun } from './asked-run.ts'
import { scriptedDatabase } from './scripted-database.ts'
import { unguarded } from './test-guard.ts'

const org = '01890a5d-ac96-774b-bcce-b302099a8057'
const uuid = '01890a5d-ac96-774b-bcce-b302099a8058'
const other = '01890a5d-ac96-774b-bcce-b302099a8059'
const run = { id: fromUuid('run', uuid), uuid } as AccessibleRun
const newId = ((prefix: 'run') => fromUuid(prefix, uuid)) as never
const contended = { code: 'unavailable', retryAfterSeconds: 1, reason: 'contended' }
const nothing = {} as never

test('a run whose quota shards are always emptied by others is refused after the tries of runsBounds.quotaTries', async () => {
  const exhausted = Object.assign(new Error('The shard is exhausted'), { code: 'ARQ01' })
  const { db, countOf } = scriptedDatabase({
    'runs.accept_several': () => [{ id: uuid, refusal: 'shard_exhausted' }],
    'runs.accept': () => {
      throw exhausted
    },
    'calls.room': () => [{ slot: 3, room: '1', seconds_left: 60 }],
  })
  const accept = createAccept({ app: db, admission: unattended, relayAfterMs: 0, cellSlots: 10 })
  await expect(accept(org, askedRun(uuid, { id: uuid }))).rejects.toMatchObject({ why: 'contended' })
  expect(countOf('calls.room')).toBe(runsBounds.quotaTries.count)
})

test('a run whose key is always taken by others and never found is refused after the tries of runsBounds.keyTries', async () => {
  const taken = () => [{ id: uuid, refusal: 'key_taken' }]
  const { db, countOf } = scriptedDatabase({ 'runs.accept': taken, 'runs.accept_several': taken })
  const creation = createRunCreation({
    ...{ app: db, clock: systemClock, newId, admission: unattended, relayAfterMs: 0, cellSlots: 10 },
    ...unguarded(db),
    agents: { getId: async () => other as never },
    schemas: nothing,
    feed: nothing,
  })
  const ctx = { ...testRequest(org), idempotencyKey: 'key' }
  const body = { agent_id: fromUuid('ag', other), input: {} }
  await expect(creation.create(ctx, body)).rejects.toMatchObject(contended)
  expect(countOf('idempotency.find')).toBe(runsBounds.keyTries.count)
  await expect(creation.accept(ctx, body)).rejects.toMatchObject(contended)
  expect(countOf('idempotency.find')).toBe(2 * runsBounds.keyTries.count)
})

test('a run that moves between the statements of each cancel is refused after the tries of runsBounds.cancelTries', async () => {
  const { db, countOf } = scriptedDatabase({ 'runs.find': () => [{ id: uuid, status: 'running' }] })
  const { cancel } = createCancels({
    ...{ app: db, newId, admission: unattended, cancelGraceMs: 0 },
    feed: nothing,
    pubSub: nothing,
    noteEnd: nothing,
  })
  await expect(cancel({ org }, run)).rejects.toMatchObject(contended)
  expect(countOf('runs.cancel')).toBe(runsBounds.cancelTries.count)
})

test('a payload that is always checked for another question than the open one is refused after runsBounds.payloadChecks', async () => {
  const idOf = (n: number) => `01890a5d-ac96-774b-bcce-${String(n).padStart(12, '0')}`
  let asked = 0
  const {
    db,
    asked: statements,
    countOf,
  } = scriptedDatabase({
    'actions.lock_head': () => [{ status: 'requires_action', actions: 0, messages: 0 }],
    'actions.list': () => [
      { id: idOf(asked++), type: 'question', response_schema: {}, resolution: null, payload: null, comment: null },
    ],
  })
  let checks = 0
  const { act } = createActions({
    ...{ app: db, newId, admission: unattended, feed: nothing },
    ...unguarded(db),
    schemas: { faultsOf: async () => [void checks++].slice(1) } as never,
  })
  const answer = { type: 'respond', payload: { yes: true } } as const
  await expect(act(testRequest(org), answer, run)).rejects.toMatchObject(contended)
  expect(checks).toBe(runsBounds.payloadChecks.count)
  expect(countOf('actions.lock_head')).toBe(runsBounds.payloadChecks.count)
  expect(statements.map(({ name }) => name)).not.toContain('actions.resolve')
})

test('more lists of tools at once than connectorsBounds.lists are refused, whatever the organisation', async () => {
  const { db } = scriptedDatabase({ 'connectors.find_counted': () => [{ id: uuid }] })
  const started: (() => void)[] = []
  const tools = createToolService({
    app: db,
    newId,
    limits: { openTimeoutMs: 60_000 } as never,
    listings: {
      list: () => new Promise((_, reject) => started.push(() => reject(new Error('over')))),
    } as never,
  })
  const perOrg = connectorsBounds.listsOfOrganisation.count
  const id = fromUuid('con', uuid)
  const refresh = (n: number) => tools.refresh(testRequest(`org ${Math.floor(n / perOrg)}`), id)
  const all = Array.from({ length: connectorsBounds.lists.count }, (_, n) =>
    refresh(n).catch((error: Error) => error.message),
  )
  await expect.poll(() => started.length).toBe(connectorsBounds.lists.count)
  await expect(refresh(connectorsBounds.lists.count)).rejects.toMatchObject({
    code: 'unavailable',
    retryAfterSeconds: 5,
    message: expect.stringContaining('The service is already listing'),
  })
  for (const end of started) end()
  expect(new Set(await Promise.all(all))).toEqual(new Set(['over']))
  expect(started).toHaveLength(connectorsBounds.lists.count)
})

/** A thread whose tasks need this much CPU. */
const threadsThatNeed = (cpuMs: number) => ({
  run: async ({ maxCpuMs }: { maxCpuMs: number }): Promise<TaskOutcome> =>
    cpuMs > maxCpuMs ? { kind: 'out_of_time', progress: null } : { kind: 'done', result: [] },
})

test('rules that need more CPU to check than guardrailsBounds.policyCheckCpu are refused together', async () => {
  const check = (cpuMs: number) =>
    requireRules(
      {
        threads: threadsThatNeed(cpuMs) as never,
        expressions: nothing,
        egress: nothing,
        ownUrl: new URL('https://ars.example.com'),
        schemas: nothing,
        models: { find: () => null },
        keyring: undefined,
      },
      'o',
      [{ check: 'regex', stages: ['input'], action: 'block', params: { pattern: 'a' } } as never],
    )
  const { ms } = guardrailsBounds.policyCheckCpu
  expect(await check(ms)).toHaveLength(1)
  await expect(check(ms + 1)).rejects.toMatchObject({
    code: 'policy_invalid',
    message: expect.stringContaining('too much CPU time'),
  })
})

test('an expression that needs more CPU to check than guardrailsBounds.expressionCheckCpu has a problem that says so', async () => {
  const { ms } = guardrailsBounds.expressionCheckCpu
  const check = (cpuMs: number) => createExpressions({ threads: threadsThatNeed(cpuMs) }).check('o', 'true')
  expect(await check(ms)).toEqual([])
  expect(await check(ms + 1)).toEqual([{ message: 'Checking the expression takes too much CPU time', position: 0 }])
})
