import type { RunStatus, BatchResult as WireResult } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'

export type ItemRow = {
  number: number
  custom_id: string | null
  state: 'waiting' | 'started' | 'refused' | 'dropped'
  code: string | null
  message: string | null
  run_id: string | null
}

/** What became of a run. `status` is null if the run is not stored any more. */
export type OutcomeRow = {
  id: string
  status: RunStatus | null
  output: Record<string, unknown> | null
  error: { code: string; message: string } | null
  finished_at: Date | null
}

const gone = { code: 'internal_error', message: 'The run is not stored any more' } as const

export const toWireResult = (item: ItemRow, outcome: OutcomeRow | null): WireResult => {
  const base = {
    id: String(item.number),
    object: 'batch_result',
    custom_id: item.custom_id,
    run_id: null,
    output: null,
    finished_at: null,
  } as const
  if (item.run_id === null || outcome === null) {
    if (item.state !== 'refused')
      return { ...base, status: item.state === 'waiting' ? 'waiting' : 'cancelled', error: null }
    return { ...base, status: 'failed', error: { code: item.code ?? '', message: item.message ?? '' } }
  }
  const error = outcome.status === null ? gone : outcome.error
  return {
    ...base,
    run_id: fromUuid('run', item.run_id),
    status: outcome.status ?? 'failed',
    output: outcome.output,
    error: error && { code: error.code, message: error.message },
    finished_at: outcome.finished_at?.toISOString() ?? null,
  }
}
