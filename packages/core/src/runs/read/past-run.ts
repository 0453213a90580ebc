import type { PastContent } from '../../guardrails/index.ts'
import type { PastStep, StepContent } from '../../steps/index.ts'

export type PastRunRow = {
  id: string
  agent_id: string
  agent_version: number
  key_id: string | null
  created_at: Date
  erased_at: Date | null
  is_redacted: boolean
  is_ended: boolean
  input: unknown
  metadata: unknown
  output: unknown
  error: { code: string; message: string; details?: unknown } | null
}

export type TakenRow = {
  run_id: string
  step: number
  kind: PastStep['kind']
  output: StepContent | null
  cost_usd: string | null
}

export type SentRow = { run_id: string; payload: unknown; comment: string | null }

/** What policies judge of a run, in the form in which they see it while the run is under way. */
export const contentsOf = (
  { input, metadata, output, error }: Pick<PastRunRow, 'input' | 'metadata' | 'output' | 'error'>,
  steps: readonly TakenRow[],
  sent: readonly SentRow[],
): PastContent[] => {
  const contents: PastContent[] = [{ stage: 'input', content: { input, metadata }, spentUsd: 0 }]
  let spentUsd = 0
  for (const [at, step] of steps.entries()) {
    contents.push(...ofStep(step, steps[at - 1]).map((content) => ({ ...content, spentUsd })))
    spentUsd += Number(step.cost_usd ?? 0)
  }
  for (const { payload, comment } of sent)
    contents.push({ stage: 'action_payload', content: { payload, comment }, spentUsd })
  // The output of a model is its last text, which is judged already.
  const last = steps.at(-1)
  if (output !== null && (last?.kind !== 'model' || !last.output?.text))
    contents.push({ stage: 'output', content: output, spentUsd })
  if (error && error.code !== 'guardrail_blocked') {
    contents.push({ stage: 'output', content: { message: error.message, details: error.details ?? null }, spentUsd })
  }
  return contents
}

const ofStep = ({ output }: TakenRow, before: TakenRow | undefined): Omit<PastContent, 'spentUsd'>[] => [
  ...(output?.prompt ? [{ stage: 'input' as const, content: output.prompt }] : []),
  ...(output?.text ? [{ stage: 'output' as const, content: output.text }] : []),
  // Arguments that a policy held back are sealed.
  ...(output?.toolCalls ?? []).flatMap(({ name, arguments: args, held }) =>
    held ? [] : [{ stage: 'tool_call' as const, content: { name, arguments: args }, tool: { name, args } }],
  ),
  ...(output?.results ?? []).map(({ name, result }, ordinal) => ({
    stage: 'tool_result' as const,
    content: result,
    tool: { name, args: before?.output?.toolCalls?.[ordinal]?.arguments ?? {} },
  })),
]
