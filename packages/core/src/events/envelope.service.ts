import type { Run as WireRun } from '@ars/contract'
import { eventsBounds } from './bounds.ts'
import { type EventRow, type EventSubject, pipelineRunOf, type RenderedEvent, renderEvent, runOf } from './event.ts'

/**
 * Runs in their wire form, by UUID, in the requested order. It answers as many as fit into memory, and at least one
 * of those that exist.
 */
export type RunLookup = (org: string, ids: readonly string[]) => Promise<Map<string, WireRun>>

/** Pipeline runs in their wire form, by UUID: all of those that exist. */
export type PipelineRunLookup = (
  org: string,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>>

/** Each may have megabytes, so few are held at once. */
const pipelineRunsAtOnce = eventsBounds.pipelineRunsTogether.count

/**
 * `isCut`: the byte limit was reached before all rows were rendered. An event whose run is no longer kept is left
 * out.
 */
export type RenderedEvents = { rendered: RenderedEvent[]; isCut: boolean }

/** Without `readPipelineRuns`, events of pipeline runs are left out. */
export type Lookups = { readRuns: RunLookup; readPipelineRuns?: PipelineRunLookup }

const noPipelineRuns: PipelineRunLookup = () => Promise.resolve(new Map())

/** The events of these rows, in their order: as many as fit into the byte limit, and at least one. */
export const createEventRenderer =
  ({ readRuns, readPipelineRuns = noPipelineRuns }: Lookups) =>
  async (org: string, rows: readonly EventRow[], maxBytes: number): Promise<RenderedEvents> => {
    const rendered: RenderedEvent[] = []
    let bytes = 0
    let rest = rows
    while (rest.length > 0) {
      const { subjects, settled } = await readSome({ readRuns, readPipelineRuns }, org, rest)
      for (const row of rest.slice(0, settled)) {
        const one = renderEvent(row, subjects.get(row.subject_id))
        if (!one) continue
        bytes += Buffer.byteLength(one.text)
        if (bytes > maxBytes && rendered.length > 0) return { rendered, isCut: true }
        rendered.push(one)
      }
      rest = rest.slice(settled)
    }
    return { rendered, isCut: false }
  }

/**
 * `settled`: how many of the first rows are final. A run that is missing after that may be gone or may be read later.
 */
const readSome = async ({ readRuns, readPipelineRuns }: Required<Lookups>, org: string, rows: readonly EventRow[]) => {
  const asked = [...new Set(rows.map(runOf).filter((id) => id !== null))]
  const runs = asked.length === 0 ? new Map<string, WireRun>() : await readRuns(org, asked)
  const last = asked.findLastIndex((id) => runs.has(id))
  const named = [...new Set(rows.map(pipelineRunOf).filter((id) => id !== null))]
  const now = named.slice(0, pipelineRunsAtOnce)
  const pipelineRuns = now.length === 0 ? [] : await readPipelineRuns(org, now)
  const subjects = new Map<string, EventSubject>([...runs, ...pipelineRuns])
  const later = new Set([...(last === -1 ? [] : asked.slice(last + 1)), ...named.slice(pipelineRunsAtOnce)])
  const open = rows.findIndex(({ subject_id }) => later.has(subject_id))
  return { subjects, settled: open === -1 ? rows.length : open }
}
