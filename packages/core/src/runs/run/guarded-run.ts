import { fromUuid } from '@ars/platform/id'
import type { Finding } from '../../guardrails/index.ts'

/** The number of a hidden value in a run. The hash is keyed, and stands for the value. */
export type Redaction = { kind: string; hash: Buffer; number: number }

export const tokenOf = ({ kind, number }: Pick<Redaction, 'kind' | 'number'>): string => `[${kind}_${number}]`

/** The data of the event `run.guardrail`. `step` is 0 for the input. */
export const toEventData = (finding: Finding, step: number) => ({
  step,
  stage: finding.stage,
  policy_id: fromUuid('pol', finding.policyId),
  policy_version: finding.policyVersion,
  rule: finding.rule,
  check: finding.check,
  action: finding.action,
  enforced: finding.enforced,
  reason: finding.reason,
  count: finding.count,
})

/** The row that sealed text of an action belongs to. */
export const heldRecord = (run: string, action: string): string => `run_actions/${run}/${action}`
