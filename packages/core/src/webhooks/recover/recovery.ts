import type { Recovery as WireRecovery } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import { webhooksBounds } from '../bounds.ts'
import { highest, timeOf } from '../webhook/id-window.ts'

/** A recovery as stored, with the counts of its deliveries. All ids are UUIDs. */
export type Recovery = {
  id: string
  org_id: string
  webhook_id: string
  since: Date
  until: Date
  status: WireRecovery['status']
  /** The last event that was searched. Null: none yet. */
  cursor: string | null
  found: number
  delivered: number
  failed: number
  created_at: Date
  /** Null until the last of its deliveries has ended. */
  ended_at: Date | null
}

export const toWireRecovery = (recovery: Recovery): WireRecovery => ({
  id: fromUuid('rec', recovery.id),
  object: 'recovery',
  webhook_id: fromUuid('wh', recovery.webhook_id),
  since: recovery.since.toISOString(),
  until: recovery.until.toISOString(),
  status: recovery.status,
  progress: {
    found: recovery.found,
    delivered: recovery.delivered,
    failed: recovery.failed,
    scanned_until: scannedUntil(recovery)?.toISOString() ?? null,
  },
  created_at: recovery.created_at.toISOString(),
  ended_at: recovery.ended_at?.toISOString() ?? null,
})

/** The cursor of a finished search. */
export const searchedToTheEnd = highest

export const isSearched = ({ cursor }: Pick<Recovery, 'cursor'>): boolean => cursor === searchedToTheEnd

const scannedUntil = ({ cursor, since, until }: Recovery): Date | null => {
  if (cursor === null) return null
  const time = timeOf(cursor)
  if (time < since) return since
  return time > until ? until : time
}

/** For a running recovery: how many of its deliveries have not ended. */
export const pendingOf = ({ found, delivered, failed }: Pick<Recovery, 'found' | 'delivered' | 'failed'>): number =>
  found - delivered - failed

/** The size of one portion, which is one transaction. */
export const portion = { order: 'oldest first', events: 5_000, fitting: 200 } as const

/** New events share the queue. A recovery may have this many deliveries there, and refills it when half are done. */
export const maxPending = webhooksBounds.recoveryPending.count
const pendingLow = 500

/** How many portions may be searched before some of its deliveries must have ended. */
export const roomFor = (pending: number): number =>
  pending >= pendingLow ? 0 : Math.floor((maxPending - pending) / portion.fitting)
