import type { RunStatus } from '@ars/contract'

/** What the log and the metrics say about a run that has ended. Ids are UUIDs. */
export type RunEnd = {
  run: string
  org: string
  agent: string
  /** Undefined: the statement that ended the run did not read it. */
  version?: number
  status: Extract<RunStatus, 'completed' | 'failed' | 'cancelled'>
  code: string | null
  steps: number
  inputTokens: number
  outputTokens: number
  /** From its creation to its end. */
  durationMs: number
}

/** For the metrics. */
export type OnEnded = (run: RunEnd) => void

/** The columns of `endedFacts` as the driver returns them. */
export type EndedFacts = {
  agent_id: string
  end_status: RunEnd['status']
  end_code: string | null
  steps: number
  input_tokens: string
  output_tokens: string
  duration_ms: number
}

export const toRunEnd = (run: string, org: string, facts: EndedFacts): RunEnd => ({
  run,
  org,
  agent: facts.agent_id,
  status: facts.end_status,
  code: facts.end_code,
  steps: facts.steps,
  inputTokens: Number(facts.input_tokens),
  outputTokens: Number(facts.output_tokens),
  durationMs: Math.max(0, Math.round(facts.duration_ms)),
})
