import { limits } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import type { Twin } from './idempotency.ts'

/** What a key was sent for: the same key may stand for one of each. Runs claim theirs where they are accepted. */
type Claimed = { thing: 'run' | 'action' | 'agent' | 'connector' | 'webhook' | 'api_key'; key: string }

/** Who holds an idempotency key that has not expired. */
export const findTwin = async (db: Database, org: string, { thing, key }: Claimed): Promise<Twin | null> => {
  const [row] = await db.once<Twin>(org, find(org, thing, key))
  return row ?? null
}

/** The same inside a transaction that has lost the claim. */
export const findTwinIn = async (tx: Tx, org: string, { thing, key }: Claimed): Promise<Twin | null> => {
  const [row] = await tx.query<Twin>(find(org, thing, key))
  return row ?? null
}

/** False: another request holds the key. */
export const claimKey = async (
  tx: Tx,
  org: string,
  { thing, key, fingerprint, id }: Claimed & { fingerprint: Buffer; id: string },
): Promise<boolean> => {
  const rows = await tx.query(claim(org, thing, key, fingerprint, id))
  return rows.length > 0
}

const find = statement(
  'idempotency.find',
  `select subject_id, fingerprint from idempotency_keys
    where org_id = $1 and thing = $2 and key = $3 and expires_at > app_now()`,
)

const claim = statement(
  'idempotency.claim',
  `insert into idempotency_keys as k (org_id, thing, key, fingerprint, subject_id, expires_at)
   values ($1, $2, $3, $4, $5, app_now() + interval '${limits.idempotencyKeyHours} hours')
   on conflict (org_id, thing, key) do update
     set fingerprint = excluded.fingerprint, subject_id = excluded.subject_id, expires_at = excluded.expires_at
     where k.expires_at <= app_now()
   returning subject_id`,
)
