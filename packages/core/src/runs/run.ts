import type { RunErrorCode, RunId, RunStatus, Run as WireRun } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'

/** A run as the database keeps it: what was asked, what moves, what came of it. */
export type Run = {
  id: string
  agent_id: string
  agent_version: number
  input: Record<string, unknown>
  metadata: Record<string, string>
  created_at: Date
  status: RunStatus
  output: Record<string, unknown> | null
  error: RunFailure | null
  input_tokens: number
  output_tokens: number
  cost_usd: number | null
  started_at: Date | null
  finished_at: Date | null
}

export type RunFailure = { code: RunErrorCode; message: string; retryable: boolean; details: null }

/** How a run ends. */
export type Outcome =
  | { status: 'completed'; output: Record<string, unknown>; error: null }
  | { status: 'failed'; output: Record<string, unknown> | null; error: RunFailure }

/** Every move that a run can make. Nothing follows an end. */
const next: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  queued: ['running', 'failed', 'cancelled'],
  running: ['requires_action', 'completed', 'failed', 'cancelling'],
  requires_action: ['running', 'failed', 'cancelled'],
  cancelling: ['cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
}

export const canMove = (from: RunStatus, to: RunStatus): boolean => next[from].includes(to)

export const isEnded = (status: RunStatus): boolean => next[status].length === 0

/** A step that took its worker down so often takes no further one with it. */
export const claimsPerStepMost = 5

/**
 * A step that was interrupted so often is suspected: it, or a neighbour, takes workers down. From then on it is taken
 * only when no other suspect runs in the process, so that the guilty one falls alone and the others do not count its
 * falls as their own.
 */
export const claimsUnsuspectedMost = 2

export const failure = (code: RunErrorCode, message: string, { retryable = false } = {}): RunFailure => ({
  code,
  message,
  retryable,
  details: null,
})

export const toWire = (run: Run): WireRun => {
  const queueMs = run.started_at && millisBetween(run.created_at, run.started_at)
  const latencyMs = run.finished_at && millisBetween(run.created_at, run.finished_at)
  return {
    id: runIdOf(run.id),
    status: run.status,
    output: run.output,
    latency_ms: latencyMs,
    tokens_used: run.input_tokens + run.output_tokens,
    created_at: run.created_at.toISOString(),
    agent_id: fromUuid('ag', run.agent_id),
    object: 'run',
    agent_version: run.agent_version,
    deployment_id: null,
    input: run.input,
    error: run.error,
    required_actions: [],
    usage: { input_tokens: run.input_tokens, output_tokens: run.output_tokens, cost_usd: run.cost_usd },
    timing: {
      queue_ms: queueMs,
      execution_ms: run.started_at && run.finished_at && millisBetween(run.started_at, run.finished_at),
      waiting_ms: 0,
    },
    metadata: run.metadata,
    pipeline_run_id: null,
    parent_run_id: null,
    started_at: run.started_at?.toISOString() ?? null,
    finished_at: run.finished_at?.toISOString() ?? null,
  }
}

export const runIdOf = (uuid: string): RunId => fromUuid('run', uuid)

// All dates of a run come from the database's clock. Should that be set back, a duration is 0, never negative.
const millisBetween = (from: Date, to: Date): number => Math.max(0, to.getTime() - from.getTime())
