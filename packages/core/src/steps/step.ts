import type { PolicyId, RunErrorCode } from '@ars/contract'
import type { Stage } from '../guardrails/index.ts'
import type { ModelReply, ToolCall, ToolResult } from '../models/index.ts'

export type StepAgent = {
  id: string
  version: number
  kind: 'llm' | 'remote'
  config: Readonly<Record<string, unknown>>
  outputSchema: Readonly<Record<string, unknown>> | null
  limits: Readonly<Record<string, unknown>>
}

export type ToolCallStart = {
  ordinal: number
  name: string
  connectorId: string | null
  arguments: Readonly<Record<string, unknown>>
  repeatable: boolean
}

export type History = {
  steps: readonly PastStep[]
  messages: readonly { number: number; text: string }[]
  calls: readonly CallRecord[]
  decisions: readonly Decision[]
}

export type PastStep = {
  step: number
  kind: StepKind
  content: StepContent | null
  messagesRead: number
  inputTokens: number
  outputTokens: number
  cachedTokens: number
  cacheWriteTokens: number
  reasoningTokens: number
  costUsd: number | null
  startedAt: Date
  finishedAt: Date
}

export type CallRecord = {
  step: number
  ordinal: number
  name: string
  connector_id: string | null
  arguments: Record<string, unknown>
  repeatable: boolean
  status: 'started' | 'completed' | 'failed'
  result: unknown
  started_at: Date
  finished_at: Date | null
}

/** A question to a person and its resolution; `resolution` is null while it is open. */
export type Decision = {
  id: string
  type: 'approval' | 'input' | 'reconcile' | 'raise_budget'
  step: number
  ordinal: number
  resolution: 'approve' | 'reject' | 'respond' | null
  payload: unknown
  comment: string | null
  resolved_by: string | null
  resolved_by_type: 'key' | 'user' | null
  resolved_at: Date | null
  /** The rule that asked; null: no policy did. */
  policy: HeldBy | null
}

/** The rule of a policy that lets a person decide. */
export type HeldBy = { policy_id: PolicyId; rule: string; check: string; stage: Stage; reason: string }

export type StepKind = 'model' | 'tools' | 'remote'

/** The content of a stored step. */
export type StepContent = {
  /** Of the first step of an agent with `input_template`: the input as the model received it. */
  prompt?: string
  model?: string
  text?: string
  toolCalls?: readonly (ToolCall & { held?: true })[]
  /** The provider's own form of its reply. */
  parts?: unknown
  /** The ids under which a simulated model expects its decisions, in the order of their ordinals. */
  askIds?: readonly string[]
  results?: readonly ToolResult[]
  /** The run failed in this step. */
  failed?: true
  /** The failed tries of the provider or the remote agent, the last ones. */
  attempts?: readonly StepAttempt[]
}

export type StepAttempt = { started_at: string; error: { code: string; message: string } }

/** A try of a provider or a remote agent that failed, with the time of `clock.monotonicMs()` at which it began. */
export type FailedTry = { startedMs: number; code: RunErrorCode; message: string }

/** Cached and cache-write tokens are part of the input, reasoning tokens of the output. Without them: none. */
export type Tokens = {
  input: number
  output: number
  cached?: number | undefined
  cacheWrite?: number | undefined
  reasoning?: number | undefined
}

export const tokensOf = (usage: ModelReply['usage']): Tokens => ({
  input: usage.inputTokens,
  output: usage.outputTokens,
  cached: usage.cachedTokens,
  cacheWrite: usage.cacheWriteTokens,
  reasoning: usage.reasoningTokens,
})

export type StepRecord = {
  kind: StepKind
  content: StepContent | null
  tokens: Tokens
  costUsd: number | null
  /** How many of the run's messages it had read. */
  messagesRead: number
}

export type PersonRequest = {
  type: 'approval' | 'input' | 'reconcile' | 'raise_budget'
  /** The monthly budget that the run waits for, as a UUID. Undefined: it waits for people only. */
  budgetId?: string | undefined
  /** The number of the tool call or question within the step, from 0. */
  ordinal: number
  message: string
  toolCall: Readonly<Record<string, unknown>> | null
  responseSchema: Readonly<Record<string, unknown>> | null
  expiresInSeconds: number
  /** The rule that asks, and the content that it holds back. It is sealed, and erased with the decision. */
  policy?: HeldBy | undefined
  held?: unknown
}

/** A monthly budget that is used up: its UUID, and the question for people. */
export type UsedUp = { budgetId: string; message: string }

export type StepOutcome =
  | { kind: 'continue'; record: StepRecord }
  | { kind: 'wait'; record: StepRecord | null; asks: readonly PersonRequest[] }
  | { kind: 'completed'; record: StepRecord; output: Record<string, unknown> }
  | {
      kind: 'failed'
      record: StepRecord | null
      code: RunErrorCode
      message: string
      retryable: boolean
      details: Record<string, unknown> | null
      /** The partial result. */
      output: Record<string, unknown> | null
    }

export type Failed = Extract<StepOutcome, { kind: 'failed' }>

export const failed = (
  code: RunErrorCode,
  message: string,
  rest: Partial<Omit<Failed, 'kind' | 'code' | 'message'>> = {},
): Failed => ({ kind: 'failed', record: null, code, message, retryable: false, details: null, output: null, ...rest })

export const noTokens: Tokens = { input: 0, output: 0 }
