import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addOrganisation } from '../../../test/add-organisation.ts'
import { askedRun } from '../../../test/asked-run.ts'
import { testAgents } from '../../agents/agents.fixture.ts'
import { acceptRuns } from '../accept/accept.store.ts'
import { findWritten, storeDeltas } from '../feed/delta.store.ts'
import { findRun } from '../run/run.store.ts'
import type { Segment } from '../run/segment.ts'
import { storeFindings } from './finding.store.ts'
import { parkRun } from './park.store.ts'
import { claimSteps, findStepState, finishRuns, handOver, noteBackOff, storeSteps } from './segment.store.ts'
import type { ClaimedStep, StoredStep } from './step-row.ts'
import { finishToolCall, resetOutput, startToolCall } from './tool-call.store.ts'

const log = createLog({ level: 'silent' })
const newId = createIdMaker(systemClock)
let database: TestDatabase
let app: Database
let org: string
let agentId: string

beforeAll(async () => {
  database = await createTestDatabase()
  app = openDatabase({ url: database.appUrl, name: 'app', size: 3, acquireTimeoutMs: 30_000, log })
  org = await addOrganisation(database)
  const [echo] = await testAgents({ app, newId }).seedTestFamily(org)
  agentId = toUuid(echo?.id ?? '')
})
afterAll(async () => {
  await app.close()
  await database.drop()
})

const query = (text: string, values: unknown[]) =>
  asClient(database.superuserUrl, async (client) => (await client.query(text, values)).rows)

const accept = async (): Promise<Segment> => {
  const run = toUuid(newId('run'))
  await acceptRuns(app, org, [askedRun(agentId, { id: run })], { relayAfterMs: 0, cellSlots: 100 })
  return { org, run, epoch: 1, segment: 1, step: 1 }
}

const newClaimId = () => toUuid(newId('claim'))

const claim = async (segment: Segment, { claimId = newClaimId(), alone = true } = {}): Promise<ClaimedStep | null> => {
  const [verdict] = await claimSteps(app, org, [{ segment, step: 1, claimId, alone }])
  return verdict?.kind === 'claimed' ? { segment, step: 1, attempt: verdict.claim.attempt, claimId } : null
}

/** The claim of a worker, taken back as a fail-over to a standby that did not receive its commit does. */
const claimInLostTail = async (segment: Segment): Promise<ClaimedStep | null> => {
  const [head] = await query('select attempt, claims, seq, status from run_heads where run_id = $1', [segment.run])
  const claimed = await claim(segment)
  await query(
    'update run_heads set attempt = $2, claims = $3, seq = $4, status = $5, started_at = null, claim_id = null where run_id = $1',
    [segment.run, head.attempt, head.claims, head.seq, head.status],
  )
  await query('delete from run_events where run_id = $1 and seq > $2', [segment.run, head.seq])
  return claimed
}

/** Two workers with the same attempt of the same step. */
const holders = async (): Promise<{ old: ClaimedStep; young: ClaimedStep }> => {
  const segment = await accept()
  const old = await claimInLostTail(segment)
  const young = await claim(segment)
  expect(old?.attempt).toBe(1)
  expect(young?.attempt).toBe(1)
  return { old: old as ClaimedStep, young: young as ClaimedStep }
}

const step: StoredStep = {
  kind: 'model',
  content: { text: 'one' },
  tokens: { input: 3, output: 4 },
  costUsd: 0.5,
  messagesRead: 0,
  startedAt: new Date(),
}
const call = { ordinal: 0, name: 'pay', connectorId: null, arguments: {}, repeatable: false }
const finding = {
  policyId: toUuid(newId('pol')),
  policyVersion: 1,
  rule: 'names',
  check: 'regex',
  stage: 'output',
  action: 'flag',
  enforced: true,
  reason: 'A name',
  count: 1,
  isUnmade: false,
} as const
const ask = {
  type: 'approval',
  ordinal: 0,
  message: 'May I?',
  toolCall: null,
  responseSchema: null,
  expiresInSeconds: 60,
  sealed: null,
} as const
const completed = { status: 'completed', output: { result: 'done' }, error: null } as const
const deltaOf = ({ segment: { run, epoch }, attempt, claimId }: ClaimedStep) => {
  return { run, epoch, attempt, claimId, seq: null, data: { step: 1, delta: 'said' } }
}

/** Every write of an attempt. Null: it was refused. The last one ends the run. */
const writes: Record<string, (at: ClaimedStep) => Promise<unknown>> = {
  'start a tool call': (at) => startToolCall(app, org, at, call),
  'end a tool call': (at) => finishToolCall(app, org, at, { ordinal: 0, name: 'pay', result: 1, isError: false }),
  'stream text': async (at) => (await storeDeltas(app, org, [deltaOf(at)]))[0],
  'settle a text in doubt': (at) => findWritten(app, org, { ...deltaOf(at), after: null }),
  'withdraw text': (at) => resetOutput(app, org, at),
  'store a finding': (at) => storeFindings(app, org, at, [finding]),
  'note a back-off': async (at) => {
    const note = toUuid(newId('note'))
    await noteBackOff(app, org, { ...at, retryAt: new Date(), note })
    const [head] = await query('select note from run_heads where run_id = $1', [at.segment.run])
    return head.note === note ? head : null
  },
  'store its step': async (at) => {
    const [verdict] = await storeSteps(app, org, [{ ...at, stored: step, reset: false }])
    return verdict?.kind === 'stored' ? verdict : null
  },
  'hand the run over': (at) => handOver(app, org, { ...at, step: at.step - 1 }),
  'let the run wait for a person': async (at) => {
    const asks = [{ ...ask, id: toUuid(newId('act')) }]
    const parked = await parkRun(app, org, { ...at, stored: null, reset: false, asks, eventId: toUuid(newId('evt')) })
    return parked.kind === 'parked' ? parked : null
  },
  'end the run': async (at) => {
    const end = { eventId: toUuid(newId('evt')), stored: step, rest: '', outcome: completed }
    const [verdict] = await finishRuns(app, org, [{ ...at, ...end }])
    return verdict?.kind === 'finished' ? verdict : null
  },
}

describe('after a fail-over that lost a claim, when another worker has the same attempt', () => {
  test.each(Object.keys(writes))('the old holder cannot %s, and the new one can', async (name) => {
    const { old, young } = await holders()
    const write = writes[name] ?? (() => Promise.reject(new Error(name)))
    const before = await query('select to_json(h) as head from run_heads h where run_id = $1', [old.segment.run])
    expect((await write(old)) ?? null).toBeNull()
    expect(await query('select to_json(h) as head from run_heads h where run_id = $1', [old.segment.run])).toEqual(
      before,
    )
    expect((await write(young)) ?? null).not.toBeNull()
  })

  test('only the calls and the text of the new holder are in the run, which ends once with its output', async () => {
    const { old, young } = await holders()
    for (const at of [old, young]) {
      await writes['start a tool call']?.(at)
      await writes['stream text']?.(at)
    }
    for (const at of [old, young]) await writes['end the run']?.(at)
    const { run } = young.segment
    const [rows] = await query(
      `select (select count(*)::integer from run_tool_calls where run_id = $1) as calls,
              (select count(*)::integer from run_events where run_id = $1 and type = 'run.tool_call.started') as started,
              (select count(*)::integer from run_deltas where run_id = $1) as deltas,
              (select count(*)::integer from events where subject_id = $1) as ends`,
      [run],
    )
    expect(rows).toEqual({ calls: 1, started: 1, deltas: 1, ends: 1 })
    expect(await findRun(app, org, run)).toMatchObject({ status: 'completed', output: { result: 'done' } })
  })

  test('the state of the step names the claim, so that the old holder knows that it is not its own', async () => {
    const { old, young } = await holders()
    const state = await findStepState(app, org, young)
    expect(state).toMatchObject({ kind: 'open', attempt: old.attempt, claimId: young.claimId })
  })
})

describe('a claim that is offered again after its answer was lost', () => {
  test('gets the attempt that it has, and is neither counted nor told again', async () => {
    const segment = await accept()
    const claimId = newClaimId()
    const first = await claim(segment, { claimId })
    const rowsOf = () =>
      query(
        `select (select to_json(h) from run_heads h where run_id = $1) as head,
                (select json_agg(e.type order by e.seq) from run_events e where run_id = $1) as events`,
        [segment.run],
      )
    const before = await rowsOf()
    expect(await claim(segment, { claimId })).toEqual(first)
    expect(await rowsOf()).toEqual(before)
    expect(before[0].events).toEqual(['run.created', 'run.started', 'run.step.started'])
    expect(await writes['end the run']?.(first as ClaimedStep)).not.toBeNull()
  })

  test('gets it also when the step has been interrupted so often that it must run alone', async () => {
    const segment = await accept()
    await claim(segment)
    const claimId = newClaimId()
    const second = await claim(segment, { claimId, alone: false })
    expect(second?.attempt).toBe(2)
    expect(await claim(segment, { claimId, alone: false })).toEqual(second)
    expect(await claim(segment, { alone: false })).toBeNull()
  })

  test('is a new claim when another worker has claimed the step since', async () => {
    const segment = await accept()
    const claimId = newClaimId()
    const first = await claim(segment, { claimId })
    const other = await claim(segment)
    const again = await claim(segment, { claimId })
    expect([first?.attempt, other?.attempt, again?.attempt]).toEqual([1, 2, 3])
    expect(await writes['stream text']?.(first as ClaimedStep)).toBeNull()
    expect(await writes['stream text']?.(other as ClaimedStep)).toBeNull()
    expect(await writes['end the run']?.(again as ClaimedStep)).not.toBeNull()
  })

  test('is a new claim when the first one was lost with a primary', async () => {
    const segment = await accept()
    const lost = (await claimInLostTail(segment)) as ClaimedStep
    expect(await claim(segment, { claimId: lost.claimId })).toEqual(lost)
    const types = await query('select type from run_events where run_id = $1 order by seq', [segment.run])
    expect(types.map(({ type }) => type)).toEqual(['run.created', 'run.started', 'run.step.started'])
  })
})
