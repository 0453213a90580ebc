import type { PipelineItem as WirePipelineItem } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import { retryDueAt } from '../advance.ts'

/** The last attempt of an item, with the end of its run. */
export type PipelineItemRow = {
  item: number
  attempt: number
  state: string
  code: string | null
  due_at: Date | null
  run_id: string | null
  outcome: 'completed' | 'failed' | 'cancelled' | null
  closed_at: Date | null
  run_status: string | null
  run_code: string | null
  run_message: string | null
  /** What the expression said that failed. */
  message: string | null
  finished_at: Date | null
}

export const toWireItem = (row: PipelineItemRow): WirePipelineItem => {
  const code = row.outcome === 'completed' ? null : (row.code ?? row.run_code)
  // It ended and is not closed: the next attempt is due later.
  const isRetried = row.outcome === null && row.run_status === 'failed'
  const retryAt = isRetried && row.finished_at ? retryDueAt(row.finished_at, row.attempt) : refusedUntil(row)
  return {
    object: 'pipeline_item',
    item: row.item,
    attempt: row.attempt,
    status: row.outcome ?? (isRetried || row.state === 'waiting' || row.state === 'refused' ? 'waiting' : 'running'),
    run_id: row.run_id === null ? null : fromUuid('run', row.run_id),
    error: code === null ? null : { code, message: row.message ?? row.run_message ?? `The item failed: ${code}` },
    retry_at: row.outcome === null ? (retryAt?.toISOString() ?? null) : null,
    finished_at: row.closed_at?.toISOString() ?? null,
  }
}

const refusedUntil = ({ state, due_at }: PipelineItemRow): Date | null => (state === 'refused' ? due_at : null)
