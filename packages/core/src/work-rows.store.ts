import type { Database } from '@ars/platform/db/database'
import type { ClaimAsk, Claimed, ClaimedItem } from '@ars/platform/work/queue'
import type { WorkRows } from './work-rows.sql.ts'

export { addWorkTable, isAsleep, listWorkTables, standingColumns, workRows } from './work-rows.sql.ts'

// crosses organisations: workers hold the due rows of all organisations, each organisation in turn.
export const claimRows = async (
  db: Database,
  rows: WorkRows,
  { uses, ...ask }: ClaimAsk,
): Promise<Claimed<ClaimedItem>> => {
  const found = await db.once(null, rows.claimDue({ ...ask, uses: JSON.stringify(uses) }))
  const items = found.map(({ org_id, id, claim, tries, lag_ms }) => ({ org: org_id, id, claim, tries, lagMs: lag_ms }))
  return { items, isMore: found[0]?.is_more ?? false }
}

/** Answers the ids of those that are still held. */
// crosses organisations: one statement prolongs what a worker holds of all of them.
export const renewRows = async (
  db: Database,
  rows: WorkRows,
  { items, leaseSeconds }: { items: readonly ClaimedItem[]; leaseSeconds: number },
): Promise<ReadonlySet<string>> => {
  const orgs = items.map(({ org }) => org)
  const ids = items.map(({ id }) => id)
  const claims = items.map(({ claim }) => claim)
  const renewed = await db.once(null, rows.renewLeases({ orgs, ids, claims, leaseSeconds }))
  return new Set(renewed.map(({ id }) => id))
}

export const giveBackRow = async (
  db: Database,
  org: string,
  rows: WorkRows,
  { id, claim, afterMs, tries }: Pick<ClaimedItem, 'id' | 'claim' | 'tries'> & { afterMs: number },
): Promise<void> => {
  await db.once(org, rows.giveBack({ org, id, claim, afterMs, tries }))
}
