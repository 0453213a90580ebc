import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import type { EndedAttempt } from '../src/webhooks/deliver/delivery-end.store.ts'
import type { Claimed } from '../src/webhooks/deliver/endpoint-queue.store.ts'
import type { AttemptOutcome } from '../src/webhooks/webhook/endpoint-queue.ts'

/** Endpoints and events in a real database, inserted without the services that create them. */
export type EndpointQueueWorld = {
  database: TestDatabase
  system: Database
  addOrganisation(): Promise<string>
  addWebhook(org: string, events?: readonly string[]): Promise<string>
  addEvents(org: string, count: number, event?: { type?: string; webhookId?: string }): Promise<string[]>
  query<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>
  close(): Promise<void>
}

const log = createLog({ level: 'silent' })
const newId = createIdMaker(systemClock)

export const openEndpointQueueWorld = async (connections: number): Promise<EndpointQueueWorld> => {
  const database = await createTestDatabase()
  const url = database.systemUrl
  const system = openDatabase({ url, name: 'system', size: connections, acquireTimeoutMs: 30_000, log })
  const query = <Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> =>
    asClient(database.superuserUrl, async (client) => (await client.query(sql, [...values])).rows as Row[])
  return {
    database,
    system,
    query,
    addOrganisation: async () => {
      const org = toUuid(newId('org'))
      await query(`insert into organisations (id, name) values ($1, 'Test')`, [org])
      return org
    },
    addWebhook: async (org, events = ['*']) => {
      const id = toUuid(newId('wh'))
      await query(
        `insert into webhooks (id, org_id, url, events, secret, secret_hint, created_by, created_by_type)
         values ($1, $2, 'https://receiver.example.com/', $3, '\\x00', 'hint', $2, 'key')`,
        [id, org, events],
      )
      await query('insert into webhook_lanes (webhook_id, org_id) values ($1, $2)', [id, org])
      return id
    },
    addEvents: async (org, count, { type = 'agent.updated', webhookId } = {}) => {
      const ids = Array.from({ length: count }, () => toUuid(newId('evt')))
      await query(
        `insert into events (id, org_id, type, subject_id, data, webhook_id)
         select id, $1, $2, id, '{}', $4 from unnest($3::uuid[]) as id`,
        [org, type, ids, webhookId ?? null],
      )
      return ids
    },
    close: async () => {
      await system.close()
      await database.drop()
    },
  }
}

/** The end of an attempt, as a worker would report it. */
export const endOf = (claimed: Claimed, outcome: AttemptOutcome): EndedAttempt => ({
  deliveryId: claimed.delivery_id,
  webhookId: claimed.webhook_id,
  number: claimed.number,
  outcome,
  durationMs: 5,
  httpStatus: outcome === 'acknowledged' ? 204 : 500,
  error: outcome === 'acknowledged' ? null : 'The endpoint answered 500',
  requestHeaders: { 'content-type': 'application/json' },
  responseHeaders: {},
  responseBody: '',
})
