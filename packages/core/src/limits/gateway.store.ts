import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'

/** A gateway that was not seen for so long does not count. */
const gatewaySeenSeconds = 15

// crosses organisations: a gateway serves all of them. Notes that this one lives, forgets those that do not, and answers
// how many do.
export const noteGateway = async (db: Database, id: string): Promise<number> => {
  const [row] = await db.once<{ others: number }>(null, note(id, gatewaySeenSeconds))
  return 1 + (row?.others ?? 0)
}

// crosses organisations: a gateway serves all of them.
export const removeGateway = async (db: Database, id: string): Promise<void> => {
  await db.once(null, remove(id))
}

const note = statement(
  'limits.note_gateway',
  `with noted as (
     insert into gateways (id, seen_at) values ($1, app_now()) on conflict (id) do update set seen_at = excluded.seen_at
   ), forgotten as (
     delete from gateways where seen_at < app_now() - interval '1 hour' and id <> $1
   )
   select count(*)::integer as others from gateways
    where id <> $1 and seen_at > app_now() - $2 * interval '1 second'`,
)

const remove = statement('limits.remove_gateway', 'delete from gateways where id = $1')
