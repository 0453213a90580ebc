import { limits } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import type { Finding, GuardVerdict } from '../guardrails/index.ts'
import type { ToolResult } from '../models/index.ts'
import { type Decision, type Failed, failed, type HeldBy, type History, type PersonRequest } from './step.ts'

/** Not numbers of calls or of questions, so that nothing else finds these decisions. */
export const heldOrdinals = {
  input: -3,
  output: -4,
  toolResult: (ordinal: number): number => 10_000 + ordinal,
} as const

/** The failure of a run whose content a policy forbids. The reason never quotes the content. */
export const blockedBy = ({ policyId, check, rule, reason }: Finding): Failed =>
  failed('guardrail_blocked', `A policy has stopped the run: ${reason}`, {
    details: { policy: fromUuid('pol', policyId), check, rule, reason },
  })

export const refusedBy = ({ policy }: Decision): Failed =>
  failed('guardrail_blocked', `A person has refused what a policy held back: ${policy?.reason ?? ''}`, {
    details: policy && { policy: policy.policy_id, check: policy.check, rule: policy.rule, reason: policy.reason },
  })

export const askAbout = (
  finding: Finding,
  about: { ordinal: number; held?: unknown; toolName?: string },
): PersonRequest => ({
  type: 'approval',
  ordinal: about.ordinal,
  message: `A policy asks for an approval: ${finding.reason}`,
  toolCall: about.toolName === undefined ? null : { name: about.toolName, arguments: {} },
  responseSchema: null,
  expiresInSeconds: limits.actionTimeoutMaxSeconds,
  policy: heldBy(finding),
  ...(about.held === undefined ? {} : { held: about.held }),
})

const heldBy = ({ policyId, rule, check, stage, reason }: Finding): HeldBy => ({
  policy_id: fromUuid('pol', policyId),
  rule,
  check,
  stage,
  reason,
})

/** What a person sees of it: the text of a model, the output of a remote agent, the arguments of a call, or the result of a tool. */
export const heldContentOf = (stage: HeldBy['stage'], held: unknown): unknown => {
  if (stage === 'tool_result') return (held as Pick<ToolResult, 'result'>).result
  if (stage !== 'output') return held
  const said = held as { text: string; output?: unknown }
  return said.output ?? said.text
}

/** The last decision about something that a policy held back in a step. */
export const heldDecision = (
  { decisions }: Pick<History, 'decisions'>,
  { step, ordinal }: { step: number; ordinal: number },
): Decision | undefined =>
  decisions.findLast((each) => each.step === step && each.ordinal === ordinal && each.resolution !== null)

/** The content to go on with. */
export const contentOf = <Content>(verdict: GuardVerdict, content: Content): Content =>
  verdict.kind === 'redact' ? (verdict.content as Content) : content
