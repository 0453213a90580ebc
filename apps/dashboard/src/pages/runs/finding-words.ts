import type { RequiredAction, RunError, RunGuardrailFrame } from '@agent-run-service/sdk'
import { wordOf, words } from '../../ui/words.ts'

/** What happened because of a finding, or would have happened. */
export const findingWords = ({
  action,
  enforced,
  stage,
}: Pick<RunGuardrailFrame, 'action' | 'enforced' | 'stage'>): string => {
  const where = wordOf(stageWords, stage)
  const [did, would] = effects[action as keyof typeof effects] ?? [`${action}: ${where}`, `${action}: ${where}`]
  return (enforced ? did : would).replace('{where}', where)
}

const stageWords: Readonly<Record<string, string>> = {
  input: 'the input',
  action_payload: 'an answer of a person',
  tool_call: 'a call of a tool',
  tool_result: 'a result of a tool',
  output: 'the output',
}

const effects = {
  block: ['Blocked {where}', 'Would have blocked {where}'],
  require_approval: ['Asked a person about {where}', 'Would have asked a person about {where}'],
  redact: ['Redacted {where}', 'Would have redacted {where}'],
  flag: ['Recorded for {where}', 'Recorded for {where}'],
} as const

/** Why a policy stopped a run, from the details of its error. Null: no policy did. */
export const blockOf = ({ code, details }: RunError): { policyId: string; rule: string; check: string } | null => {
  const { policy, rule, check } = (details ?? {}) as Record<string, unknown>
  if (code !== 'guardrail_blocked' || typeof policy !== 'string') return null
  return { policyId: policy, rule: String(rule ?? ''), check: wordOf(words.policyChecks, String(check ?? '')) }
}

/** The finding because of which a person is asked: the newest one whose reason the question quotes. */
export const findingOf = (
  findings: readonly RunGuardrailFrame[],
  { message }: Pick<RequiredAction, 'message'>,
): RunGuardrailFrame | undefined =>
  findings.findLast(
    ({ action, enforced, reason }) =>
      enforced && action === 'require_approval' && reason !== '' && message.endsWith(reason),
  )

/** Whether a policy asks. An action does not name its policy, but its question always begins with this. */
export const isOfPolicy = ({ type, message }: Pick<RequiredAction, 'type' | 'message'>): boolean =>
  type === 'approval' && message.startsWith('A policy asks for an approval: ')
