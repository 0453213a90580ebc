import { limits } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'

export type OpenProof = { id: string; user_id: string; email: string }

// crosses organisations: an address belongs to the person.
export const insertProof = async (
  tx: Tx,
  proof: { id: string; user: string; email: string; hash: Buffer },
): Promise<void> => {
  const { id, user, email, hash } = proof
  await tx.query(add({ id, userId: user, email, hash, validHours: limits.emailProofHours }))
}

// crosses organisations: as above.
export const findProof = async (db: Database, hash: Buffer): Promise<OpenProof | null> => {
  const [row] = await db.once(null, find({ hash }))
  return row ?? null
}

// crosses organisations: a link works once. False: the link is no longer valid.
export const consumeProof = async (tx: Tx, id: string): Promise<boolean> => (await tx.query(use({ id }))).length > 0

const add = statement<{ id: Uuid; userId: Uuid; email: string; hash: Buffer; validHours: number }>(
  'people.add_proof',
  sql`insert into email_proofs (id, user_id, email, hash, expires_at)
   values (:id, :userId, :email, :hash, app_now() + make_interval(hours => :validHours))`,
)

const find = statement<{ hash: Buffer }, OpenProof>(
  'people.find_proof',
  sql`select id, user_id, email from email_proofs where hash = :hash and used_at is null and expires_at > app_now()`,
)

const use = statement<{ id: Uuid }>(
  'people.use_proof',
  sql`update email_proofs set used_at = app_now() where id = :id and used_at is null and expires_at > app_now() returning id`,
)
