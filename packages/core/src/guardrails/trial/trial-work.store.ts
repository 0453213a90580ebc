import type { Database, Tx } from '@ars/platform/db/database'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { Tally, TrialSample } from './tally.ts'
import { trialColumns } from './trial.store.ts'
import { type HeldTrial, type TrialRow, toTrial } from './trial.ts'

/** A worker that dies keeps a trial for so long. */
export const holdSeconds = 60

// crosses organisations: a background job continues the trials of all organisations, the one that waits longest first.
export const takeTrial = async (db: Database): Promise<HeldTrial | null> => {
  const [row] = await db.once(null, take({ holdSeconds }))
  return row ? { ...toTrial(row), revision: row.revision, tries: row.tries, cursor: row.cursor } : null
}

type Held = Pick<HeldTrial, 'id' | 'revision'>

/** False: it was cancelled, data of a run was erased, or another worker has it. */
export const startTrial = async (
  db: Database,
  org: string,
  { id, revision }: Held,
  { total, expired }: { total: number; expired: number },
): Promise<boolean> => (await db.once(org, start({ org, id, revision, total, expired, holdSeconds }))).length > 0

export const keepTrial = async (db: Database, org: string, { id, revision }: Held): Promise<boolean> =>
  (await db.once(org, keep({ org, id, revision, holdSeconds }))).length > 0

/** The counts so far. Null: as above. The row is locked until the commit. */
export const lockTally = async (
  tx: Tx,
  org: string,
  { id, revision }: Held,
): Promise<{ result: Tally; samples: TrialSample[] } | null> => {
  const [row] = await tx.query(lock({ org, id, revision }))
  return row ?? null
}

export const storeSlice = async (
  tx: Tx,
  org: string,
  { id }: Held,
  slice: { result: Tally; samples: readonly TrialSample[]; cursor: string | null; isLast: boolean },
): Promise<void> => {
  const { cursor, isLast } = slice
  const [result, samples] = [JSON.stringify(slice.result), JSON.stringify(slice.samples)]
  await tx.query(store({ org, id, result, samples, cursor, isLast, holdSeconds }))
}

/** Lets the next worker have it. */
export const releaseTrial = async (db: Database, org: string, { id, revision }: Held): Promise<void> => {
  await db.once(org, release({ org, id, revision }))
}

export const failTrial = async (db: Database, org: string, { id, revision }: Held): Promise<void> => {
  await db.once(org, fail({ org, id, revision }))
}

const take = statement<{ holdSeconds: number }, TrialRow & Pick<HeldTrial, 'revision' | 'tries' | 'cursor'>>(
  'trials.take',
  sql`with due as (
     select id from policy_trials where due_at <= app_now() order by due_at limit 1 for update skip locked
   )
   update policy_trials t
      set due_at = app_now() + make_interval(secs => :holdSeconds::integer), revision = t.revision + 1, tries = t.tries + 1
     from due, policy_versions v
    where t.id = due.id and v.org_id = t.org_id and v.policy_id = t.policy_id and v.version = t.policy_version
   returning ${trialColumns}, t.revision, t.tries, t.cursor`,
)

type One = { org: Uuid; id: Uuid; revision: number }

const isHeld = sql`org_id = :org and id = :id and revision = :revision and ended_at is null`
const held = sql`app_now() + make_interval(secs => :holdSeconds::integer)`

const start = statement<One & { total: number; expired: number; holdSeconds: number }>(
  'trials.start',
  sql`update policy_trials set status = 'running', total = :total, expired = :expired, due_at = ${held} where ${isHeld} returning id`,
)

const keep = statement<One & { holdSeconds: number }>(
  'trials.keep',
  sql`update policy_trials set due_at = ${held} where ${isHeld} returning id`,
)

const lock = statement<One, { result: Tally; samples: TrialSample[] }>(
  'trials.lock',
  sql`select result, samples from policy_trials where ${isHeld} for update`,
)

type Slice = { result: Json; samples: Json; cursor: Uuid | null; isLast: boolean; holdSeconds: number }

const store = statement<{ org: Uuid; id: Uuid } & Slice>(
  'trials.store_slice',
  sql`update policy_trials
      set result = :result, samples = :samples, cursor = coalesce(:cursor::uuid, cursor), tries = 0,
          status = case when :isLast::boolean then 'completed' else status end,
          due_at = case when not :isLast then ${held} end,
          ended_at = case when :isLast then app_now() end
    where org_id = :org and id = :id`,
)

const release = statement<One>('trials.release', sql`update policy_trials set due_at = app_now() where ${isHeld}`)

const fail = statement<One>(
  'trials.fail',
  sql`update policy_trials set status = 'failed', due_at = null, ended_at = app_now() where ${isHeld}`,
)
