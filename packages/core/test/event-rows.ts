import type { EventType } from '@ars/contract'
import { systemClock } from '@ars/platform/clock'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { asClient } from '@ars/testkit/client'
import type { TestDatabase } from '@ars/testkit/database'

export const newId = createIdMaker(systemClock)

/** Events as rows, inserted without the service and given positions like the relay does, for tests of their readers. */
export type EventRows = {
  org: string
  /** Returns the UUID. The event has no position yet. */
  add(event?: NewRow): Promise<string>
  /** Assigns positions to the events without one, in the order of their ids, and returns the last position. */
  position(): Promise<number>
  /** Both. */
  tell(event?: NewRow): Promise<string>
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
}

type NewRow = { type?: EventType; subject?: string; data?: unknown; webhook?: string; id?: string; createdAt?: Date }

export const eventRows = (database: TestDatabase, org = toUuid(newId('org'))): EventRows => {
  const query = <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    asClient(database.superuserUrl, async (client) => (await client.query(text, [...values])).rows as Row[])
  const add: EventRows['add'] = async ({ type = 'agent.updated', subject, data, webhook, id, createdAt } = {}) => {
    const uuid = id ?? toUuid(newId('evt'))
    await query(
      `insert into events (id, org_id, type, subject_id, data, webhook_id, created_at)
       values ($1, $2, $3, $4, $5, $6, coalesce($7, app_now()))`,
      [
        uuid,
        org,
        type,
        subject ?? toUuid(newId('ag')),
        data === undefined ? '{}' : JSON.stringify(data),
        webhook,
        createdAt,
      ],
    )
    return uuid
  }
  const position = async (): Promise<number> => {
    const [row] = await query<{ position: string }>(
      `with clock as (
         select position from event_clock for update
       ), told as (
         update events e set position = clock.position + n.number
           from clock, (select id, row_number() over (order by id) as number from events where position is null) n
          where e.id = n.id returning e.position
       )
       update event_clock set position = greatest(position, (select coalesce(max(position), 0) from told)) returning position`,
    )
    return Number(row?.position)
  }
  return {
    org,
    add,
    position,
    query,
    tell: async (event) => {
      const id = await add(event)
      await position()
      return id
    },
  }
}
