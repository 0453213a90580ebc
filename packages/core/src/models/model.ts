import type { RunErrorCode } from '@ars/contract'

/** What goes to a model and what comes back, the same for every provider. */
export type Message =
  | { role: 'system' | 'user'; text: string }
  /** `parts` is the provider's own form of the answer (reasoning, signatures): kept with the step, given back unchanged. */
  | { role: 'assistant'; text: string; toolCalls: readonly ToolCall[]; parts?: unknown }
  | { role: 'tool'; results: readonly ToolResult[] }

/** The arguments are always a JSON object: a call whose arguments cannot be read never leaves this slice. */
export type ToolCall = { id: string; name: string; arguments: Record<string, unknown> }

/** Of a person's decision on an ask of a simulated model, `result` is `{type, payload?, comment?}` of the action. */
export type ToolResult = { callId: string; name: string; result: unknown; isError: boolean }

export type ToolSpec = { name: string; description: string; inputSchema: Record<string, unknown> }

export type ModelRequest = {
  /** `provider/model`. */
  model: string
  messages: readonly Message[]
  tools: readonly ToolSpec[]
  temperature?: number | undefined
  maxOutputTokens?: number | undefined
  /** The text must be JSON of this shape. The provider is told; whoever calls checks. */
  outputSchema?: Record<string, unknown> | undefined
  signal: AbortSignal
  /** The text as it comes. */
  onText(text: string): void
  /** The call is tried again: what `onText` gave so far is void. */
  onRestart(): void
  /** There is a wait before the next try, until this time of `clock.now()`. */
  onBackOff(info: { untilMs: number; message: string }): void
  simulation: Simulation
}

/** What only the simulated provider reads: it is steered by the run's input. */
export type Simulation = {
  input: Readonly<Record<string, unknown>>
  /** From 1. */
  step: number
  attempt: number
  runId: string
  /** Of the agent's configuration, for `simulated/script`. */
  script?: unknown
}

export type ModelReply = {
  text: string
  toolCalls: readonly ToolCall[]
  /** Opaque JSON, for the `assistant` message of this reply. Leave it out when the text was changed since. */
  parts?: unknown
  /** Of all tries together: a discarded answer has been paid for too. */
  usage: Usage
  /** Null: the model has no price. */
  costUsd: number | null
  finish: Finish
  /** Simulated models only: the run's whole output, where it is more than `{result: text}`. */
  output?: Record<string, unknown>
  /** Simulated models only: store this step and call again. */
  again?: true
  /** Simulated models only: a person is asked. The decisions come with the next call as a `tool` message, in this order. */
  asks?: readonly Ask[]
}

export type Finish = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'other'

export type Usage = { inputTokens: number; outputTokens: number }

export type Ask = {
  /** The `callId` under which the decision comes back. */
  id: string
  type: 'approval' | 'input'
  message: string
  responseSchema?: Record<string, unknown>
  toolCall?: { name: string; arguments: Record<string, unknown> }
  expiresInSeconds?: number
}

export type Price = { inputPerMillion: number; outputPerMillion: number }

/** The model could not be made to answer. The message is public and in words; it holds no key and no address. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure'
  /** Another run might succeed, without any change by a person. */
  readonly retryable: boolean
  /** Of the tries that were answered, and what they cost; null: the model has no price. */
  readonly usage: Usage
  readonly costUsd: number | null
  /** Simulated models only: the code that the run is to fail with, where it is not `model_error`. */
  readonly code: RunErrorCode | undefined

  constructor(message: string, options: ModelFailureOptions) {
    super(message, { cause: options.cause })
    this.retryable = options.retryable
    this.usage = options.usage ?? noUsage
    this.costUsd = options.costUsd === undefined ? 0 : options.costUsd
    this.code = options.code
  }
}

type ModelFailureOptions = {
  retryable: boolean
  usage?: Usage | undefined
  costUsd?: number | null | undefined
  code?: RunErrorCode | undefined
  cause?: unknown
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0 }

export const addUsage = (one: Usage, other: Usage): Usage => ({
  inputTokens: one.inputTokens + other.inputTokens,
  outputTokens: one.outputTokens + other.outputTokens,
})

/** Null where there is no price. Tokens are counted by the million. */
export const costOf = (usage: Usage, price: Price | null): number | null =>
  price && (usage.inputTokens * price.inputPerMillion + usage.outputTokens * price.outputPerMillion) / 1_000_000
