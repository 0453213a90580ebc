import type { Database } from '@ars/platform/db/database'
import { assignPositions } from '../src/events/index.ts'
import { fanOutEvents } from '../src/webhooks/deliver/fan-out.store.ts'

/** One batch as a worker processes it: positions and deliveries. */
export const relayEvents = (db: Database) =>
  assignPositions(db, [async (tx, batch) => void (await fanOutEvents(tx, batch))])
