import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'

/** A gateway that reported nothing for this time does not count. */
const gatewaySeenSeconds = 15

// crosses organisations: a gateway serves all of them. Stores that this one is alive, removes dead ones, and answers how
// many are alive.
export const noteGateway = async (db: Database, id: string): Promise<number> => {
  const [row] = await db.once(null, note({ id, aliveSeconds: gatewaySeenSeconds }))
  return 1 + (row?.others ?? 0)
}

// crosses organisations: a gateway serves all of them.
export const removeGateway = async (db: Database, id: string): Promise<void> => {
  await db.once(null, remove({ id }))
}

const note = statement<{ id: Uuid; aliveSeconds: number }, { others: number }>(
  'limits.note_gateway',
  sql`with noted as (
     insert into gateways (id, seen_at) values (:id, app_now()) on conflict (id) do update set seen_at = excluded.seen_at
   ), forgotten as (
     delete from gateways where seen_at < app_now() - interval '1 hour' and id <> :id
   )
   select count(*)::integer as others from gateways
    where id <> :id and seen_at > app_now() - :aliveSeconds * interval '1 second'`,
)

const remove = statement<{ id: Uuid }>('limits.remove_gateway', sql`delete from gateways where id = :id`)
