import { waitFor } from '../lab/condition.ts'
import type { RecordReader } from './records.ts'

/** All that the database says of webhooks and what was sent to them. Ids are UUIDs. */
export type DeliveryRecords = {
  webhooks: { id: string; org_id: string; url: string; events: string[]; is_active: boolean; created_at: Date }[]
  /** The events that are announced to customers, without test events. */
  events: { id: string; org_id: string; type: string; subject_id: string | null; created_at: Date }[]
  deliveries: {
    id: string
    webhook_id: string
    event_id: string
    status: string
    source: string
    error: string | null
  }[]
  attempts: {
    delivery_id: string
    number: number
    at: Date
    duration_ms: number | null
    http_status: number | null
    error: string | null
  }[]
}

/** Of these webhooks, or of all of them. */
export const readDeliveries = async (
  { query }: Pick<RecordReader, 'query'>,
  webhooks?: readonly string[],
): Promise<DeliveryRecords> => {
  const wanted = [webhooks ?? null]
  return {
    webhooks: await query(
      `select id, org_id, url, events, disabled_at is null as is_active, created_at
         from webhooks where $1::uuid[] is null or id = any ($1)`,
      wanted,
    ),
    events: await query(
      `select id, org_id, type, subject_id, created_at from events
        where webhook_id is null and org_id in (select org_id from webhooks where $1::uuid[] is null or id = any ($1))`,
      wanted,
    ),
    deliveries: await query(
      `select id, webhook_id, event_id, status, source, error from deliveries
        where $1::uuid[] is null or webhook_id = any ($1)`,
      wanted,
    ),
    attempts: await query(
      `select delivery_id, number, at, duration_ms, http_status, error from delivery_attempts
        where $1::uuid[] is null
           or delivery_id in (select id from deliveries where webhook_id = any ($1)) order by delivery_id, number`,
      wanted,
    ),
  }
}

/** Waits until every event is announced and no delivery is pending. Returns the pending ones at the deadline. */
export const awaitDeliveries = async (
  { query }: Pick<RecordReader, 'query'>,
  { webhooks, timeoutMs, hopeless }: { webhooks?: readonly string[]; timeoutMs: number; hopeless?: AbortSignal },
): Promise<string[]> => {
  const left = async (): Promise<{ untold: number; waiting: number } | undefined> => {
    const [row] = await query<{ untold: number; waiting: number }>(
      `select (select count(*)::integer from events where position is null) as untold,
              (select count(*)::integer from delivery_heads where $1::uuid[] is null or webhook_id = any ($1)) as waiting`,
      [webhooks ?? null],
    )
    return row
  }
  const found = await waitFor(
    'the deliveries to end',
    async () => {
      if (hopeless?.aborted) return []
      const row = await left()
      return row && row.untold === 0 && row.waiting === 0 ? [] : undefined
    },
    { timeoutMs, everyMs: 250 },
  ).catch(left)
  return Array.isArray(found) ? found : [`${found?.untold} events are not told, ${found?.waiting} deliveries wait`]
}
