import type { Database } from '@ars/platform/db/database'
import { type NoParameters, sql, statement } from '@ars/platform/db/statement'
import { dateOf, type Partition, type Partitions } from './partition.ts'

// crosses organisations: partitions contain all organisations.
export const listPartitions = async (db: Database): Promise<Partitions & { nowMs: number }> => {
  const [parents, partitions] = await db.batch(null, [listParents(), listDays()])
  const [first] = parents
  if (!first) throw new Error('No table has partitions')
  return { nowMs: first.now.getTime(), today: first.today, parents: parents.map(({ name }) => name), partitions }
}

// crosses organisations: partitions contain all organisations. One per transaction. False: another process created it.
export const makePartition = async (db: Database, { parent, firstDay, endDay }: Partition): Promise<boolean> => {
  const [row] = await db.once(null, make({ parent, firstDay: dateOf(firstDay), days: endDay - firstDay }))
  return row?.made ?? false
}

// crosses organisations: partitions contain all organisations. One per transaction, because each drop locks the whole table.
export const dropPartition = async (db: Database, { parent, firstDay }: Partition): Promise<boolean> => {
  const [row] = await db.once(null, drop({ parent, firstDay: dateOf(firstDay) }))
  return row?.dropped ?? false
}

const listParents = statement<NoParameters, { name: string; now: Date; today: number }>(
  'partitions.parents',
  sql`select name, app_now() as now, (app_now() at time zone 'utc')::date - date '1970-01-01' as today
     from partition_parents order by position`,
)

const listDays = statement<NoParameters, Partition>(
  'partitions.list',
  sql`select parent, first_day - date '1970-01-01' as "firstDay", end_day - date '1970-01-01' as "endDay"
     from partition_days() order by parent, first_day`,
)

const make = statement<{ parent: string; firstDay: string; days: number }, { made: boolean }>(
  'partitions.make',
  sql`select make_partition(:parent, :firstDay::date, :days) as made`,
)

const drop = statement<{ parent: string; firstDay: string }, { dropped: boolean }>(
  'partitions.drop',
  sql`select drop_partition(:parent, :firstDay::date) as dropped`,
)
