import type { Database, Tx } from '@ars/platform/db/database'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { workRows } from '../../work-rows.store.ts'
import type { Tally, TrialSample } from './tally.ts'
import { trialColumns, trialSource } from './trial.store.ts'
import { type ClaimedTrial, type TrialRow, toTrial } from './trial.ts'

export const trialWork = workRows('policy_trials', { name: 'policy_trials', where: 'due_at is not null' })

type Claimed = { id: string; claim: string }

/** Null: it was cancelled, data of a run was erased, or another worker has it. */
export const readClaimedTrial = async (
  db: Database,
  org: string,
  { id, claim }: Claimed,
): Promise<ClaimedTrial | null> => {
  const [row] = await db.once(org, readHeld({ org, id, claim }))
  return row ? { ...toTrial(row), claim, cursor: row.cursor, budget_key_id: row.budget_key_id } : null
}

/** False: as above. */
export const startTrial = async (
  db: Database,
  org: string,
  { id, claim }: Claimed,
  { total, expired }: { total: number; expired: number },
): Promise<boolean> => (await db.once(org, start({ org, id, claim, total, expired }))).length > 0

/** The counts so far. Null: as above. The row is locked until the commit. */
export const lockTally = async (
  tx: Tx,
  org: string,
  { id, claim }: Claimed,
): Promise<{ result: Tally; samples: TrialSample[] } | null> => {
  const [row] = await tx.query(lock({ org, id, claim }))
  return row ?? null
}

export const storeSlice = async (
  tx: Tx,
  org: string,
  { id }: Claimed,
  slice: { result: Tally; samples: readonly TrialSample[]; cursor: string | null; isLast: boolean },
): Promise<void> => {
  const { cursor, isLast } = slice
  const [result, samples] = [JSON.stringify(slice.result), JSON.stringify(slice.samples)]
  await tx.query(store({ org, id, result, samples, cursor, isLast }))
}

export const failTrial = async (db: Database, org: string, { id, claim }: Claimed): Promise<void> => {
  await db.once(org, fail({ org, id, claim }))
}

type One = { org: Uuid; id: Uuid; claim: string }

const isHeld = sql`org_id = :org and id = :id and claim = :claim::bigint and ended_at is null`

const readHeld = statement<One, TrialRow & Pick<ClaimedTrial, 'cursor' | 'budget_key_id'>>(
  'trials.read_held',
  sql`select ${trialColumns}, t.cursor,
           (select coalesce(k.bucket_id, k.id) from api_keys k where k.org_id = :org and k.id = t.created_by) as budget_key_id
      from ${trialSource}
    where t.org_id = :org and t.id = :id and t.claim = :claim::bigint and t.ended_at is null`,
)

const start = statement<One & { total: number; expired: number }>(
  'trials.start',
  sql`update policy_trials set status = 'running', total = :total, expired = :expired where ${isHeld} returning id`,
)

const lock = statement<One, { result: Tally; samples: TrialSample[] }>(
  'trials.lock',
  sql`select result, samples from policy_trials where ${isHeld} for update`,
)

type Slice = { result: Json; samples: Json; cursor: Uuid | null; isLast: boolean }

const store = statement<{ org: Uuid; id: Uuid } & Slice>(
  'trials.store_slice',
  sql`update policy_trials
      set result = :result, samples = :samples, cursor = coalesce(:cursor::uuid, cursor),
          status = case when :isLast::boolean then 'completed' else status end,
          due_at = case when not :isLast then due_at end,
          ended_at = case when :isLast then app_now() end
    where org_id = :org and id = :id`,
)

const fail = statement<One>(
  'trials.fail',
  sql`update policy_trials set status = 'failed', due_at = null, ended_at = app_now() where ${isHeld}`,
)
