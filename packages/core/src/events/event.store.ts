import type { Tx } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'

/** What the outside is told of. `id` and `subjectId` are UUIDs; `data` is what it is told. */
export type NewEvent = { id: string; type: EventType; subjectId: string; data: Readonly<Record<string, unknown>> }

export type EventType = 'agent.updated' | 'deployment.created' | 'deployment.rollback'

/** In the transaction of its cause, so that neither is there without the other. */
export const recordEvent = async (tx: Tx, org: string, { id, type, subjectId, data }: NewEvent): Promise<void> => {
  await tx.query(add(id, org, type, subjectId, JSON.stringify(data)))
}

const add = statement(
  'events.add',
  'insert into events (id, org_id, type, subject_id, data) values ($1, $2, $3, $4, $5)',
)
