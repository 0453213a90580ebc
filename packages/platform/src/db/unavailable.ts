/** The database was unavailable. Nothing is known to have been written; the caller may retry. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
}

// Connection exceptions, operator intervention (shutdown, crash, starting up), too many connections, disk full,
// statement and lock timeouts: the request is valid and may succeed later.
const passingClasses = ['08', '57P', '53', '57014', '55P03', '25006', 'XX']

export const isConnectionFailure = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  if (code === undefined) return /connection|timeout|not queryable|terminated/i.test(error.message)
  if (/^E[A-Z]+$/.test(code)) return true
  return passingClasses.some((prefix) => code.startsWith(prefix))
}
