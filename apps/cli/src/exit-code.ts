/** Exit codes. The guide (docs/guides/cli.md) documents them for scripts. */
export const exitCodes = {
  ok: 0,
  /** The run or the delivery failed, or the service rejected the request. */
  failed: 1,
  /** The command line, the input or the settings are invalid. */
  usage: 2,
  /** The key is missing, invalid, or lacks the permission. */
  denied: 3,
  notFound: 4,
  /** Too many requests, or the service is unreachable or unavailable. */
  unavailable: 5,
  /** The run has not ended: it still works, or it waits for a decision. */
  unfinished: 6,
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** An error that the user can correct; printed without a stack trace. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly code: string
  readonly advice: string | null
  readonly exitCode: ExitCode
  /** One fault each. The lines after the first show it. */
  readonly details: readonly string[]

  constructor(
    message: string,
    { advice = null, cause, code = 'usage', exitCode = exitCodes.usage, details = [] }: More = {},
  ) {
    super(message, { cause })
    this.code = code
    this.advice = advice
    this.exitCode = exitCode
    this.details = details
  }
}

type More = {
  advice?: string | null
  cause?: unknown
  code?: string
  exitCode?: ExitCode
  details?: readonly string[]
}
