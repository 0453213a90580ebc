import { limits } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { IdempotentReplay } from './idempotency.ts'

/** The kind of thing that a key was sent for. One key may be used once for each kind. Runs claim theirs in `accept.sql.ts`. */
export type IdempotentThing =
  | 'run'
  | 'action'
  | 'agent'
  | 'agent_secret'
  | 'connector'
  | 'alert_destination'
  | 'webhook'
  | 'webhook_secret'
  | 'delivery'
  | 'recovery'
  | 'api_key'
  | 'session_token'
  | 'run_share'
  | 'invitation'
  | 'password_reset'
  | 'alert_rule'
  | 'policy'
  | 'policy_attachment'
  | 'policy_trial'
  | 'pipeline'
  | 'pipeline_run'
  | 'pipeline_action'
  | 'schedule'
  | 'schedule_firing'
  | 'batch'

type Claimed = { thing: IdempotentThing; key: string }

/** The holder of an idempotency key that has not expired. */
export const findIdempotentReplay = async (
  db: Database,
  org: string,
  { thing, key }: Claimed,
): Promise<IdempotentReplay | null> => {
  const [row] = await db.once(org, find({ org, thing, key }))
  return row ?? null
}

/** The same, in a transaction that has lost the claim. */
export const findIdempotentReplayIn = async (
  tx: Tx,
  org: string,
  { thing, key }: Claimed,
): Promise<IdempotentReplay | null> => {
  const [row] = await tx.query(find({ org, thing, key }))
  return row ?? null
}

/** False: another request holds the key. */
export const claimKey = async (
  tx: Tx,
  org: string,
  { thing, key, fingerprint, id }: Claimed & { fingerprint: Buffer; id: string },
): Promise<boolean> => {
  const rows = await tx.query(claim({ org, thing, key, fingerprint, subjectId: id }))
  return rows.length > 0
}

const find = statement<{ org: Uuid; thing: string; key: string }, IdempotentReplay>(
  'idempotency.find',
  sql`select subject_id, fingerprint from idempotency_keys
    where org_id = :org and thing = :thing and key = :key and expires_at > app_now()`,
)

const claim = statement<{ org: Uuid; thing: string; key: string; fingerprint: Buffer; subjectId: Uuid }>(
  'idempotency.claim',
  sql`insert into idempotency_keys as k (org_id, thing, key, fingerprint, subject_id, expires_at)
   values (:org, :thing, :key, :fingerprint, :subjectId, app_now() + interval '${limits.idempotencyKeyHours} hours')
   on conflict (org_id, thing, key) do update
     set fingerprint = excluded.fingerprint, subject_id = excluded.subject_id, expires_at = excluded.expires_at
     where k.expires_at <= app_now()
   returning subject_id`,
)
