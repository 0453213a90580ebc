import type { RunErrorCode, RunId, RunStatus, Run as WireRun } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import { storableText } from '../../storable.ts'
import { runsBounds } from '../bounds.ts'
import { noTokenCounts, type TokenCounts, toUsage } from './tokens.ts'

/** A run as stored: the request, the current state, the result. */
export type Run = TokenCounts & {
  id: string
  agent_id: string
  agent_version: number
  input: Record<string, unknown>
  metadata: Record<string, string>
  created_at: Date
  status: RunStatus
  output: Record<string, unknown> | null
  error: RunFailure | null
  cost_usd: number | null
  waiting_ms: number
  started_at: Date | null
  finished_at: Date | null
  /** When its data was erased. */
  erased_at: Date | null
  deployment_id: string | null
  parent_run_id: string | null
  pipeline_run_id: string | null
  /** The key or person that created it, as a UUID. */
  created_by: string
  created_by_type: 'key' | 'user'
  /** The open questions to a person, while the run waits. */
  actions: readonly OpenAction[]
}

export type OpenAction = {
  id: string
  type: 'approval' | 'input' | 'reconcile' | 'raise_budget'
  message: string
  tool_call: Record<string, unknown> | null
  response_schema: Record<string, unknown> | null
  created_at: Date
  expires_at: Date
}

export type RunFailure = {
  code: RunErrorCode
  message: string
  retryable: boolean
  details: Record<string, unknown> | null
}

/** How a run ends. */
export type RunOutcome =
  | { status: 'completed'; output: Record<string, unknown>; error: null }
  | { status: 'failed'; output: Record<string, unknown> | null; error: RunFailure }

/** All state changes of a run. Nothing follows an end. */
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

/** A step that killed its worker this often is not executed again. */
export const maxClaimsPerStep = runsBounds.claimsPerStep.count

/**
 * A step that was interrupted this often is a suspect: it, or a neighbour, kills workers. From then on it runs only
 * when no other suspect runs in the process, so that the faulty step fails alone and does not count against the
 * others.
 */
export const maxClaimsUnsuspected = runsBounds.claimsUnsuspected.count

type FailureFacts = Partial<Pick<RunFailure, 'retryable' | 'details'>>

/** The words of a failure may be those of a provider, a remote agent or a tool. */
export const failure = (
  code: RunErrorCode,
  message: string,
  { retryable = false, details = null }: FailureFacts = {},
): RunFailure => ({
  code,
  message: storableText(message),
  retryable,
  details: JSON.parse(JSON.stringify(details), (_, value) => (typeof value === 'string' ? storableText(value) : value)),
})

/** A run at the moment of its acceptance. */
export const newRun = (
  asked: Pick<Run, 'id' | 'agent_id' | 'input' | 'metadata' | 'created_by' | 'created_by_type'>,
  accepted: Pick<Run, 'agent_version' | 'deployment_id' | 'created_at'>,
): Run => ({
  ...asked,
  agent_version: accepted.agent_version,
  deployment_id: accepted.deployment_id,
  created_at: accepted.created_at,
  status: 'queued',
  output: null,
  error: null,
  ...noTokenCounts,
  cost_usd: 0,
  waiting_ms: 0,
  started_at: null,
  finished_at: null,
  parent_run_id: null,
  pipeline_run_id: null,
  erased_at: null,
  actions: [],
})

/** Of a run whose input and output were read as previews. */
export const toSummary = (run: Run): WireRun => ({
  ...toWireRun({ ...run, input: {}, output: null }),
  input_preview: String(run.input),
  output_preview: run.output && String(run.output),
})

/** Full runs, or their summaries: `input` and `output` are then the beginning of their text. */
export type RunView = 'full' | 'summary'

export const toWireRun = (run: Run): WireRun => {
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
    deployment_id: run.deployment_id && fromUuid('dep', run.deployment_id),
    input: run.input,
    error: run.error,
    required_actions: run.actions.map((action) => ({
      ...action,
      id: fromUuid('act', action.id),
      created_at: action.created_at.toISOString(),
      expires_at: action.expires_at.toISOString(),
    })),
    usage: toUsage(run),
    timing: {
      queue_ms: queueMs,
      execution_ms:
        run.started_at &&
        run.finished_at &&
        Math.max(0, millisBetween(run.started_at, run.finished_at) - run.waiting_ms),
      waiting_ms: run.waiting_ms,
    },
    metadata: run.metadata,
    pipeline_run_id: run.pipeline_run_id && fromUuid('plr', run.pipeline_run_id),
    parent_run_id: run.parent_run_id && runIdOf(run.parent_run_id),
    created_by: fromUuid(run.created_by_type === 'user' ? 'usr' : 'key', run.created_by),
    started_at: run.started_at?.toISOString() ?? null,
    finished_at: run.finished_at?.toISOString() ?? null,
    erased_at: run.erased_at?.toISOString() ?? null,
  }
}

export const runIdOf = (uuid: string): RunId => fromUuid('run', uuid)

// All dates of a run come from the database's clock. If that clock is set back, a duration is 0, never negative.
const millisBetween = (from: Date, to: Date): number => Math.max(0, to.getTime() - from.getTime())
