import type { Run as WireRun } from '@ars/contract'
import { type EventRow, runOf, type Told, tell } from './event.ts'

/**
 * Runs in their wire form, by UUID, in the requested order. It answers as many as fit into memory, and at least one
 * of those that exist.
 */
export type RunLookup = (org: string, ids: readonly string[]) => Promise<Map<string, WireRun>>

/**
 * `isCut`: the byte limit was reached before all rows were rendered. An event whose run is no longer kept is left
 * out.
 */
export type Telling = { told: Told[]; isCut: boolean }

/** The events of these rows, in their order: as many as fit into the byte limit, and at least one. */
export const createTeller =
  ({ readRuns }: { readRuns: RunLookup }) =>
  async (org: string, rows: readonly EventRow[], maxBytes: number): Promise<Telling> => {
    const told: Told[] = []
    let bytes = 0
    let rest = rows
    while (rest.length > 0) {
      const { runs, settled } = await readSome(readRuns, org, rest)
      for (const row of rest.slice(0, settled)) {
        const one = tell(row, runs.get(row.subject_id))
        if (!one) continue
        bytes += Buffer.byteLength(one.text)
        if (bytes > maxBytes && told.length > 0) return { told, isCut: true }
        told.push(one)
      }
      rest = rest.slice(settled)
    }
    return { told, isCut: false }
  }

/**
 * `settled`: how many of the first rows are final. A run that is missing after that may be gone or may be read later.
 */
const readSome = async (readRuns: RunLookup, org: string, rows: readonly EventRow[]) => {
  const asked = [...new Set(rows.map(runOf).filter((id) => id !== null))]
  const runs = asked.length === 0 ? new Map<string, WireRun>() : await readRuns(org, asked)
  const last = asked.findLastIndex((id) => runs.has(id))
  const later = new Set(last === -1 ? [] : asked.slice(last + 1))
  const open = rows.findIndex(({ subject_id }) => later.has(subject_id))
  return { runs, settled: open === -1 ? rows.length : open }
}
