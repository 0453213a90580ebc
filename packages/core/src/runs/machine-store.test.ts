import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccess } from '../access/index.ts'
import { createAgents } from '../agents/index.ts'
import { addMessage, listActions, lockHead, resolveAction, resumeRun } from './action.store.ts'
import { cancelRun } from './cancel.store.ts'
import { storeDeltas } from './delta.store.ts'
import { parkRun } from './park.store.ts'
import { acceptRuns } from './run.store.ts'
import { failure } from './run.ts'
import { emptyMachine, type Machine, type Move, play } from './run-machine.fixture.ts'
import { type Draw, type Given, moveOf, remember, schedules } from './schedule.fixture.ts'
import { claimSteps, confirmCancelled, finishRuns, handOver, type StoredStep, storeSteps } from './segment.store.ts'
import { admitRuns, ensureCellSlots } from './slot.store.ts'
import { endOverdueRuns, resubmit } from './sweep.store.ts'

const log = createLog({ level: 'silent' })
const newId = createIdMaker(systemClock)
const settings = { relayAfterMs: 0, cellSlots: 50 }
const slots = 2
const keyId = toUuid(newId('key'))
let database: TestDatabase
let app: Database
let system: Database

beforeAll(async () => {
  database = await createTestDatabase()
  app = openDatabase({ url: database.appUrl, name: 'app', size: 3, acquireTimeoutMs: 30_000, log })
  system = openDatabase({ url: database.systemUrl, name: 'system', size: 3, acquireTimeoutMs: 30_000, log })
  await ensureCellSlots(system, settings.cellSlots)
})
afterAll(async () => {
  await Promise.all([app.close(), system.close()])
  await database.drop()
})

test('the stores do what the run machine says, move by move, whatever crashes, comes twice or comes late', async () => {
  let moves = 0
  await asClient(database.superuserUrl, async (client) => {
    const query: Query = async (text, values) => (await client.query(text, values)).rows
    await fc.assert(
      fc.asyncProperty(schedules({ minLength: 15, maxLength: 50 }), async (draws) => {
        moves += await playBoth(await newStage(query), [{ kind: 'accept', run: 0, pick: 0, read: false }, ...draws])
        await query('update cell_slots set run_id = null; delete from run_heads; delete from outbox', undefined)
      }),
      { numRuns: 40 },
    )
  })
  expect(moves).toBeGreaterThan(300)
})

type Query = (text: string, values: unknown[] | undefined) => Promise<Record<string, unknown>[]>
type Stage = { org: string; agentId: string; runs: string[]; query: Query }

const newStage = async (query: Query): Promise<Stage> => {
  const { org } = await createAccess({ app, auth: app, clock: systemClock, newId }).createOrganisation('Test')
  await query('update organisations set concurrent_runs = $2 where id = $1', [org, slots])
  const [echo] = await createAgents({ app, newId }).seedTestFamily(org)
  return { org, agentId: toUuid(echo?.id ?? ''), runs: [], query }
}

const playBoth = async (stage: Stage, draws: readonly Draw[]): Promise<number> => {
  const given: Given = { orders: [], holdings: [] }
  let machine = emptyMachine(slots)
  let moves = 0
  for (const draw of draws) {
    const move = moveOf(draw, machine, given)
    if (!move) continue
    const after = play(machine, move)
    await playStored(stage, move)
    expect(await storedView(stage), JSON.stringify(move)).toEqual(machineView(after))
    remember(given, machine, after, move)
    machine = after
    moves++
  }
  return moves
}

const machineView = ({ runs }: Machine) =>
  runs.map(({ status, events, step, epoch, segment, attempt, holdsSlot, rank }) => {
    const ended = ['completed', 'failed', 'cancelled'].includes(status)
    return { status, events, ...(ended ? {} : { step, epoch, segment, attempt, holdsSlot, rank }) }
  })

const storedView = async ({ org, runs, query }: Stage) => {
  const rows = await query(
    `select coalesce(e.status, h.status) as status, h.step, h.epoch, h.segment, h.attempt, h.rank, h.run_id is null as ended,
            exists (select from org_slots s where s.org_id = $1 and s.run_id = r.id and s.number = h.slot) as "holdsSlot",
            (select count(*)::integer from org_slots s where s.org_id = $1 and s.run_id = r.id)
              + (select count(*)::integer from cell_slots s where s.run_id = r.id) as slots,
            (select json_agg(f.type order by f.seq) from (
               select seq, type from run_events v where v.run_id = r.id
               union all select seq, 'run.output.delta' from run_deltas d where d.run_id = r.id) f) as events,
            (select array_agg(f.seq order by f.seq) from (
               select seq from run_events v where v.run_id = r.id
               union all select seq from run_deltas d where d.run_id = r.id) f) as numbers
       from runs r left join run_heads h on h.run_id = r.id left join run_results e on e.run_id = r.id
      where r.org_id = $1 order by array_position($2::uuid[], r.id)`,
    [org, runs],
  )
  return rows.map(({ status, events, numbers, ended, slots: held, ...head }) => {
    expect(numbers).toEqual((events as string[]).map((_, at) => at + 1))
    expect(held).toBe(head.holdsSlot ? 2 : 0)
    return { status, events, ...(ended ? {} : head) }
  })
}

const stored: StoredStep = {
  kind: 'model',
  content: null,
  tokens: { input: 0, output: 0 },
  costUsd: 0,
  messagesRead: 0,
  startedAt: new Date(),
}
const failed = failure('internal_error', 'It failed')

const playStored = async (stage: Stage, move: Move): Promise<unknown> => {
  const { org, agentId, runs, query } = stage
  if (move.kind === 'accept') {
    const id = toUuid(newId('run'))
    runs.push(id)
    const asked = { id, agentId, input: {}, metadata: {}, timeoutSeconds: null, checkedVersion: null, idempotency: undefined }
    return acceptRuns(app, org, [asked], settings)
  }
  if (move.kind === 'admit') return admitRuns(system, { limit: 50, cellSlots: settings.cellSlots })
  const run = runs[move.run] as string
  const eventId = toUuid(newId('evt'))
  if (move.kind === 'claim') {
    return claimSteps(app, org, [{ segment: { ...move.order, org, run }, step: move.order.step, alone: true }])
  }
  if ('holding' in move) {
    const { attempt, messagesRead, ...order } = move.holding
    const at = { segment: { ...order, org, run }, step: order.step, attempt }
    const kept = { ...stored, messagesRead }
    switch (move.kind) {
      case 'delta':
        return storeDeltas(app, org, [{ run, epoch: order.epoch, attempt, seq: null, data: { step: order.step, delta: 'a' } }])
      case 'store':
        return storeSteps(app, org, [{ ...at, stored: kept, reset: false }])
      case 'finish':
        return finishRuns(app, org, [{ ...at, eventId, stored: kept, outcome: { status: 'completed', output: {}, error: null } }])
      case 'fail':
        return finishRuns(app, org, [{ ...at, eventId, stored: null, outcome: { status: 'failed', output: null, error: failed } }])
      case 'park': {
        const ask = { type: 'approval', ordinal: 0, message: 'May I?', toolCall: null, responseSchema: null, expiresInSeconds: 60 } as const
        return parkRun(app, org, { ...at, stored: null, reset: false, asks: [{ ...ask, id: toUuid(newId('act')) }], eventId })
      }
      case 'hand_over':
        return handOver(app, org, at)
    }
  }
  switch (move.kind) {
    case 'message':
      return app.transaction(org, async (tx) => {
        const head = await lockHead(tx, org, run)
        if (head && head.status !== 'cancelling') await addMessage(tx, org, { run, text: 'Go on', by: keyId })
      })
    case 'decide':
      return app.transaction(org, async (tx) => {
        const head = await lockHead(tx, org, run)
        if (head?.status !== 'requires_action') return
        const open = (await listActions(tx, org, run)).find(({ resolution }) => resolution === null)
        const decision = { run, resolution: 'approve', payload: null, comment: null, by: keyId }
        if (open) await resolveAction(tx, org, { ...decision, action: open.id })
        await resumeRun(tx, org, run, settings)
      })
    case 'cancel':
      return cancelRun(app, org, { run, eventId, graceMs: 60_000 })
    case 'confirm':
      return confirmCancelled(app, org, { run, epoch: move.epoch, eventId })
    case 'overdue':
      await query(`update run_heads set deadline_at = app_now() - interval '1 second' where run_id = $1`, [run])
      return endOverdueRuns(system, {
        limit: 5,
        failures: { queued: failed, running: failed, requires_action: failed },
        eventIds: Array.from({ length: 5 }, () => toUuid(newId('evt'))),
      })
    case 'resubmit': {
      const [head] = await query('select epoch, segment, step + 1 as step from run_heads where run_id = $1', [run])
      return head && resubmit(system, { org, run, ...(head as { epoch: number; segment: number; step: number }) })
    }
  }
}
