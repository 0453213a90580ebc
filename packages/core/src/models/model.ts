import type { RunErrorCode } from '@ars/contract'
import { addCosts, addUsage, noUsage, type Usage } from './cost.ts'

/** Messages to and from a model, the same for every provider. */
export type Message =
  | { role: 'system' | 'user'; text: string }
  /**
   * `parts` is the provider's own form of the reply (reasoning, signatures): stored with the step and returned
   * unchanged to `model`, which produced it. Another model cannot read it.
   */
  | { role: 'assistant'; text: string; toolCalls: readonly ToolCall[]; parts?: unknown; model?: string | undefined }
  | { role: 'tool'; results: readonly ToolResult[] }

/** The arguments are always a JSON object: a call with unreadable arguments never leaves this slice. */
export type ToolCall = { id: string; name: string; arguments: Record<string, unknown> }

/**
 * For a person's decision on a request of a simulated model, `result` is `{type, payload?, comment?}` of the action.
 */
export type ToolResult = { callId: string; name: string; result: unknown; isError: boolean }

export type ToolSpec = { name: string; description: string; inputSchema: Record<string, unknown> }

export type ModelRequest = {
  /** `provider/model`. */
  model: string
  /** The keys that the organisation has entered. Undefined: the operator calls. */
  ownKeys?: KeysOfCaller | undefined
  /** They are called, in order, while the ones before cannot answer. */
  fallbackModels?: readonly string[] | undefined
  messages: readonly Message[]
  tools: readonly ToolSpec[]
  temperature?: number | undefined
  maxOutputTokens?: number | undefined
  /** The text must be JSON of this shape. The provider is asked for it; the caller checks it. */
  outputSchema?: Record<string, unknown> | undefined
  signal: AbortSignal
  /** The model that is called now: the one of the request, or a fallback. */
  onModel?(model: string): void
  /** The text as it arrives. */
  onText(text: string): void
  /** The call is repeated: the text that `onText` received so far is void. */
  onRestart(): void
  /** A try failed, whether or not another one follows. `startedMs` is its begin, by `clock.monotonicMs()`. */
  onFailedTry(failedTry: { startedMs: number; code: RunErrorCode; message: string }): void
  /** The call backs off before the next attempt, until this time of `clock.now()`. */
  onBackOff(info: { untilMs: number; message: string }): void
  simulation: Simulation
  /** Sent to the provider with the request: the trace context. */
  headers?: Readonly<Record<string, string>> | undefined
}

/** `open` answers null for a provider of which the organisation has no key. */
export type KeysOfCaller = { org: string; open(provider: string): PromiseLike<string | null> }

/** For the simulated provider only: it is controlled by the run's input. */
export type Simulation = {
  input: Readonly<Record<string, unknown>>
  /** The input as text, if the agent has a template for it. */
  text?: string
  /** From 1. */
  step: number
  attempt: number
  runId: string
  /** From the agent's configuration, for `simulated/script`. */
  script?: unknown
}

export type ModelReply = {
  text: string
  toolCalls: readonly ToolCall[]
  /** Opaque JSON for the `assistant` message of this reply. Leave it out when the text was changed. */
  parts?: unknown
  /** The sum of all attempts: discarded replies are paid for too. */
  usage: Usage
  /** Null: the model has no price. */
  costUsd: number | null
  finish: Finish
  /** Simulated models only: the run's whole output, if it is more than `{result: text}`. */
  output?: Record<string, unknown>
  /** Simulated models only: store this step and call again. */
  again?: true
  /**
   * Simulated models only: a person is asked. The decisions come with the next call as a `tool` message, in this
   * order.
   */
  asks?: readonly ScriptedRequest[]
}

export type Finish = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'other'

export type ScriptedRequest = {
  /** The `callId` under which the decision is returned. */
  id: string
  type: 'approval' | 'input'
  message: string
  responseSchema?: Record<string, unknown>
  toolCall?: { name: string; arguments: Record<string, unknown> }
  expiresInSeconds?: number
}

/** The model gave no usable reply. The message is public; it contains no key and no address. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure'
  /** Another run might succeed without any change by a person. */
  readonly retryable: boolean
  /** The model answered 429 or 5xx, or could not be reached: another model may answer. */
  readonly isUnavailable: boolean
  /** For the attempts that were answered, and their cost. Null: the model has no price. */
  readonly usage: Usage
  readonly costUsd: number | null
  /** Simulated models only: the error code of the run, if it is not `model_error`. */
  readonly code: RunErrorCode | undefined

  constructor(message: string, options: ModelFailureOptions) {
    super(message, { cause: options.cause })
    this.retryable = options.retryable
    this.usage = options.usage ?? noUsage
    this.costUsd = options.costUsd === undefined ? 0 : options.costUsd
    this.code = options.code
    this.isUnavailable = options.isUnavailable ?? false
  }

  /** The same failure, with what was spent before it. */
  after({ usage, costUsd }: Spent): ModelFailure {
    const { message, retryable, code, cause, isUnavailable } = this
    return new ModelFailure(message, {
      retryable,
      code,
      cause,
      isUnavailable,
      usage: addUsage(usage, this.usage),
      costUsd: addCosts(costUsd, this.costUsd),
    })
  }
}

export type Spent = { usage: Usage; costUsd: number | null }

export const nothingSpent: Spent = { usage: noUsage, costUsd: 0 }

type ModelFailureOptions = {
  retryable: boolean
  usage?: Usage | undefined
  costUsd?: number | null | undefined
  code?: RunErrorCode | undefined
  isUnavailable?: boolean | undefined
  cause?: unknown
}
