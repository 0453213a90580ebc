import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { IdempotentReplay } from '../../idempotency.ts'
import { releaseColumns, sidesOfA, thisMonth } from './accept.sql.ts'
import type { NewRun } from './accept.store.ts'
import type { AgentRelease } from './agent-release.ts'
import { type ShardRoom, shardCount, shareOfShard } from './monthly-quota.ts'

/** The calls that are left this month, by shard, and the seconds until the month ends. */
export const findCallRoom = async (db: Database, org: string): Promise<CallRoom> =>
  toCallRoom(await db.once(org, room({ org })))

type CallRoom = { rooms: ShardRoom[]; secondsLeft: number }
type RoomRow = { slot: number; room: string; seconds_left: number }

const toCallRoom = (rows: readonly RoomRow[]): CallRoom => ({
  rooms: rows.map((row) => ({ shard: row.slot, room: Number(row.room) })),
  secondsLeft: rows[0]?.seconds_left ?? 1,
})

/** What the answer to a run without a call depends on: the run that holds its key, and the release that it would have got. */
export type WithoutCall = { replay: IdempotentReplay | null; release: AgentRelease | null }

type OfferedRun = Pick<NewRun, 'id' | 'agentId' | 'bucket' | 'idempotency'>

/**
 * The same, with what the answers to these runs depend on if no call is left: a refused request costs one transaction, and
 * requests of one batch share it.
 */
export const findCallRoomFor = async (
  db: Database,
  org: string,
  runs: readonly OfferedRun[],
): Promise<CallRoom & { withoutCall(runId: string): WithoutCall }> => {
  const offered = {
    runIds: runs.map(({ id }) => id),
    keys: runs.map(({ idempotency }) => idempotency?.key ?? null),
    agentIds: runs.map(({ agentId }) => agentId),
    buckets: runs.map(({ bucket }) => bucket),
  }
  // The keys are read after the room: if a run has used the last call, its key is seen.
  const [rooms, rows] = await db.batch(org, [room({ org }), findOffered({ org, ...offered })])
  const known = new Map(rows.map((row) => [row.run_id, toWithoutCall(row)]))
  return { ...toCallRoom(rooms), withoutCall: (runId) => known.get(runId) ?? { replay: null, release: null } }
}

const toWithoutCall = ({ subject_id, fingerprint, status, live_version, version, ...row }: OfferedRow): WithoutCall => {
  const { canary_version, canary_percent, input_schema } = row
  const isFound = status !== null && live_version !== null && version !== null
  return {
    replay: subject_id !== null && fingerprint !== null ? { subject_id, fingerprint } : null,
    release: isFound ? { status, live_version, canary_version, canary_percent, version, input_schema } : null,
  }
}

// A quota that was lowered during the month may leave shards above their share. The others get that much less.
const room = statement<{ org: Uuid }, RoomRow>(
  'calls.room',
  sql`with counted as (
    select slot, calls from call_counts where org_id = :org and month = ${thisMonth}
  )
  select s.slot,
         greatest(0, least(${shareOfShard('s.slot')} - coalesce(c.calls, 0),
           o.calls_per_month - (select coalesce(sum(calls), 0) from counted)))::bigint as room,
         ceil(extract(epoch from (${thisMonth} + interval '1 month') at time zone 'utc' - app_now()))::integer as seconds_left
    from organisations o
    cross join generate_series(0, ${shardCount - 1}) as s (slot)
    left join counted c on c.slot = s.slot
   where o.id = :org order by s.slot`,
)

type OfferedParameters = {
  org: Uuid
  runIds: readonly Uuid[]
  keys: readonly (string | null)[]
  agentIds: readonly Uuid[]
  buckets: readonly number[]
}

type OfferedRow = {
  run_id: string
  subject_id: string | null
  fingerprint: Buffer | null
  status: 'active' | 'archived' | null
  live_version: number | null
  canary_version: number | null
  canary_percent: number | null
  version: number | null
  input_schema: Record<string, unknown> | null
}

// One row of each table at most, by its index, whatever the number of runs is.
const findOffered = statement<OfferedParameters, OfferedRow>(
  'calls.find_offered',
  sql`select n.run_id, k.subject_id, k.fingerprint,
         a.status, a.live_version, a.canary_version, a.canary_percent, a.version, a.input_schema
    from unnest(:runIds::uuid[], :keys::text[], :agentIds::uuid[], :buckets::integer[]) as n (run_id, key, agent_id, bucket)
    left join lateral (
      select i.subject_id, i.fingerprint from idempotency_keys i
       where i.org_id = :org and i.thing = 'run' and i.key = n.key and i.expires_at > app_now() limit 1
    ) k on true
    left join lateral (
      select a.status, a.live_version, a.canary_version, a.canary_percent, s.version, v.input_schema
        from (select a.id, a.status, ${releaseColumns} from agents a where a.org_id = :org and a.id = n.agent_id) a
        cross join lateral (${sidesOfA}) as s (version, deployment_id, first_bucket, end_bucket)
        join agent_versions v on v.org_id = :org and v.agent_id = a.id and v.version = s.version
       where s.first_bucket <= n.bucket and n.bucket < s.end_bucket limit 1
    ) a on true`,
)
