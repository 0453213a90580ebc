import type { Database, Tx } from '@ars/platform/db/database'
import { preferIndexes } from '@ars/platform/db/plan'
import { type Statement, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { type Findings, findingsOf, type Looked, type Portion, type Search } from './missed.ts'

export const lookForMissed = async (db: Database, org: string, search: Search, portion: Portion): Promise<Findings> => {
  const [, found] = await db.batch(org, [preferIndexes(), look(org, search, portion)])
  return toFindings(found[0], portion)
}

/** The same within a transaction. */
export const lookForMissedIn = async (tx: Tx, org: string, search: Search, portion: Portion): Promise<Findings> => {
  await tx.query(preferIndexes())
  const [row] = await tx.query(look(org, search, portion))
  return toFindings(row, portion)
}

type LookedRow = Omit<Looked, 'lastFitting'> & { last_fitting: string | null }

const toFindings = (row: LookedRow | undefined, portion: Portion): Findings =>
  row ? findingsOf({ ...row, lastFitting: row.last_fitting }, portion) : { missed: [], looked: 0, next: null }

const look = (org: string, search: Search, { order, events, fitting }: Portion): Statement<LookedRow> => {
  const { webhookId, types, since, until, ids } = search
  const asked = types.includes('*') ? null : types
  const statementOf = order === 'oldest first' ? oldestFirst : newestFirst
  return statementOf({
    org,
    webhookId,
    after: ids.from,
    before: ids.to,
    types: asked,
    since,
    until,
    maxEvents: events,
    maxFitting: fitting,
  })
}

const lookText = (direction: 'asc' | 'desc'): string => {
  const last = direction === 'asc' ? 'desc' : 'asc'
  return sql`with read as materialized (
     -- Bounded by a number of events of any type, so that a rare type does not make the statement read a year of others.
     select id, type, created_at, webhook_id, position from events
      where org_id = :org and id > :after and id < :before and ${notAhead('id')} order by id ${direction} limit :maxEvents

   -- An event without a position gets its deliveries later, so it is not missed. Dates are shown in milliseconds and stored
   -- in microseconds.
   ), fitting as materialized (
     select id, type, created_at from read
      where webhook_id is null and position is not null and (:types::text[] is null or type = any (:types))
        and created_at >= :since and (:until::timestamptz is null or created_at < :until + interval '1 millisecond')
      order by id ${direction} limit :maxFitting
   ), missed as (
     select f.id, f.type from fitting f
      where (
        select true from deliveries d
         where d.org_id = :org and d.webhook_id = :webhookId and d.event_id = f.id and d.status <> 'failed'
           -- A delivery is created after its event, so the partitions before it need not be opened.
           and d.id >= least(uuid_floor(f.created_at - interval '1 minute'), f.id) and ${notAhead('d.id')}
         -- The limit keeps this a lookup for each event. Without it the planner may choose a join over all deliveries.
         limit 1) is null
   )
   select (select count(*) from read)::integer as looked,
          (select id from read order by id ${last} limit 1) as last,
          (select count(*) from fitting)::integer as fitting,
          (select id from fitting order by id ${last} limit 1) as last_fitting,
          coalesce((select json_agg(json_build_object('id', id, 'type', type) order by id ${direction}) from missed), '[]') as missed`
}

// The partitions of the next weeks exist already and need not be opened.
const notAhead = (id: string): string => `${id} < uuid_floor(app_now() + interval '1 day')`

type LookParameters = {
  org: Uuid
  webhookId: Uuid
  after: Uuid
  before: Uuid
  types: readonly string[] | null
  since: Date
  until: Date | null
  maxEvents: number
  maxFitting: number
}

const oldestFirst = statement<LookParameters, LookedRow>('webhooks.look_for_missed', lookText('asc'))
const newestFirst = statement<LookParameters, LookedRow>('webhooks.look_for_missed_newest', lookText('desc'))
