import { platformBounds } from '@ars/platform/bounds'
import { systemClock } from '@ars/platform/clock'
import type { Statement } from '@ars/platform/db/statement'
import { createIdMaker } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import type { Sweep } from '@ars/platform/periodic'
import { fakeClock } from '@ars/testkit/clock'
import { expect, test } from 'vitest'
import { apiKeySweep } from '../src/access/api-key.sweep.ts'
import { accessBounds } from '../src/access/bounds.ts'
import { alertSweep } from '../src/alerts/alert.sweep.ts'
import { alertsBounds } from '../src/alerts/bounds.ts'
import { encodeItems } from '../src/batches/batch-encoding.service.ts'
import { batchesBounds } from '../src/batches/bounds.ts'
import { budgetsBounds } from '../src/budgets/bounds.ts'
import { reachedSweep } from '../src/budgets/reached.sweep.ts'
import { deploymentsBounds } from '../src/deployments/bounds.ts'
import { rollbackSweep } from '../src/deployments/rollback.sweep.ts'
import { eventsBounds } from '../src/events/bounds.ts'
import { eventPositionSweep } from '../src/events/event-position.sweep.ts'
import { guardrailsBounds } from '../src/guardrails/bounds.ts'
import { shadowSweep } from '../src/guardrails/policy/shadow.sweep.ts'
import { runsBounds } from '../src/runs/bounds.ts'
import { budgetSweep } from '../src/runs/control/budget.sweep.ts'
import { reconcileSweep } from '../src/runs/dispatch/reconcile.sweep.ts'
import { relaySweep } from '../src/runs/dispatch/relay.sweep.ts'
import { schedulesBounds } from '../src/schedules/bounds.ts'
import { scheduleDateSweep, scheduleEndSweep } from '../src/schedules/schedule.sweep.ts'
import { usageBounds } from '../src/usage/bounds.ts'
import { rollupSweep } from '../src/usage/rollup.sweep.ts'
import { webhooksBounds } from '../src/webhooks/bounds.ts'
import { leaseSweep } from '../src/webhooks/deliver/lease.sweep.ts'
import { scriptedDatabase } from './scripted-database.ts'

const log = createLog({ level: 'silent' })
const newId = createIdMaker(systemClock)
const uuid = '01890a5d-ac96-774b-bcce-b302099a8057'
const nothing = {} as never

/** As many rows as the statement asks for: the table never ends. */
const full = (row: object, limit: number) => (statement: Statement) => {
  expect(statement.values.includes(limit) || statement.text.includes(`limit ${limit}`)).toBe(true)
  return Array.from({ length: limit }, () => row)
}

type Endless = readonly [
  name: string,
  statement: string,
  together: number,
  rounds: number,
  open: (given: { system: never; newId: typeof newId; log: typeof log }) => Sweep,
  row?: object,
  more?: Parameters<typeof scriptedDatabase>[0],
]

const { count: pages } = platformBounds.sweepPages
const key = { id: uuid, org_id: uuid }

/** How many rows one statement takes, and how many statements one round has. */
const sweeps: readonly Endless[] = [
  [
    'accessBounds.expiringKeysTogether, accessBounds.expiringKeyRounds',
    'api_keys.expiring',
    accessBounds.expiringKeysTogether.count,
    accessBounds.expiringKeyRounds.count,
    apiKeySweep,
  ],
  [
    'alertsBounds.rulesTogether, alertsBounds.ruleRounds',
    'alert_rules.take_due',
    alertsBounds.rulesTogether.count,
    alertsBounds.ruleRounds.count,
    (given) => alertSweep({ ...given, onEvaluated: () => undefined }),
    key,
    { 'usage.as_of_all': () => [{ as_of: new Date() }] },
  ],
  [
    'deploymentsBounds.canariesTogether, deploymentsBounds.canaryRounds',
    'deployments.take_due',
    deploymentsBounds.canariesTogether.count,
    deploymentsBounds.canaryRounds.count,
    (given) => rollbackSweep({ ...given, watchAgent: nothing }),
    { ...key, rollback_rules: [{ min_runs: 1, window_seconds: 60 }] },
  ],
  ['budgetsBounds.budgetsTogether', 'budgets.changed', budgetsBounds.budgetsTogether.count, pages, reachedSweep],
  ['guardrailsBounds.shadowsEnded', 'policies.overdue_shadows', guardrailsBounds.shadowsEnded.count, 1, shadowSweep],
  [
    'runsBounds.wakeupsTogether',
    'sweep.due_orders',
    runsBounds.wakeupsTogether.count,
    pages,
    (given) =>
      relaySweep({
        ...given,
        dispatcher: { sendNow: async () => undefined },
        registration: nothing,
        relayAfterMs: 1_000,
      }),
  ],
  [
    'runsBounds.stalledRunsTogether',
    'sweep.stalled',
    runsBounds.stalledRunsTogether.count,
    pages,
    (given) =>
      reconcileSweep({
        ...given,
        engine: { query: async () => [] } as never,
        dispatcher: nothing,
        health: { upPartitions: () => new Set() } as never,
        partitionCount: 1,
        clock: fakeClock(),
        quietMs: 1_000,
      }),
  ],
  [
    'schedulesBounds.schedulesOfLook',
    'schedules.take_due',
    schedulesBounds.schedulesOfLook.count,
    pages,
    scheduleDateSweep,
  ],
  [
    'schedulesBounds.endsOfLook',
    'firings.take_started',
    schedulesBounds.endsOfLook.count,
    pages,
    ({ system }) => scheduleEndSweep({ system, app: system, statesOf: async () => new Map() }),
    { ...key, run_id: uuid, pipeline_run_id: null },
  ],
  [
    'webhooksBounds.orphansTogether',
    'endpoint_queues.orphans',
    webhooksBounds.orphansTogether.count,
    pages,
    (given) => leaseSweep({ ...given, deliveries: given.system, sender: { end: async () => nothing } }),
  ],
]

test.for(sweeps)(
  '%s: what one statement leaves waits for the next one, and what a round leaves for the next round',
  async ([, statement, together, rounds, open, row = key, more = {}]) => {
    const { db, countOf } = scriptedDatabase({ ...more, [statement]: full(row, together) })
    const sweep = open({ system: db as never, newId, log })
    await sweep.run()
    expect(countOf(statement)).toBe(rounds)
    await sweep.run()
    expect(countOf(statement)).toBe(2 * rounds)
  },
)

test('events get positions in batches and rounds of their rows (eventsBounds.positionsTogether, eventsBounds.positionBatches)', async () => {
  const { count: together } = eventsBounds.positionsTogether
  const handedOn: number[] = []
  const { db } = scriptedDatabase({
    'events.has_unassigned': () => [{ is_there: true }],
    'events.lock_clock': () => [{ position: '7' }],
    'events.unassigned': full({ id: uuid }, together),
    'events.assign_positions': () => [{ org_id: uuid, position: '9', events: together }],
  })
  const sweep = eventPositionSweep({
    deliveries: db,
    pubSub: { publish: () => undefined },
    listeners: [
      async (_, { ids }) => {
        handedOn.push(ids.length)
        return undefined
      },
    ],
  })
  await sweep.run()
  expect(handedOn).toEqual(Array(eventsBounds.positionBatches.count).fill(together))
})

test('ends and notes are counted in transactions and rounds of their rows (usageBounds.rollupBatches, usageBounds.notesTogether, usageBounds.leastEndsTogether)', async () => {
  const { count: batches } = usageBounds.rollupBatches
  const limits: number[] = []
  let isSlow = false
  const { db, countOf } = scriptedDatabase({
    'usage.lock_cursor': () => [{ position: '1' }],
    'usage.count_ends': ({ values }) => {
      const limit = values.findLast((value) => typeof value === 'number') as number
      limits.push(limit)
      if (isSlow) throw new Error('The batch takes too long')
      return [{ ends: limit }]
    },
    'usage.count_notes': () => [{ notes: usageBounds.notesTogether.count }],
  })
  const sweep = rollupSweep({ system: db })
  await sweep.run()
  expect([limits.length, countOf('usage.count_notes')]).toEqual([batches, batches])
  expect(new Set(limits)).toEqual(new Set([usageBounds.endsTogether.count]))
  isSlow = true
  for (let round = 0; round < 30; round++) await expect(sweep.run()).rejects.toThrow('too long')
  expect(limits.at(-1)).toBe(usageBounds.leastEndsTogether.count)
})

test('a raised budget lets its runs go on in transactions of runsBounds.runsResumedTogether, some budgets in a round (runsBounds.budgetsResumed)', async () => {
  const { count: together } = runsBounds.runsResumedTogether
  const { db, countOf } = scriptedDatabase({
    'budgets.list_due': full({ org_id: uuid, subject_id: uuid }, runsBounds.budgetsResumed.count),
    'budgets.lock_due': () => [{ has_room: true }],
    'budgets.list_waits': full({ run_id: uuid }, together),
  })
  const feed = { tell: () => undefined }
  await budgetSweep({ system: db, feed, admission: { nudge: () => undefined }, log }).run()
  expect(countOf('budgets.list_due')).toBe(1)
  expect(countOf('budgets.list_waits')).toBe(pages * runsBounds.budgetsResumed.count)
})

test('items of a batch are stored by statements of the count and the bytes of batchesBounds.itemsStoredTogether', async () => {
  const { count, bytes } = batchesBounds.itemsStoredTogether
  const itemsOf = (length: number, text: string) => Array.from({ length }, () => ({ input: { text } }))
  const pagesOf = async (items: object[]) =>
    (await encodeItems({ agent_id: 'ag_x', items } as never)).pages.map((page) => page.count)
  expect(await pagesOf(itemsOf(count + 1, 'x'))).toEqual([count, 1])
  const third = 'x'.repeat(Math.floor(bytes / 3))
  expect(await pagesOf(itemsOf(5, third))).toEqual([2, 2, 1])
  const larger = 'x'.repeat(bytes)
  expect(await pagesOf([...itemsOf(1, 'x'), ...itemsOf(2, larger), ...itemsOf(1, 'x')])).toEqual([1, 1, 1, 1])
})
