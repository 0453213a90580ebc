import type { PipelineRun as WirePipelineRun, PipelineStep as WirePipelineStep } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import { hasItems, isApproval, type PipelineDefinition, type PipelineStep } from '../definition.ts'
import type { PipelineStepOutcome } from '../pipeline-state.ts'

/** Tells workers that pipeline runs are due. */
export const pipelineChannel = 'pipeline-runs-due'

/** Tells the streams of a pipeline run that it has changed. */
export const changeChannelOf = (org: string, id: string): string => `pipeline-run:${org}:${id}`

/** A pipeline run as stored. All ids are UUIDs. */
export type PipelineRunRow = {
  id: string
  pipeline_id: string
  pipeline_version: number
  input: Record<string, unknown>
  metadata: Record<string, string>
  timeout_seconds: number
  created_by: string
  created_by_type: 'key' | 'user'
  owner_id: string | null
  rerun_of: string | null
  from_step: string | null
  created_at: Date
  status: 'completed' | 'failed' | 'cancelled' | null
  output: unknown
  error: { code: string; message: string; step: string | null } | null
  tokens_used: string | null
  cost_usd: string | null
  finished_at: Date | null
  erased_at: Date | null
  /** Of the head; null: it has ended. */
  head_status: 'running' | 'cancelling' | null
  definition: PipelineDefinition
}

/** `run_id`: of the last attempt of the first item. */
export type PipelineStepRow = {
  pipeline_run_id: string
  key: string
  outcome: PipelineStepOutcome | null
  code: string | null
  halt: string | null
  /** What the expression or the run said that failed the step. */
  message: string | null
  items: number
  opened_at: Date
  settled_at: Date | null
  run_id: string | null
  begun: number
  completed: number
  open: number
  /** Of an approval step. Ids are UUIDs. */
  decision: StepDecision | null
}

export type StepDecision = {
  type: 'approve' | 'reject'
  by: string
  byType: 'key' | 'user'
  at: string
  /** The pipeline run that put the question. */
  askedIn: string
}

/** An open question, of an approval step or of a run. */
export type PipelineAction = WirePipelineRun['required_actions'][number]

export const toWirePipelineRun = (
  row: PipelineRunRow,
  steps: readonly PipelineStepRow[],
  actions: readonly PipelineAction[] = [],
): WirePipelineRun => {
  const rows = new Map(steps.map((step) => [step.key, step]))
  return {
    id: fromUuid('plr', row.id),
    object: 'pipeline_run',
    pipeline_id: fromUuid('pl', row.pipeline_id),
    status: row.status ?? row.head_status ?? 'running',
    steps: row.definition.steps.map((step) => toWireStep(step, rows.get(step.key))),
    input: row.input,
    output: asObject(row.output),
    error: row.error,
    latency_ms: row.finished_at && row.finished_at.getTime() - row.created_at.getTime(),
    tokens_used: Number(row.tokens_used ?? 0),
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
    pipeline_version: row.pipeline_version,
    metadata: row.metadata,
    required_actions: [...actions],
    rerun_of: row.rerun_of === null ? null : fromUuid('plr', row.rerun_of),
    from_step: row.from_step,
    cost_usd: row.cost_usd === null ? null : Number(row.cost_usd),
    created_by: fromUuid(row.created_by_type === 'key' ? 'key' : 'usr', row.created_by),
    erased_at: row.erased_at?.toISOString() ?? null,
  }
}

/** An output that is no object is in the field `result`. */
const asObject = (output: unknown): Record<string, unknown> | null => {
  if (output === null || output === undefined) return null
  return typeof output === 'object' && !Array.isArray(output) ? (output as Record<string, unknown>) : { result: output }
}

const toWireStep = (step: PipelineStep, row: PipelineStepRow | undefined): WirePipelineStep => {
  const code = row?.code ?? row?.halt ?? null
  const { items = 0, begun = 0, completed = 0, open = 0 } = row ?? {}
  return {
    key: step.key,
    run_id: row?.run_id && !hasItems(step) && !isApproval(step) ? fromUuid('run', row.run_id) : null,
    status: row ? (row.outcome ?? 'running') : 'pending',
    items: { total: items, completed, failed: begun - completed - open, running: open },
    error:
      row?.outcome === 'failed' && code !== null ? { code, message: row.message ?? `The step failed: ${code}` } : null,
    decision: row?.decision ? toWireDecision(row.decision) : null,
    started_at: row?.opened_at.toISOString() ?? null,
    finished_at: row?.settled_at?.toISOString() ?? null,
  }
}

const toWireDecision = ({
  type,
  by,
  byType,
  at,
  askedIn,
}: StepDecision): NonNullable<WirePipelineStep['decision']> => ({
  type,
  decided_by: deciderOf({ by, byType }),
  decided_at: new Date(at).toISOString(),
  pipeline_run_id: fromUuid('plr', askedIn),
})

export const deciderOf = ({ by, byType }: Pick<StepDecision, 'by' | 'byType'>) =>
  fromUuid(byType === 'user' ? 'usr' : 'key', by)
