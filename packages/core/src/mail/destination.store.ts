import { limits } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { SealedPlace } from '../secrets/index.ts'
import { type Destination, urlSealContext } from './destination.ts'

type Page = { after: string | null; before: string | null; limit: number }

/** Newest first. With `before` the order is oldest first, and the caller reverses it. */
export const listDestinations = (db: Database, org: string, { after, before, limit }: Page): Promise<Destination[]> =>
  before === null ? db.once(org, listOlder({ org, after, limit })) : db.once(org, listNewer({ org, before, limit }))

export const findDestination = async (db: Database, org: string, id: string): Promise<Destination | null> => {
  const [row] = await db.once(org, find({ org, id }))
  return row ?? null
}

/** Null: the organisation has the most that it may have. */
export const insertDestination = async (
  tx: Tx,
  org: string,
  destination: { id: string; type: string; url: Buffer; hint: string },
): Promise<Destination | null> => {
  await tx.query(lock({ org }))
  const [row] = await tx.query(add({ org, ...destination }))
  return row ?? null
}

/** Null: there is none with this id. */
export const deleteDestination = async (tx: Tx, org: string, id: string): Promise<Destination | null> => {
  const [row] = await tx.query(remove({ org, id }))
  return row ?? null
}

const columns = 'd.id, d.type, d.hint, d.created_at'

const find = statement<{ org: Uuid; id: Uuid }, Destination>(
  'mail.find_destination',
  sql`select ${columns} from alert_destinations d where d.org_id = :org and d.id = :id`,
)

const listOlder = statement<{ org: Uuid; after: Uuid | null; limit: number }, Destination>(
  'mail.list_destinations_older',
  sql`select ${columns} from alert_destinations d
    where d.org_id = :org and (:after::uuid is null or d.id < :after) order by d.id desc limit :limit`,
)

const listNewer = statement<{ org: Uuid; before: Uuid; limit: number }, Destination>(
  'mail.list_destinations_newer',
  sql`select ${columns} from alert_destinations d where d.org_id = :org and d.id > :before order by d.id limit :limit`,
)

// Two requests at once must not both take the last place.
const lock = statement<{ org: Uuid }>(
  'mail.lock_destinations',
  sql`select pg_advisory_xact_lock(hashtextextended('alert destinations ' || :org::text, 0)) is null`,
)

const add = statement<{ org: Uuid; id: Uuid; type: string; url: Buffer; hint: string }, Destination>(
  'mail.add_destination',
  sql`insert into alert_destinations as d (org_id, id, type, url, hint)
   select :org, :id, :type, :url, :hint
    where (select count(*) from alert_destinations o where o.org_id = :org) < ${limits.alertDestinationsPerOrganisation}
   returning ${columns}`,
)

const remove = statement<{ org: Uuid; id: Uuid }, Destination>(
  'mail.remove_destination',
  sql`delete from alert_destinations d where d.org_id = :org and d.id = :id returning ${columns}`,
)

const listSealed = statement<
  { org: Uuid; dataKeyId: Buffer; after: Uuid | null; limit: number },
  { id: Uuid; sealed: Buffer }
>(
  'mail.list_sealed_destinations',
  sql`select id, url as sealed from alert_destinations
    where org_id = :org and substr(url, 2, 8) <> :dataKeyId and (:after::uuid is null or id > :after)
    order by id limit :limit`,
)

const replaceSealed = statement<{ org: Uuid; id: Uuid; from: Buffer; to: Buffer }, { id: Uuid }>(
  'mail.replace_sealed_destination',
  sql`update alert_destinations set url = :to where org_id = :org and id = :id and url = :from returning id`,
)

/** The sealed URLs, for the rotation of data keys. Links of mails wait for less time than a retired key is kept. */
export const destinationSecrets: SealedPlace = {
  name: 'alert_destinations.url',
  list: async (db, org, page) =>
    (await db.once(org, listSealed({ org, ...page }))).map(({ id, sealed }) => ({
      key: id,
      sealed,
      record: urlSealContext(id),
    })),
  replace: async (db, org, { key: id, from, to }) =>
    (await db.once(org, replaceSealed({ org, id, from, to }))).length === 1,
}
