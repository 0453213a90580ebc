import type { Database, Tx } from '@ars/platform/db/database'
import { preferIndexes } from '@ars/platform/db/plan'
import { type Statement, statement } from '@ars/platform/db/statement'
import { type Findings, findingsOf, type Looked, type Portion, type Search } from './missed.ts'

export const lookForMissed = async (db: Database, org: string, search: Search, portion: Portion): Promise<Findings> => {
  const [, found] = (await db.batch(org, [preferIndexes(), look(org, search, portion)])) as [unknown, LookedRow[]]
  return toFindings(found[0], portion)
}

/** The same within a transaction. */
export const lookForMissedIn = async (tx: Tx, org: string, search: Search, portion: Portion): Promise<Findings> => {
  await tx.query(preferIndexes())
  const [row] = await tx.query<LookedRow>(look(org, search, portion))
  return toFindings(row, portion)
}

type LookedRow = Omit<Looked, 'lastFitting'> & { last_fitting: string | null }

const toFindings = (row: LookedRow | undefined, portion: Portion): Findings =>
  row ? findingsOf({ ...row, lastFitting: row.last_fitting }, portion) : { missed: [], looked: 0, next: null }

const look = (org: string, search: Search, { order, events, fitting }: Portion): Statement => {
  const { webhookId, types, since, until, ids } = search
  const asked = types.includes('*') ? null : types
  const statementOf = order === 'oldest first' ? oldestFirst : newestFirst
  return statementOf(org, webhookId, ids.from, ids.to, asked, since, until, events, fitting)
}

/*
 * A rare type must not make the statement read a year of others: `read` is bounded whatever its events are. An event that
 * the relay has not told yet (`position`) is not missed, because its delivery is still to be made. A date is shown to the
 * millisecond and kept to the microsecond.
 */
const lookText = (direction: 'asc' | 'desc'): string => {
  const last = direction === 'asc' ? 'desc' : 'asc'
  return `with read as materialized (
     select id, type, created_at, webhook_id, position from events
      where org_id = $1 and id > $3 and id < $4 and ${notAhead('id')} order by id ${direction} limit $8
   ), fitting as materialized (
     select id, type, created_at from read
      where webhook_id is null and position is not null and ($5::text[] is null or type = any ($5))
        and created_at >= $6 and ($7::timestamptz is null or created_at < $7 + interval '1 millisecond')
      order by id ${direction} limit $9
   ), missed as (
     select f.id, f.type from fitting f
      where (
        select true from deliveries d
         where d.org_id = $1 and d.webhook_id = $2 and d.event_id = f.id and d.status <> 'failed'
           -- A delivery is made after its event, so the days before it need not be asked.
           and d.id >= least(uuid_floor(f.created_at - interval '1 minute'), f.id) and ${notAhead('d.id')}
         -- It stays a look-up for each event. Without the limit the planner may join, which reads all deliveries.
         limit 1) is null
   )
   select (select count(*) from read)::integer as looked,
          (select id from read order by id ${last} limit 1) as last,
          (select count(*) from fitting)::integer as fitting,
          (select id from fitting order by id ${last} limit 1) as last_fitting,
          coalesce((select json_agg(json_build_object('id', id, 'type', type) order by id ${direction}) from missed), '[]') as missed`
}

// The partitions of the weeks to come are there already, and need not be opened.
const notAhead = (id: string): string => `${id} < uuid_floor(app_now() + interval '1 day')`

const oldestFirst = statement('webhooks.look_for_missed', lookText('asc'))
const newestFirst = statement('webhooks.look_for_missed_newest', lookText('desc'))
