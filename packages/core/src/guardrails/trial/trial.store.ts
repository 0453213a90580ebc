import type { Database, Tx } from '@ars/platform/db/database'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { emptyTally } from './tally.ts'
import { type Trial, type TrialRow, toTrial } from './trial.ts'

type TrialIds = { policyId: string; id: string }

export const findTrial = async (db: Database, org: string, { policyId, id }: TrialIds): Promise<Trial | null> => {
  const [row] = await db.once(org, find({ org, policyId, id }))
  return row ? toTrial(row) : null
}

export const readTrial = async (tx: Tx, org: string, { policyId, id }: TrialIds): Promise<Trial | null> => {
  const [row] = await tx.query(find({ org, policyId, id }))
  return row ? toTrial(row) : null
}

export type TrialPage = { policyId: string; after: string | null; before: string | null; limit: number }

/** Newest first. With `before` the order is oldest first, and the caller reverses it. */
export const listTrials = async (db: Database, org: string, page: TrialPage): Promise<Trial[]> => {
  const { policyId, after, before, limit } = page
  const rows =
    before === null
      ? await db.once(org, listOlder({ org, policyId, after, limit }))
      : await db.once(org, listNewer({ org, policyId, before, limit }))
  return rows.map(toTrial)
}

/** Trials that have not ended. The caller holds a lock, so that the number stays true. */
export const countOpenTrials = async (tx: Tx, org: string): Promise<number> => {
  const [row] = await tx.query(countOpen({ org }))
  return row?.trials ?? 0
}

export type NewTrial = TrialIds &
  Pick<Trial, 'since' | 'until' | 'sample'> & {
    policyVersion: number
    agentId: string | null
    maxCostUsd: number | null
    by: string
    byType: 'key' | 'user'
  }

/** Of the trials that have ended, the newest are kept. */
export const insertTrial = async (
  tx: Tx,
  org: string,
  trial: NewTrial,
  { maxKept }: { maxKept: number },
): Promise<void> => {
  await tx.query(insert({ org, ...trial, result: JSON.stringify(emptyTally) }))
  await tx.query(deleteBeyond({ org, maxKept }))
}

/** An ended trial stays as it is. */
export const cancelTrial = async (tx: Tx, org: string, { id }: Pick<TrialIds, 'id'>): Promise<boolean> =>
  (await tx.query(cancel({ org, id }))).length > 0

/**
 * Erases the samples of a run. A worker that has read the run already loses its slice: it holds an older claim, and the trial is read again.
 */
export const eraseTrialSamples = async (db: Database, org: string, run: string): Promise<void> => {
  await db.once(org, erase({ org, runId: run }))
}

/** Of `policy_trials t` and its version `v`. */
export const trialColumns = `t.id, t.org_id, t.policy_id, t.policy_version, t.since, t.until, t.agent_id, t.sample, t.max_cost_usd, t.status,
     t.total, t.expired, t.result, t.samples, v.rules, t.created_by, t.created_by_type, t.created_at, t.ended_at`

export const trialSource = `policy_trials t
     join policy_versions v on v.org_id = t.org_id and v.policy_id = t.policy_id and v.version = t.policy_version`

const find = statement<{ org: Uuid; policyId: Uuid; id: Uuid }, TrialRow>(
  'trials.find',
  sql`select ${trialColumns} from ${trialSource} where t.org_id = :org and t.policy_id = :policyId and t.id = :id`,
)

const listOlder = statement<{ org: Uuid; policyId: Uuid; after: Uuid | null; limit: number }, TrialRow>(
  'trials.list_older',
  sql`select ${trialColumns} from ${trialSource}
    where t.org_id = :org and t.policy_id = :policyId and (:after::uuid is null or t.id < :after) order by t.id desc limit :limit`,
)

const listNewer = statement<{ org: Uuid; policyId: Uuid; before: Uuid; limit: number }, TrialRow>(
  'trials.list_newer',
  sql`select ${trialColumns} from ${trialSource}
    where t.org_id = :org and t.policy_id = :policyId and t.id > :before order by t.id limit :limit`,
)

const countOpen = statement<{ org: Uuid }, { trials: number }>(
  'trials.count_open',
  sql`select count(*)::integer as trials from policy_trials where org_id = :org and ended_at is null`,
)

const insert = statement<Omit<NewTrial, 'result'> & { org: Uuid; result: Json }>(
  'trials.insert',
  sql`insert into policy_trials (id, org_id, policy_id, policy_version, since, until, agent_id, sample, max_cost_usd, result, samples,
        created_by, created_by_type)
      values (:id, :org, :policyId, :policyVersion, :since, :until, :agentId, :sample, :maxCostUsd, :result, '[]', :by, :byType)`,
)

const deleteBeyond = statement<{ org: Uuid; maxKept: number }>(
  'trials.delete_beyond',
  sql`delete from policy_trials
    where org_id = :org and id in (
      select id from policy_trials where org_id = :org and ended_at is not null order by id desc offset :maxKept)`,
)

const cancel = statement<{ org: Uuid; id: Uuid }>(
  'trials.cancel',
  sql`update policy_trials set status = 'cancelled', claim = claim + 1, held_until = null, due_at = null, ended_at = app_now()
    where org_id = :org and id = :id and ended_at is null
   returning id`,
)

const kept = (condition: string): string => `coalesce((
        select json_agg(s order by n) from json_array_elements(samples) with ordinality as x (s, n) where ${condition}
      ), '[]')`

const erase = statement<{ org: Uuid; runId: Uuid }>(
  'trials.erase_samples',
  sql`update policy_trials
      set samples = ${kept(`s ->> 'run' <> :runId::uuid::text`)}, claim = claim + 1, held_until = null,
          due_at = case when ended_at is null then app_now() end
    where org_id = :org and (ended_at is null or samples::text like '%' || :runId::uuid::text || '%')`,
)
