/** How a command ends. The guide (docs/guides/cli.md) promises these numbers to scripts. */
export const exitCodes = {
  ok: 0,
  /** The thing failed: the run, the delivery, or the service refused what was asked. */
  failed: 1,
  /** The command line, the input or the settings are at fault. */
  usage: 2,
  /** The key is missing, wrong, or may not do this. */
  denied: 3,
  notFound: 4,
  /** Too many requests, or the service cannot be reached or cannot answer just now. */
  unavailable: 5,
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** What the user can mend: said in words, without a stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly code: string
  readonly advice: string | null
  readonly exitCode: ExitCode

  constructor(message: string, { advice = null, cause, code = 'usage', exitCode = exitCodes.usage }: More = {}) {
    super(message, { cause })
    this.code = code
    this.advice = advice
    this.exitCode = exitCode
  }
}

type More = { advice?: string | null; cause?: unknown; code?: string; exitCode?: ExitCode }
