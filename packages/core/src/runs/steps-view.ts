import type { RunStep } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import type { CallRecord, Decision, History, PastStep } from '../agents/index.ts'

/** The steps of a run as they are shown: model calls with what they asked for, tool calls with what became of them. */
export const toSteps = (history: History): RunStep[] => {
  const stored = history.steps.map((step) => toStep(step, history))
  const last = history.steps.at(-1)?.step ?? 0
  const running = history.calls.filter(({ step }) => step > last)
  return running.length === 0 ? stored : [...stored, unfinishedStep(running, history.decisions)]
}

const toStep = ({ step, kind, content, ...rest }: PastStep, { calls, decisions }: History): RunStep => ({
  object: 'run_step',
  number: step,
  type: kind,
  status: 'completed',
  model: content?.model ?? null,
  text: content?.text ?? null,
  tool_calls:
    kind === 'tools'
      ? calls.filter((call) => call.step === step).map((call) => toCall(call, decisions))
      : (content?.toolCalls ?? []).map(({ name, arguments: args }) => ({ ...asked, name, arguments: args })),
  usage: { input_tokens: rest.inputTokens, output_tokens: rest.outputTokens, cost_usd: rest.costUsd },
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

const unfinishedStep = (calls: readonly CallRecord[], decisions: readonly Decision[]): RunStep => ({
  object: 'run_step',
  number: calls[0]?.step ?? 0,
  type: 'tools',
  status: 'running',
  model: null,
  text: null,
  tool_calls: calls.map((call) => toCall(call, decisions)),
  usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
  started_at: (calls[0]?.started_at ?? new Date(0)).toISOString(),
  finished_at: null,
  duration_ms: null,
})

const toCall = (call: CallRecord, decisions: readonly Decision[]): RunStep['tool_calls'][number] => {
  const decision = decisions.findLast((each) => each.step === call.step && each.ordinal === call.ordinal)
  return {
    name: call.name,
    connector_id: call.connector_id && fromUuid('con', call.connector_id),
    arguments: call.arguments,
    status: call.status,
    result: call.result,
    decision:
      decision?.resolution && decision.resolved_by && decision.resolved_at
        ? {
            type: decision.resolution,
            by: fromUuid('key', decision.resolved_by),
            comment: decision.comment,
            at: decision.resolved_at.toISOString(),
          }
        : null,
    started_at: call.started_at.toISOString(),
    finished_at: call.finished_at?.toISOString() ?? null,
  }
}
