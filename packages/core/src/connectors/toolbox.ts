/** The tools of a connector that an agent may use. */
export type ToolSelection = {
  /** `con_…` */
  readonly connectorId: string
  /** The server's own names. Missing: all approved tools; empty: none. */
  readonly allow?: readonly string[] | undefined
  /** The server's own names of tools whose calls wait for a person, beside those that do by default. Empty: none. */
  readonly requireApproval?: readonly string[] | undefined
}

export type Tool = {
  /** Unique in its toolbox and safe for every provider: `[a-zA-Z0-9_-]{1,64}`. */
  readonly name: string
  readonly connectorId: string
  /** The server's own name. */
  readonly remoteName: string
  /** The hash of the approved manifest that the other fields were read from. */
  readonly hash: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** The approved manifest says that a repeated call is harmless: `readOnlyHint` or `idempotentHint`. */
  readonly repeatable: boolean
  readonly needsApproval: boolean
}

export type ToolState = 'approved' | 'pending' | 'changed' | 'gone'

/** A tool that the agent could have and that is off. */
export type OffTool = Pick<Tool, 'name' | 'connectorId' | 'remoteName'> & { readonly state: ToolState }

export type CallOptions = {
  readonly key: string
  readonly signal: AbortSignal
  /** The trace context, as headers. Missing: the call is in no trace. */
  readonly trace?: Readonly<Record<string, string>> | undefined
}
export type McpResult = { readonly result: unknown; readonly isError: boolean }

/**
 * The outcome of a request: `not_sent` is certain; `refused` means that the server answered no, so nothing was done;
 * `unknown` means that nobody knows what the server has done.
 */
export type CallOutcome = 'not_sent' | 'refused' | 'unknown'

/** A server could not be reached, or gave no usable answer. The message is public and contains no secret. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'
  readonly outcome: CallOutcome
  /** False only when it is certain that the request did not reach the server. */
  readonly reached: boolean
  /** The same call may succeed later. */
  readonly retryable: boolean

  constructor(message: string, { outcome, retryable, cause }: FailureOptions) {
    super(message, { cause })
    this.outcome = outcome
    this.reached = outcome !== 'not_sent'
    this.retryable = retryable
  }
}

type FailureOptions = { outcome: CallOutcome; retryable: boolean; cause?: unknown }
