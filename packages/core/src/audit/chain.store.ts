import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'

/** `lastNumber`: the number of the last stored entry, which may differ from the end of the chain. */
export type ChainEnd = { number: number; hash: Buffer | null; lastNumber: number }

/** The end of the chain and the last entry, from one snapshot. */
export const findChainEnd = async (db: Database, org: string): Promise<ChainEnd> => {
  const [row] = await db.once(org, end({ org }))
  return { number: Number(row?.number ?? 0), hash: row?.hash ?? null, lastNumber: Number(row?.last_number ?? 0) }
}

/** `fits`: the hash of the entry follows from the hash before it and from its content. */
export type Link = { number: number; hash: Buffer; fits: boolean }

/** The entries with the numbers after `after`, up to `until`. */
export const listLinks = async (
  db: Database,
  org: string,
  { after, hash, until }: { after: number; hash: Buffer; until: number },
): Promise<Link[]> => {
  const rows = await db.once(org, links({ org, afterNumber: after, previousHash: hash, lastNumber: until }))
  return rows.map((row) => ({ ...row, number: Number(row.number) }))
}

// crosses organisations: the operator checks the logs of all organisations, one after the other.
export const listOrganisations = async (db: Database, after: string | null, limit: number): Promise<string[]> =>
  (await db.once(null, organisations({ after, limit }))).map(({ id }) => id)

const end = statement<{ org: Uuid }, { number: string; hash: Buffer | null; last_number: string }>(
  'audit.chain_end',
  sql`select coalesce(h.number, 0) as number, h.hash, coalesce(a.number, 0) as last_number
     from (select :org::uuid as org_id) o
     left join audit_heads h on h.org_id = o.org_id
     left join lateral (
       select number from audit_log where org_id = o.org_id order by number desc limit 1
     ) a on true`,
)

const links = statement<
  { org: Uuid; afterNumber: number; previousHash: Buffer; lastNumber: number },
  Omit<Link, 'number'> & { number: string }
>(
  'audit.links',
  sql`select a.number, a.hash, a.hash = audit_hash(coalesce(lag(a.hash) over (order by a.number), :previousHash), a) as fits
     from audit_log a where a.org_id = :org and a.number > :afterNumber and a.number <= :lastNumber order by a.number`,
)

const organisations = statement<{ after: Uuid | null; limit: number }, { id: string }>(
  'audit.organisations',
  sql`select id from organisations where :after::uuid is null or id > :after order by id limit :limit`,
)
