import type { Stack } from '@ars/tools/dev/stack'
import { withClient } from './sql.ts'

/** Partitions of yesterday, today and 43 days to come: a plan that must look at each of them shows its price. */
export const partitionDays = 45
/** Of the tables of one day, which take less than a second on a quiet computer. */
const partitionTimeoutMs = 120_000

/** A day is a transaction: all days in one hold thousands of locks, and on a busy computer they exceed any statement timeout. */
export const makePartitions = async (stack: Stack): Promise<void> => {
  const config = { connectionString: stack.postgres.url('ars_system'), statement_timeout: partitionTimeoutMs }
  await withClient(config, async (client) => {
    for (let day = -1; day <= partitionDays - 2; day++) {
      await client.query(
        `select make_partition(p.name, (app_now() at time zone 'utc')::date + $1::integer, 1) from partition_parents p`,
        [day],
      )
    }
  })
}
