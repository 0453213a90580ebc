import { asClient } from './client.ts'

/**
 * Stops the clock of a test database at a moment: `app_now()` answers this moment, however slow the machine is. After
 * the next `moveDatabaseClock` the clock runs on from here.
 */
export const stopDatabaseClock = (ownerUrl: string, at: Date): Promise<void> =>
  asClient(ownerUrl, async (client) => {
    const moment = `timestamptz '${at.toISOString()}'`
    await client.query('begin')
    await client.query('create table if not exists app_clock (offset_ms bigint not null)')
    await client.query('lock table app_clock')
    await client.query('grant select on app_clock to public')
    await client.query('delete from app_clock')
    await client.query(
      `insert into app_clock (offset_ms) select extract(epoch from ${moment} - statement_timestamp()) * 1000`,
    )
    await client.query(
      `create or replace function app_now() returns timestamptz language sql stable parallel safe return ${moment}`,
    )
    await client.query('commit')
  })
