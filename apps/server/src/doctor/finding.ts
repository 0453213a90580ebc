/** The result of a check of `doctor`. */
export type Finding = {
  what: string
  found: string
  /** Set if the check failed. */
  advice?: string
  /** The check could not be made, and `found` says why. */
  isSkipped?: true
}

export const skipped = (what: string, found: string): Finding => ({ what, found, isSkipped: true })

/** The messages of an error and of its causes. */
export const describe = (error: unknown): string => {
  const causes: string[] = []
  for (let at = error; at instanceof Error; at = at.cause) causes.push(messageOf(at))
  return causes.join(': ')
}

/** Several addresses of one name failed; the first says enough. */
const messageOf = (error: Error): string => {
  const [first] = error instanceof AggregateError ? error.errors : []
  return error.message || (first instanceof Error ? first.message : '') || error.name
}
