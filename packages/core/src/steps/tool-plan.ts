import { limits } from '@ars/contract'
import type { Tool } from '../connectors/index.ts'
import type { ToolCall, ToolResult } from '../models/index.ts'
import type { CallRecord, Decision, PersonRequest } from './step.ts'

/** What to do with one tool call of a step. */
export type CallPlan =
  | { kind: 'known'; result: ToolResult }
  | { kind: 'send'; tool: Tool; ordinal: number; call: ToolCall }
  | { kind: 'ask'; ask: PersonRequest }

/**
 * Decides for each call: answered, to be sent, or to be confirmed by a person. A call that was sent and has no answer
 * is sent again only when its tool is repeatable; otherwise a person says what happened.
 */
export const planCalls = (
  calls: readonly (ToolCall & { refused?: string })[],
  known: {
    tools: readonly Tool[]
    /** Why tools are off, by name. */
    off: ReadonlyMap<string, string>
    records: readonly CallRecord[]
    decisions: readonly Decision[]
  },
): CallPlan[] =>
  calls.map((call, ordinal) => {
    const tool = known.tools.find(({ name }) => name === call.name)
    const record = known.records.find((each) => each.ordinal === ordinal)
    const decision = known.decisions.findLast((each) => each.ordinal === ordinal && each.resolution !== null)
    const absence = known.off.get(call.name) ?? `There is no tool ${call.name}`
    return planCall({ call, ordinal, tool, absence, record, decision })
  })

type Facts = {
  /** `refused`: a person has refused what a policy held back, with this comment. */
  call: ToolCall & { refused?: string }
  ordinal: number
  tool: Tool | undefined
  /** Why there is no tool. */
  absence: string
  record: CallRecord | undefined
  decision: Decision | undefined
}

const planCall = ({ call, ordinal, tool, absence, record, decision }: Facts): CallPlan => {
  if (record && record.status !== 'started') return answered(call, record.result, record.status === 'failed')
  if (record) return planInterrupted({ call, ordinal, tool, absence, record, decision })
  if (call.refused !== undefined) return answered(call, refusal(call.refused), true)
  if (!tool) return answered(call, absence, true)
  if (!tool.needsApproval) return { kind: 'send', tool, ordinal, call }
  if (decision?.resolution === 'approve') return { kind: 'send', tool, ordinal, call }
  if (decision?.resolution === 'reject') {
    return answered(call, refusal(decision.comment ?? ''), true)
  }
  return ask(call, ordinal, 'approval', `The agent wants to call ${call.name}`)
}

const planInterrupted = ({
  call,
  ordinal,
  tool,
  absence,
  record,
  decision,
}: Facts & { record: CallRecord }): CallPlan => {
  // A decision about an earlier attempt says nothing about the last one. Within the same millisecond the order is
  // unknown, and asking once more does no harm.
  const isOfThis =
    decision?.type === 'reconcile' && (decision.resolved_at?.getTime() ?? 0) > record.started_at.getTime()
  const told = isOfThis ? (decision?.payload as ReconcilePayload | null) : null
  if (told?.outcome === 'done') return answered(call, told.result ?? 'done', false)
  if (told?.outcome === 'not_done' || record.repeatable) {
    return tool ? { kind: 'send', tool, ordinal, call } : answered(call, absence, true)
  }
  return ask(call, ordinal, 'reconcile', `It is not known whether the call of ${call.name} was carried out`)
}

const refusal = (comment: string): string => `A person has refused this call${comment === '' ? '' : `: ${comment}`}`

type ReconcilePayload = { outcome: 'done' | 'not_done'; result?: unknown }

const answered = (call: ToolCall, result: unknown, isError: boolean): CallPlan => ({
  kind: 'known',
  result: { callId: call.id, name: call.name, result, isError },
})

const ask = (call: ToolCall, ordinal: number, type: 'approval' | 'reconcile', message: string): CallPlan => ({
  kind: 'ask',
  ask: {
    type,
    ordinal,
    message,
    toolCall: { name: call.name, arguments: call.arguments },
    responseSchema: type === 'reconcile' ? reconcileSchema : null,
    expiresInSeconds: limits.actionTimeoutMaxSeconds,
  },
})

/** The answers that a person may give about a call whose outcome is unknown. */
export const reconcileSchema = {
  type: 'object',
  properties: {
    outcome: { enum: ['done', 'not_done'], description: 'Was it carried out?' },
    result: { description: 'What it answered, as far as is known.' },
  },
  required: ['outcome'],
  additionalProperties: false,
} as const
