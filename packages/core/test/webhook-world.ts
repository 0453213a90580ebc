import type { Event, WebhookId } from '@ars/contract'
import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, fromUuid, toUuid, uuidFloor } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { workDue } from '@ars/platform/work/due-work.fixture'
import type { ClaimedItem, TurnEnd, WorkQueue } from '@ars/platform/work/queue'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { createHistory, type HistoryService } from '../src/webhooks/manage/history.service.ts'
import { createMissed, type MissedService } from '../src/webhooks/recover/missed.service.ts'
import { createRecoveries, type RecoveryService } from '../src/webhooks/recover/recovery.service.ts'
import { createRecoveryQueue } from '../src/webhooks/recover/recovery-queue.service.ts'

const newId = createIdMaker(systemClock)

/** A database with endpoints and events as rows; a test sets the outcome of each delivery. */
export type WebhookWorld = {
  database: TestDatabase
  app: Database
  system: Database
  log: ReturnType<typeof createLog>
  history: HistoryService
  missed: MissedService
  recoveries: RecoveryService
  /** The number of notifications to the senders. */
  nudges(): number
  sql<Row>(text: string, values?: unknown[]): Promise<Row[]>
  newOrg(): Promise<string>
  /** An endpoint that was created this long ago. */
  newWebhook(org: string, options?: { events?: string[]; agoSeconds?: number }): Promise<WebhookId>
  /** Inserts events, published or not; returns their UUIDs, oldest first. */
  tell(org: string, events: readonly PlantedEvent[]): Promise<string[]>
  /** A delivery that has ended. */
  deliver(org: string, webhook: WebhookId, event: string, status: 'succeeded' | 'failed'): Promise<string>
  /** Ends this many of the deliveries that wait for an endpoint, as a sender would. */
  end(webhook: WebhookId, status: 'succeeded' | 'failed', most?: number): Promise<number>
  queue(system?: Database): WorkQueue<ClaimedItem>
  /** Works on all recoveries. */
  sweep(system?: Database): Promise<TurnEnd[]>
  close(): Promise<void>
}

export type PlantedEvent = { type?: string; agoSeconds: number; isTold?: boolean; testFor?: WebhookId }

export const openWebhookWorld = async (): Promise<WebhookWorld> => {
  const database = await createTestDatabase()
  const log = createLog({ level: 'silent' })
  const open = (url: string, name: string) => openDatabase({ url, name, size: 8, acquireTimeoutMs: 30_000, log })
  const app = open(database.appUrl, 'test-app')
  const system = open(database.systemUrl, 'test-system')
  const sql = <Row>(text: string, values: unknown[] = []) =>
    asClient(database.superuserUrl, async (client) => (await client.query(text, values)).rows as Row[])
  let nudges = 0
  let position = 0
  const pubSub = {
    publish: () => {
      nudges += 1
    },
  }
  const envelopesOf = async (org: string, ids: readonly string[]): Promise<Map<string, Event>> => {
    const rows = await sql<{ id: string; type: Event['type']; created_at: Date }>(
      'select id, type, created_at from events where org_id = $1 and id = any ($2::uuid[])',
      [org, ids],
    )
    return new Map(
      rows.map(({ id, type, created_at }) => [
        id,
        { id: fromUuid('evt', id), type, created_at: created_at.toISOString(), data: {} },
      ]),
    )
  }

  const queue = (as = system) => createRecoveryQueue({ system: as, newId, pubSub, log })

  return {
    database,
    app,
    system,
    log,
    sql,
    history: createHistory({ app, newId, pubSub }),
    missed: createMissed({ app, events: { envelopesOf } }),
    recoveries: createRecoveries({ app, newId }),
    nudges: () => nudges,
    newOrg: async () => {
      const org = toUuid(newId('org'))
      await sql(`insert into organisations (id, name) values ($1, 'Test')`, [org])
      return org
    },
    newWebhook: async (org, { events = ['*'], agoSeconds = 3_600 } = {}) => {
      const id = idAt(agoSeconds, 0)
      await sql(
        `insert into webhooks (id, org_id, url, events, secret, secret_hint, created_by, created_by_type, created_at, updated_at)
         values ($1, $2, 'https://example.com/hook', $3, '\\x00', 'hint', $1, 'key', ${ago('$4')}, ${ago('$4')})`,
        [id, org, events, agoSeconds],
      )
      await sql('insert into webhook_lanes (webhook_id, org_id) values ($1, $2)', [id, org])
      return fromUuid('wh', id)
    },
    tell: async (org, events) => {
      const rows = events.map(({ type = 'run.completed', agoSeconds, isTold = true, testFor }, n) => ({
        id: idAt(agoSeconds, n),
        type,
        ago: agoSeconds,
        position: isTold ? ++position : null,
        webhook_id: testFor === undefined ? null : toUuid(testFor),
      }))
      await sql(
        `insert into events (id, org_id, type, subject_id, data, created_at, position, webhook_id)
         select id, $1, type, id, '{}', ${ago('ago')}, position, webhook_id
           from json_to_recordset($2::json) as r (id uuid, type text, ago integer, position bigint, webhook_id uuid)`,
        [org, JSON.stringify(rows)],
      )
      return rows.map(({ id }) => id).toSorted()
    },
    deliver: async (org, webhook, event, status) => {
      const id = toUuid(newId('dlv'))
      await sql(
        `insert into deliveries (id, org_id, webhook_id, event_id, event_type, status, source, ended_at)
         values ($1, $2, $3, $4, 'run.completed', $5, 'event', app_now())`,
        [id, org, toUuid(webhook), event, status],
      )
      return id
    },
    end: async (webhook, status, most = 1_000_000) => {
      const ended = await sql(
        `with ended as (
           delete from delivery_heads where delivery_id in (
             select delivery_id from delivery_heads where webhook_id = $1 and lease_until is null order by event_id limit $3)
           returning delivery_id
         ), lane as (
           update webhook_lanes set waiting = waiting - (select count(*) from ended) where webhook_id = $1
         )
         update deliveries set status = $2, ended_at = app_now() where id in (select delivery_id from ended) returning id`,
        [toUuid(webhook), status, most],
      )
      return ended.length
    },
    queue,
    sweep: async (as) => {
      await sql('update webhook_recoveries set due_at = app_now(), held_until = null where due_at is not null')
      return workDue(queue(as))
    },
    close: async () => {
      await Promise.all([app.close(), system.close()])
      await database.drop()
    },
  }
}

const ago = (seconds: string): string => `app_now() - make_interval(secs => ${seconds})`

// Ids begin with the creation time of the object and are unique.
const idAt = (agoSeconds: number, n: number): string => {
  const time = uuidFloor(new Date(systemClock.now().getTime() - agoSeconds * 1_000)).slice(0, 13)
  return `${time}-7${n.toString(16).padStart(3, '0').slice(-3)}${toUuid(newId('evt')).slice(18)}`
}
