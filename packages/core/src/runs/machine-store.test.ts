import { systemClock } from '@ars/platform/clock'
import { sha256 } from '@ars/platform/crypto'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { asClient } from '@ars/testkit/client'
import { oneIn } from '@ars/testkit/costly-property'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdmissionWorld, createAdmissionWorld } from '../../test/admission-world.ts'
import { addMessage, listActions, lockHead, resolveAction, resumeRun } from './control/action.store.ts'
import { cancelRun } from './control/cancel.store.ts'
import { endOverdueRuns } from './control/deadline.store.ts'
import { resubmit } from './dispatch/dispatch.store.ts'
import { parkRun } from './execute/park.store.ts'
import { claimSteps, confirmCancelled, finishRuns, handOver, storeSteps } from './execute/segment.store.ts'
import type { StoredStep } from './execute/step-row.ts'
import { storeDeltas } from './feed/delta.store.ts'
import { admitRuns } from './queue/admission.store.ts'
import { failure } from './run/run.ts'
import { emptyMachine, type Holding, type Machine, type Move, play } from './run-machine.fixture.ts'
import { type Draw, type Given, moveOf, remember, schedules } from './schedule.fixture.ts'

const newId = createIdMaker(systemClock)
const settings = { relayAfterMs: 0, cellSlots: 50 }
const slots = 2
const by = { type: 'key', uuid: toUuid(newId('key')) } as const
let world: AdmissionWorld
let app: AdmissionWorld['app']
let system: AdmissionWorld['system']

beforeAll(async () => {
  world = await createAdmissionWorld()
  ;({ app, system } = world)
})
afterAll(() => world.close())

test.each([
  ['of an agent without a limit', null],
  ['of an agent that may have one run at once', 1],
])(
  'the stores match the run machine %s, move by move, under crashes, duplicates and delays',
  async (_, concurrency) => {
    let moves = 0
    await asClient(world.superuserUrl, async (client) => {
      // The tables are small: a plan with parallel processes is far slower than one without, and so is planning each time.
      await client.query('set max_parallel_workers_per_gather = 0')
      const query: Query = async (text, values) =>
        (await client.query(values ? { name: sha256(text).toString('base64url'), text, values } : text)).rows
      await fc.assert(
        fc.asyncProperty(schedules({ minLength: 15, maxLength: 50 }), async (draws) => {
          moves += await playBoth(await newStage(query, concurrency), [
            { kind: 'accept', run: 0, pick: 0, read: false },
            ...draws,
          ])
          await query('delete from run_heads; delete from outbox', undefined)
        }),
        // Each schedule takes a tenth of a second.
        oneIn(5),
      )
    })
    expect(moves).toBeGreaterThan(100)
  },
)

type Query = (text: string, values: unknown[] | undefined) => Promise<Record<string, unknown>[]>
type Stage = { org: string; agentId: string; concurrency: number | null; runs: string[]; query: Query }

const newStage = async (query: Query, concurrency: number | null): Promise<Stage> => {
  const { org, agentId } = await world.addTenant(slots)
  await world.limitAgent({ agentId }, concurrency)
  return { org, agentId, concurrency, runs: [], query }
}

const playBoth = async (stage: Stage, draws: readonly Draw[]): Promise<number> => {
  const given: Given = { orders: [], holdings: [], claims: 0 }
  let machine = emptyMachine(slots, stage.concurrency)
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
  runs.map(({ status, events, step, epoch, segment, attempt, waits, isAdmitted }) => {
    const ended = ['completed', 'failed', 'cancelled'].includes(status)
    return { status, events, ...(ended ? {} : { step, epoch, segment, attempt, waits, isAdmitted }) }
  })

const storedView = async ({ org, runs, query }: Stage) => {
  const rows = await query(
    `select coalesce(e.status, h.status) as status, h.step, h.epoch, h.segment, h.attempt, h.waits_for is not null as waits,
            h.is_admitted as "isAdmitted", h.run_id is null as ended,
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
  return rows.map(({ status, events, numbers, ended, ...head }) => {
    expect(numbers).toEqual((events as string[]).map((_, at) => at + 1))
    return { status, events, ...(ended ? {} : head) }
  })
}

const recordOf = ({ messagesRead }: Holding): StoredStep => ({
  kind: 'model',
  content: null,
  tokens: { input: 0, output: 0 },
  costUsd: 0,
  messagesRead,
  startedAt: new Date(),
})
const completed = { status: 'completed', output: {}, error: null } as const
const ask = {
  type: 'approval',
  ordinal: 0,
  message: 'May I?',
  toolCall: null,
  responseSchema: null,
  expiresInSeconds: 60,
  sealed: null,
} as const
const failed = failure('internal_error', 'It failed')

const playStored = (stage: Stage, move: Move): Promise<unknown> => stored[move.kind](stage, move as never)

const heldOf = ({ org, runs }: Stage, { run, holding }: { run: number; holding: Holding }) => {
  const { attempt, claim, epoch, segment, step } = holding
  const at = { org, run: runs[run] as string, epoch, segment, step }
  return { segment: at, step, attempt, claimId: claimIdOf(claim) }
}
const runOf = ({ runs }: Stage, { run }: { run: number }): string => runs[run] as string
const claimIdOf = (claim: number): string => `00000000-0000-4000-8000-${String(claim).padStart(12, '0')}`
const eventId = () => toUuid(newId('evt'))

/** Each move of the machine as the store implements it. */
const stored: { [Kind in Move['kind']]: (stage: Stage, move: Extract<Move, { kind: Kind }>) => Promise<unknown> } = {
  accept: async ({ runs, ...tenant }) => {
    const [run] = await world.accept(tenant, 1, settings.cellSlots)
    runs.push(run?.id ?? '')
  },
  admit: () => admitRuns(system, settings),
  claim: (stage, { run, order: { epoch, segment, step }, claim }) => {
    const at = { org: stage.org, run: runOf(stage, { run }), epoch, segment, step }
    return claimSteps(app, stage.org, [{ segment: at, step, claimId: claimIdOf(claim), alone: true }])
  },
  delta: (stage, move) => {
    const { attempt, claim, epoch, step } = move.holding
    const claimId = claimIdOf(claim)
    const delta = { run: runOf(stage, move), epoch, attempt, claimId, seq: null, data: { step, delta: 'a' } }
    return storeDeltas(app, stage.org, [delta])
  },
  store: (stage, move) =>
    storeSteps(app, stage.org, [{ ...heldOf(stage, move), stored: recordOf(move.holding), reset: false }]),
  finish: (stage, move) => {
    const end = { eventId: eventId(), stored: recordOf(move.holding), rest: '', outcome: completed }
    return finishRuns(app, stage.org, [{ ...heldOf(stage, move), ...end }])
  },
  fail: (stage, move) => {
    const outcome = { status: 'failed', output: null, error: failed } as const
    return finishRuns(app, stage.org, [{ ...heldOf(stage, move), eventId: eventId(), stored: null, rest: '', outcome }])
  },
  park: (stage, move) => {
    const asks = [{ ...ask, id: toUuid(newId('act')) }]
    return parkRun(app, stage.org, { ...heldOf(stage, move), stored: null, reset: false, asks, eventId: eventId() })
  },
  hand_over: (stage, move) => handOver(app, stage.org, heldOf(stage, move)),
  message: (stage, move) =>
    app.transaction(stage.org, async (tx) => {
      const run = runOf(stage, move)
      const head = await lockHead(tx, stage.org, run)
      if (head && head.status !== 'cancelling') await addMessage(tx, stage.org, { run, text: 'Go on', by })
    }),
  decide: (stage, move) =>
    app.transaction(stage.org, async (tx) => {
      const run = runOf(stage, move)
      const head = await lockHead(tx, stage.org, run)
      if (head?.status !== 'requires_action') return
      const open = (await listActions(tx, stage.org, run)).find(({ resolution }) => resolution === null)
      const decision = { run, resolution: 'approve', payload: null, comment: null, by }
      if (open) await resolveAction(tx, stage.org, { ...decision, action: open.id })
      await resumeRun(tx, stage.org, run)
    }),
  cancel: (stage, move) => cancelRun(app, stage.org, { run: runOf(stage, move), eventId: eventId(), graceMs: 60_000 }),
  confirm: (stage, move) =>
    confirmCancelled(app, stage.org, { run: runOf(stage, move), epoch: move.epoch, eventId: eventId() }),
  overdue: async (stage, move) => {
    const past = `update run_heads set deadline_at = app_now() - interval '1 second' where run_id = $1`
    await stage.query(past, [runOf(stage, move)])
    const failures = { queued: failed, running: failed, requires_action: failed }
    return endOverdueRuns(system, {
      ...{ limit: 5, only: null, except: [], failures },
      eventIds: Array.from({ length: 5 }, eventId),
    })
  },
  resubmit: async (stage, move) => {
    const run = runOf(stage, move)
    const [head] = await stage.query('select epoch, segment, step + 1 as step from run_heads where run_id = $1', [run])
    return (
      head && resubmit(system, { org: stage.org, run, ...(head as { epoch: number; segment: number; step: number }) })
    )
  },
}
