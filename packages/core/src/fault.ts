import type { ErrorCode, UnavailableReason } from '@ars/contract'

/** An error that the caller may read. The message is public; the `cause` is not. */
export class Fault extends Error {
  override readonly name = 'Fault'
  readonly code: ErrorCode
  readonly param: string | null
  readonly details: readonly { param: string | null; message: string }[]
  readonly retryAfterSeconds: number | undefined
  /** Set if the code is `unavailable`. */
  readonly reason: UnavailableReason | null

  constructor(code: 'unavailable', message: string, options: FaultOptions & { reason: UnavailableReason })
  constructor(code: Exclude<ErrorCode, 'unavailable'>, message: string, options?: FaultOptions)
  constructor(code: ErrorCode, message: string, options: FaultOptions & { reason?: UnavailableReason } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.param = options.param ?? null
    this.details = options.details ?? []
    this.retryAfterSeconds = options.retryAfterSeconds
    this.reason = options.reason ?? null
  }
}

type FaultOptions = {
  param?: string | null
  details?: readonly { param: string | null; message: string }[]
  retryAfterSeconds?: number
  cause?: unknown
}
