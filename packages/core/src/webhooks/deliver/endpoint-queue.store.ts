import type { Database, Tx } from '@ars/platform/db/database'
import { preferIndexes } from '@ars/platform/db/plan'
import { type NoParameters, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { idBounds } from '@ars/platform/id-range'
import type { ClaimAsk } from '@ars/platform/work/queue'
import { addWorkTable } from '../../work-rows.store.ts'
import { webhooksBounds } from '../bounds.ts'
import {
  type Claimed,
  findSubjects,
  findTraces,
  maxUnderWay,
  type StartedAttempt,
  startAttempts,
} from './attempt-start.sql.ts'

export type { Claimed }

// A delivery waits for its endpoint while that is paused, and for no worker.
addWorkTable({
  ...{ queue: 'deliveries', table: 'delivery_heads', held: 'lease_until' },
  where:
    'not exists (select from webhook_lanes l where l.webhook_id = delivery_heads.webhook_id and l.rest_until > app_now())',
})

export type Wanted = Omit<ClaimAsk, 'leaseSeconds'> & {
  /** Whether the traces of the runs are looked up. */
  isTraced?: boolean
}

/** The lease of an attempt. When it ends, another worker closes the attempt. The request itself has 10 s. */
export const leaseMs = 15_000

/**
 * Starts attempts that are due: at most 10 in flight per endpoint, round-robin over organisations, then over the endpoints
 * of each. Endpoint queues are locked first; locked ones are skipped until the next call. A second statement reads the due
 * deliveries, so that its snapshot contains everything that was committed before the locks.
 */
// crosses organisations: due deliveries of all organisations are sent, round-robin.
export const claimAttempts = async (
  db: Database,
  { count, heavyCount, perOrg, uses, isByTimer = false, isTraced = false }: Wanted,
): Promise<Claimed[]> => {
  if (isByTimer && (await db.once(null, anyDue())).length === 0) return []
  return db.transaction(null, async (tx) => {
    const allowances = uses.map(({ org, places, isHeavy, isResting }) => ({
      org_id: org,
      count: isResting || (isHeavy && heavyCount === 0) ? 0 : Math.max(0, perOrg - places),
      is_heavy: isHeavy,
    }))
    const busyOrgIds = allowances.flatMap((each) => (each.count === 0 ? [each.org_id] : []))
    const [, queues] = await Promise.all([
      tx.query(preferIndexes()),
      tx.query(lockQueues({ maxQueues: count, busyOrgIds })),
    ])
    if (queues.length === 0) return []
    const orgAllowances = JSON.stringify(allowances)
    const webhookIds = queues.map(({ webhook_id }) => webhook_id)
    const started = await tx.query(
      startAttempts({
        webhookIds,
        maxAttempts: count,
        maxHeavy: heavyCount,
        maxPerOrg: perOrg,
        orgAllowances,
        leaseMs,
      }),
    )
    return started.length === 0 ? [] : withSubjects(tx, started, isTraced)
  })
}

const withSubjects = async (tx: Tx, started: readonly StartedAttempt[], isTraced: boolean): Promise<Claimed[]> => {
  const deliveryIds = started.map(({ delivery_id }) => delivery_id)
  const eventIds = started.map(({ event_id }) => event_id)
  const { firstId: firstDeliveryId, lastId: lastDeliveryId } = idBounds(deliveryIds)
  const { firstId: firstEventId, lastId: lastEventId } = idBounds(eventIds)
  const bounds = { firstDeliveryId, lastDeliveryId, firstEventId, lastEventId }
  const found = await tx.query(findSubjects({ deliveryIds, eventIds, ...bounds }))
  const subjects = new Map(found.map(({ delivery_id, ...subject }) => [delivery_id, subject]))
  const runs = started.flatMap(({ delivery_id, org_id }) => {
    const run_id = subjects.get(delivery_id)?.run_id
    return run_id ? [{ run_id, org_id }] : []
  })
  const traces = isTraced && runs.length > 0 ? await readTraces(tx, runs) : new Map<string, string>()
  return started.map((attempt) => {
    const subject = subjects.get(attempt.delivery_id)
    if (!subject) throw new Error('The statement answers each delivery')
    return { ...attempt, ...subject, trace_context: traces.get(subject.run_id ?? '') ?? null }
  })
}

const readTraces = async (
  tx: Tx,
  runs: readonly { run_id: string; org_id: string }[],
): Promise<ReadonlyMap<string, string>> => {
  const runIds = runs.map(({ run_id }) => run_id)
  const traced = await tx.query(findTraces({ runIds, orgIds: runs.map(({ org_id }) => org_id), ...idBounds(runIds) }))
  return new Map(traced.map(({ run_id, trace_context }) => [run_id, trace_context]))
}

// crosses organisations: attempts of all organisations whose lease is over.
export const listOrphans = (db: Database, limit: number): Promise<Orphan[]> => db.once(null, orphans({ limit }))

export type Orphan = { delivery_id: string; webhook_id: string; number: number }

// crosses organisations: metrics for the operator.
export const countWaiting = async (db: Database): Promise<{ waiting: number; underWay: number }> => {
  const [row] = await db.once(null, countAll())
  return { waiting: row?.waiting ?? 0, underWay: row?.under_way ?? 0 }
}

// The oldest due queues: more than one worker can start attempts for.
const maxQueuesPerRound = webhooksBounds.queuesCompared.count

const lockQueues = statement<{ maxQueues: number; busyOrgIds: readonly Uuid[] }, { webhook_id: string }>(
  'endpoint_queues.lock',
  sql`with due as (
     select webhook_id, due_at, row_number() over (partition by org_id order by due_at) as turn
       from (select webhook_id, org_id, due_at from webhook_lanes
              where due_at <= app_now() and under_way < ${maxUnderWay} and org_id <> all (:busyOrgIds::uuid[])
                -- The cell to which an organisation moves sends its deliveries.
                and org_id <> all (array(select id from closed_organisations))
              order by due_at limit ${maxQueuesPerRound}) oldest
   ), chosen as (
     select webhook_id from due order by turn, due_at limit :maxQueues
   )
   select l.webhook_id from webhook_lanes l
    where l.webhook_id in (select webhook_id from chosen) and l.due_at <= app_now() and l.under_way < ${maxUnderWay}
    order by l.webhook_id for update skip locked`,
)

const anyDue = statement(
  'endpoint_queues.any_due',
  sql`select from webhook_lanes where due_at <= app_now() and under_way < ${maxUnderWay} limit 1`,
)

const orphans = statement<{ limit: number }, Orphan>(
  'endpoint_queues.orphans',
  sql`select delivery_id, webhook_id, number from delivery_heads
    where lease_until <= app_now() order by lease_until limit :limit`,
)

const countAll = statement<NoParameters, { waiting: number; under_way: number }>(
  'endpoint_queues.count',
  sql`select coalesce(sum(waiting), 0)::integer as waiting, coalesce(sum(under_way), 0)::integer as under_way
     from webhook_lanes where waiting > 0`,
)
