import type { RunStep } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import type { CallRecord, Decision, History, PastStep } from '../../steps/index.ts'
import { noTokenCounts, toUsage } from '../run/tokens.ts'

/** Consecutive steps of a run, oldest first. */
export type StepRows = Pick<History, 'steps' | 'calls' | 'decisions'> & {
  /** The step before the first one, which contains the arguments of its tool calls. */
  prior: PastStep | undefined
  /** The tool calls of the step that is not stored. */
  running: readonly CallRecord[]
  /** The call of a model or remote agent that is not stored. */
  started: StartedStep | undefined
  /** When the run ended; undefined while it has not. */
  endedAt: Date | undefined
}

export type StartedStep = { step: number; type: 'model' | 'remote'; model: string | null; started_at: Date }

/** The steps of a run for clients: model calls with their requests, tool calls with their outcomes. */
export const toSteps = ({ prior, running, started, endedAt, ...rows }: StepRows): RunStep[] => {
  const stored = rows.steps.map((step, at) => toStep(step, at === 0 ? prior : rows.steps[at - 1], rows))
  if (running.length > 0) return [...stored, unfinishedTools(running, rows.decisions, endedAt)]
  if (started === undefined) return stored
  return [...stored, unfinishedStep({ number: started.step, ...started, decisions: rows.decisions, endedAt })]
}

const toStep = (
  { step, kind, content, ...rest }: PastStep,
  before: PastStep | undefined,
  { calls, decisions }: Pick<History, 'calls' | 'decisions'>,
): RunStep => ({
  object: 'run_step',
  number: step,
  type: kind,
  status: content?.failed ? 'failed' : 'completed',
  model: content?.model ?? null,
  text: content?.text ?? null,
  tool_calls:
    kind === 'tools'
      ? (content?.results ?? []).map((answer, ordinal) => ({
          ...toCall(
            { step, ordinal, ...(before?.content?.toolCalls?.[ordinal] ?? unasked) },
            calls.find((call) => call.step === step && call.ordinal === ordinal),
            decisions,
          ),
          status: answer.isError ? ('failed' as const) : ('completed' as const),
          result: answer.result,
        }))
      : (content?.toolCalls ?? []).map(({ name, arguments: args }) => ({ ...asked, name, arguments: args })),
  decisions: decisionsOf(step, decisions),
  attempts: [...(content?.attempts ?? [])],
  usage: {
    input_tokens: rest.inputTokens,
    output_tokens: rest.outputTokens,
    cached_input_tokens: rest.cachedTokens,
    cache_write_tokens: rest.cacheWriteTokens,
    reasoning_tokens: rest.reasoningTokens,
    cost_usd: rest.costUsd,
  },
  started_at: rest.startedAt.toISOString(),
  finished_at: rest.finishedAt.toISOString(),
  duration_ms: Math.max(0, rest.finishedAt.getTime() - rest.startedAt.getTime()),
})

const asked = {
  connector_id: null,
  status: 'waiting',
  result: null,
  decision: null,
  started_at: null,
  finished_at: null,
} as const

const unfinishedTools = (
  calls: readonly CallRecord[],
  decisions: readonly Decision[],
  endedAt: Date | undefined,
): RunStep => ({
  ...unfinishedStep({
    number: calls[0]?.step ?? 0,
    type: 'tools',
    model: null,
    started_at: calls[0]?.started_at ?? new Date(0),
    decisions,
    endedAt,
  }),
  tool_calls: calls.map((call) => toCall(call, call, decisions)),
})

type Unfinished = Pick<RunStep, 'number' | 'type' | 'model'> & {
  started_at: Date
  decisions: readonly Decision[]
  endedAt: Date | undefined
}

/** A step that is not stored. If the run has ended, it ended before the step did, or because of it. */
const unfinishedStep = ({ number, type, model, started_at, decisions, endedAt }: Unfinished): RunStep => ({
  object: 'run_step',
  number,
  type,
  status: endedAt ? 'failed' : 'running',
  model,
  text: null,
  tool_calls: [],
  decisions: decisionsOf(number, decisions),
  attempts: [],
  usage: toUsage({ ...noTokenCounts, cost_usd: 0 }),
  started_at: started_at.toISOString(),
  finished_at: endedAt?.toISOString() ?? null,
  duration_ms: endedAt ? Math.max(0, endedAt.getTime() - started_at.getTime()) : null,
})

const unasked = { name: '', arguments: {} }

/** A rejected call, or a call of a missing tool, has no record: it was never sent. */
const toCall = (
  { step, ordinal, name, arguments: args }: Pick<CallRecord, 'step' | 'ordinal' | 'name' | 'arguments'>,
  sent: CallRecord | undefined,
  decisions: readonly Decision[],
): RunStep['tool_calls'][number] => {
  const decision = decisions.findLast((each) => each.step === step && each.ordinal === ordinal)
  return {
    name,
    connector_id: sent?.connector_id ? fromUuid('con', sent.connector_id) : null,
    arguments: args,
    status: sent?.status ?? 'waiting',
    result: sent?.result ?? null,
    decision: decision ? toDecision(decision) : null,
    started_at: sent?.started_at.toISOString() ?? null,
    finished_at: sent?.finished_at?.toISOString() ?? null,
  }
}

const decisionsOf = (step: number, decisions: readonly Decision[]): RunStep['decisions'] =>
  decisions.filter((decision) => decision.step === step).flatMap((decision) => toDecision(decision) ?? [])

/** Null: nobody has decided yet. */
const toDecision = ({ id, resolution, resolved_by, resolved_by_type, resolved_at, comment }: Decision) =>
  resolution && resolved_by && resolved_at
    ? {
        action_id: fromUuid('act', id),
        type: resolution,
        by: fromUuid(resolved_by_type === 'user' ? 'usr' : 'key', resolved_by),
        comment,
        at: resolved_at.toISOString(),
      }
    : null
