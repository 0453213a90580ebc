import { ApiError, ConnectionError } from '@agent-run-service/sdk'

/** An error in words for a person. */
export type ProblemText = {
  message: string
  /** The error code, for search and support. */
  code: string | null
  requestId: string | null
  status: number | null
  param: string | null
  details: readonly unknown[]
  docUrl: string | null
}

export const problemOf = (error: unknown): ProblemText => {
  if (error instanceof ApiError) {
    const { serviceMessage: message, code, requestId, status, param, details, docUrl } = error
    return { message, code, requestId, status, param, details, docUrl }
  }
  const message = messageOf(error)
  return { message, code: null, requestId: null, status: null, param: null, details: [], docUrl: null }
}

const messageOf = (error: unknown): string => {
  if (error instanceof ConnectionError) return 'The service did not answer. Check your connection, then try again.'
  return error instanceof Error && error.message !== ''
    ? error.message
    : 'Something went wrong in this page. Reload it.'
}

export const statusOf = (error: unknown): number | null => problemOf(error).status

/**
 * The errors of a refused form, by field: `scopes[2]` belongs to `scopes`. Empty if none of them belongs to one of the
 * fields; the form then shows the error as a whole.
 */
export const fieldErrors = <Name extends string>(
  error: unknown,
  names: readonly Name[],
): Partial<Record<Name, string>> => {
  const { param, message, details } = problemOf(error)
  const found: Partial<Record<Name, string>> = {}
  for (const each of [...(details as readonly FieldError[]), { param, message }]) {
    const first = each.param?.split(/[.[]/, 1)[0]
    const name = names.find((known) => known === first)
    if (name !== undefined) found[name] ??= each.message
  }
  return found
}

type FieldError = { param: string | null; message: string }
