import type { Database } from '@ars/platform/db/database'
import { type NoParameters, sql, statement, type Uuid } from '@ars/platform/db/statement'

/**
 * `epoch`: random, and another one after the history of the database went back. `position`: the last one assigned.
 * `closedOrgs`: organisations that move to another cell or have moved, so that nothing more comes of them here.
 */
export type EventClock = { epoch: string; position: number; closedOrgs: string[] }

// crosses organisations: the one row of the installation.
export const readEventClock = async (db: Database): Promise<EventClock | null> => {
  const [row] = await db.once(null, read())
  return row ? { epoch: row.epoch, position: Number(row.position), closedOrgs: row.closed_orgs } : null
}

// crosses organisations: as above. True: the database is on another timeline than before, so its history has a new epoch.
export const renewEpoch = async (db: Database, epoch: string): Promise<boolean> => {
  const [moved] = await db.once(null, isMoved())
  if (!moved?.is_moved) return false
  const [renewed] = await db.once(null, renew({ epoch }))
  return renewed?.epoch === epoch
}

const read = statement<NoParameters, { epoch: string; position: string; closed_orgs: string[] }>(
  'events.read_clock',
  sql`select epoch, position, array(select id from closed_organisations)::text[] as closed_orgs from event_clock`,
)

/**
 * Which history the server writes. A promoted standby and a restored back-up have a new timeline, and a cluster into which a
 * dump was loaded has another identifier. A checkpoint would tell the timeline too late.
 */
const present = `(select system_identifier from pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)`

const isMoved = statement<NoParameters, { is_moved: boolean }>(
  'events.has_other_timeline',
  sql`select timeline is distinct from ${present} as is_moved from event_clock`,
)

// The first timeline that is noted is no change. Workers that notice a change at the same time renew the epoch once.
const renew = statement<{ epoch: Uuid }, { epoch: string }>(
  'events.renew_epoch',
  sql`update event_clock set epoch = case when timeline is null then epoch else :epoch end, timeline = ${present}
    where timeline is distinct from ${present} returning epoch`,
)
