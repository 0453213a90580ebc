import type { Database } from '@ars/platform/db/database'
import { fromUuid } from '@ars/platform/id'
import type { PersonRequest } from '../../steps/index.ts'
import { parkStatement } from './park.sql.ts'
import { type Held, type StoredStep, toHeldRow, toPayload, toStepRow } from './step-row.ts'

/** `lost`: `findStepState` says why. */
export type ParkVerdict = { kind: 'parked'; seq: number } | { kind: 'lost' }

/** Lets a run wait for a person: its questions are stored, it counts against no limit, and its timeout is suspended. */
export const parkRun = async (
  db: Database,
  org: string,
  parked: Held & {
    stored: StoredStep | null
    reset: boolean
    asks: readonly (PersonRequest & { id: string })[]
    eventId: string
  },
): Promise<ParkVerdict> => {
  const { stored, asks, step, eventId } = parked
  const questions = asks.map((ask) => ({
    id: ask.id,
    wire_id: fromUuid('act', ask.id),
    type: ask.type,
    ordinal: ask.ordinal,
    message: ask.message,
    tool_call: toPayload(ask.toolCall),
    response_schema: toPayload(ask.responseSchema),
    expires_in_seconds: ask.expiresInSeconds,
  }))
  const attempt = { ...toHeldRow(parked), ...(stored ? toStepRow(stored) : { kind: null }), reset: parked.reset }
  const [row] = await db.once(
    org,
    parkStatement({
      org,
      attempt: JSON.stringify(attempt),
      content: stored && toPayload(stored.content),
      questions: JSON.stringify(questions),
      step,
      eventId,
    }),
  )
  return row ? { kind: 'parked', ...row } : { kind: 'lost' }
}
