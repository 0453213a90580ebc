import type { Database, Tx } from '@ars/platform/db/database'
import { fromUuid } from '@ars/platform/id'
import { addSpend, addWait } from '../../budgets/index.ts'
import type { PersonRequest } from '../../steps/index.ts'
import { toSpendRow } from '../run/check-spend.ts'
import { parkStatement } from './park.sql.ts'
import { type ClaimedStep, type StoredStep, toClaimRow, toPayload, toStepRow } from './step-row.ts'

/** `lost`: `findStepState` says why. */
export type ParkVerdict = { kind: 'parked'; seq: number } | { kind: 'lost' }

/** `sealed`: what a policy holds back. */
type ParkedStep = {
  stored: StoredStep | null
  asks: readonly (Omit<PersonRequest, 'held'> & { id: string; sealed: Buffer | null })[]
}

/** Lets a run wait for a person: its questions are stored, it counts against no limit, and its timeout is suspended. */
export const parkRun = async (
  db: Database,
  org: string,
  parked: ClaimedStep & ParkedStep & { reset: boolean; eventId: string },
): Promise<ParkVerdict> => {
  const { stored, asks, step, eventId, checkSpend } = parked
  const questions = asks.map((ask) => ({
    id: ask.id,
    wire_id: fromUuid('act', ask.id),
    type: ask.type,
    ordinal: ask.ordinal,
    message: ask.message,
    tool_call: toPayload(ask.toolCall),
    response_schema: toPayload(ask.responseSchema),
    expires_in_seconds: ask.expiresInSeconds,
    held: ask.sealed?.toString('base64') ?? null,
    policy: ask.policy ?? null,
  }))
  const attempt = {
    ...toClaimRow(parked),
    ...(stored ? toStepRow(stored) : { kind: null, ...(checkSpend && toSpendRow(checkSpend)) }),
    reset: parked.reset,
  }
  const parking = parkStatement({
    org,
    attempt: JSON.stringify(attempt),
    content: stored && toPayload(stored.content),
    questions: JSON.stringify(questions),
    step,
    eventId,
  })
  const { budgetIds } = parked
  const [row] = budgetIds
    ? await db.transaction(org, (tx) => parkBudgeted(tx, org, { ...parked, budgetIds }, parking))
    : await db.once(org, parking)
  return row ? { kind: 'parked', ...row } : { kind: 'lost' }
}

/** The cost of the step, and the wait for a budget, are stored only if the run is parked. */
const parkBudgeted = async (
  tx: Tx,
  org: string,
  { segment, stored, asks, budgetIds, checkSpend }: ClaimedStep & { budgetIds: readonly string[] } & ParkedStep,
  parking: ReturnType<typeof parkStatement>,
): Promise<{ seq: number }[]> => {
  const rows = await tx.query(parking)
  if (rows.length === 0) return rows
  await addSpend(tx, org, { budgetIds, costUsd: (stored ?? checkSpend)?.costUsd ?? 0 })
  for (const { budgetId } of asks) if (budgetId !== undefined) await addWait(tx, org, { budgetId, runId: segment.run })
  return rows
}
