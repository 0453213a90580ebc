import type { Records } from '../records.ts'

const graceMs = 60_000

/** C5: no run is active a minute after its deadline is up. */
export const checkNothingOverdue = (records: Records): string[] => {
  const active = new Map(records.heads.map(({ run_id, status }) => [run_id, status]))
  return records.runs
    .filter(({ id, created_at, timeout_seconds }) => {
      const dueMs = created_at.getTime() + timeout_seconds * 1000 + graceMs
      return active.has(id) && records.readAt.getTime() > dueMs
    })
    .map(({ id, timeout_seconds }) => `run ${id} had ${timeout_seconds} s and is still ${active.get(id)}`)
}
