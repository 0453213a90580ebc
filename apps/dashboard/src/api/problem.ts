import { ApiError, ConnectionError } from '@agent-run-service/sdk'

/** An error in words for a person. */
export type ProblemText = {
  message: string
  /** The error code, for search and support. */
  code: string | null
  requestId: string | null
  status: number | null
  docUrl: string | null
}

export const problemOf = (error: unknown): ProblemText => {
  if (error instanceof ApiError) {
    const { serviceMessage: message, code, requestId, status, docUrl } = error
    return { message, code, requestId, status, docUrl }
  }
  return { message: messageOf(error), code: null, requestId: null, status: null, docUrl: null }
}

const messageOf = (error: unknown): string => {
  if (error instanceof ConnectionError) return 'The service did not answer. Check your connection, then try again.'
  return error instanceof Error && error.message !== ''
    ? error.message
    : 'Something went wrong in this page. Reload it.'
}

export const statusOf = (error: unknown): number | null => problemOf(error).status

/** A field of a request that the service refused, such as `scopes[2]`, and why. */
export type Refusal = { param: string; message: string }

/** The fields that an error names: in its details, otherwise as the cause of the whole. */
export const refusalsOf = (error: unknown): readonly Refusal[] => {
  if (!(error instanceof ApiError)) return []
  const named = error.details.filter(isRefusal)
  const whole = { param: error.param, message: error.serviceMessage }
  return named.length > 0 ? named : [whole].filter(isRefusal)
}

const isRefusal = (detail: unknown): detail is Refusal => {
  const { param, message } = (detail ?? {}) as Partial<Refusal>
  return typeof param === 'string' && typeof message === 'string'
}

/**
 * The errors of a refused form, by field: `scopes[2]` belongs to `scopes`. Empty if none of them belongs to one of the
 * fields; the form then shows the error as a whole.
 */
export const fieldErrors = <Name extends string>(
  error: unknown,
  names: readonly Name[],
): Partial<Record<Name, string>> => {
  const found: Partial<Record<Name, string>> = {}
  for (const { param, message } of refusalsOf(error)) {
    const first = param.split(/[.[]/, 1)[0]
    const name = names.find((known) => known === first)
    if (name !== undefined) found[name] ??= message
  }
  return found
}
