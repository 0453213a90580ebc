import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'

/** `lastNumber`: the last entry that is there, whatever the end of the chain says. */
export type ChainEnd = { number: number; hash: Buffer | null; lastNumber: number }

/** The end of the chain and the last entry, as of one moment; whoever appends meanwhile changes neither of them. */
export const findChainEnd = async (db: Database, org: string): Promise<ChainEnd> => {
  const [row] = await db.once<{ number: string; hash: Buffer | null; last_number: string }>(org, end(org))
  return { number: Number(row?.number ?? 0), hash: row?.hash ?? null, lastNumber: Number(row?.last_number ?? 0) }
}

/** `fits`: the entry's hash follows from the hash before it and from what the entry says. */
export type Link = { number: number; hash: Buffer; fits: boolean }

/** The entries with the numbers after `after`, up to `until`. */
export const listLinks = async (
  db: Database,
  org: string,
  { after, hash, until }: { after: number; hash: Buffer; until: number },
): Promise<Link[]> => {
  const rows = await db.once<Omit<Link, 'number'> & { number: string }>(org, links(org, after, hash, until))
  return rows.map((row) => ({ ...row, number: Number(row.number) }))
}

// crosses organisations: the operator has the logs of all of them checked, one after the other.
export const listOrganisations = async (db: Database, after: string | null, limit: number): Promise<string[]> =>
  (await db.once<{ id: string }>(null, organisations(after, limit))).map(({ id }) => id)

const end = statement(
  'audit.chain_end',
  `select coalesce(h.number, 0) as number, h.hash, coalesce(a.number, 0) as last_number
     from (select $1::uuid as org_id) o
     left join audit_heads h on h.org_id = o.org_id
     left join lateral (
       select number from audit_log where org_id = o.org_id order by number desc limit 1
     ) a on true`,
)

const links = statement(
  'audit.links',
  `select a.number, a.hash, a.hash = audit_hash(coalesce(lag(a.hash) over (order by a.number), $3), a) as fits
     from audit_log a where a.org_id = $1 and a.number > $2 and a.number <= $4 order by a.number`,
)

const organisations = statement(
  'audit.organisations',
  'select id from organisations where $1::uuid is null or id > $1 order by id limit $2',
)
