/** Which tools of which connector an agent may use. */
export type ToolSelection = {
  /** `con_…` */
  readonly connectorId: string
  /** The server's own names. Missing or empty: all of them. */
  readonly allow?: readonly string[] | undefined
  /** The server's own names: a call of these waits for a person. */
  readonly requireApproval?: readonly string[] | undefined
}

export type Tool = {
  /** Unique in its toolbox and safe for every provider: `[a-zA-Z0-9_-]{1,64}`. */
  readonly name: string
  readonly connectorId: string
  /** What the server itself calls it. */
  readonly remoteName: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** The server says that a second call does no harm: `readOnlyHint` or `idempotentHint`. */
  readonly repeatable: boolean
  readonly needsApproval: boolean
}

export type LeftOut = { readonly connectorId: string; readonly remoteName: string; readonly reason: string }
export type CallOptions = { readonly key: string; readonly signal: AbortSignal }
export type ToolResult = { readonly result: unknown; readonly isError: boolean }

/**
 * What became of a request: `not_sent` is certain, no byte of it left; `refused` means that the server has answered and
 * says no, so nothing was done; otherwise nobody knows what the server has done.
 */
export type Outcome = 'not_sent' | 'refused' | 'unknown'

/** A server could not be asked, or gave no usable answer. The message is public, in words, without any secret. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'
  readonly outcome: Outcome
  /** False only when it is certain that the request did not reach the server. */
  readonly reached: boolean
  /** The same may succeed later. */
  readonly retryable: boolean

  constructor(message: string, { outcome, retryable, cause }: FailureOptions) {
    super(message, { cause })
    this.outcome = outcome
    this.reached = outcome !== 'not_sent'
    this.retryable = retryable
  }
}

type FailureOptions = { outcome: Outcome; retryable: boolean; cause?: unknown }
