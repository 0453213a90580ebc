/** The database was unavailable. Nothing is known to have been written; the caller may retry. */
export class DatabaseUnavailable extends Error {
  override readonly name: string = 'DatabaseUnavailable'

  /** A word for callers, logs and metrics. */
  get why(): WhyUnavailable {
    return whyOf(this.cause) ?? 'database_away'
  }
}

export type WhyUnavailable =
  | 'shed'
  | 'pool_busy'
  | 'blocked'
  | 'database_busy'
  | 'database_away'
  | 'database_read_only'
  | 'disk_full'
  | 'organisation_closed'
  | 'key_service_away'
  | 'contended'

/** The database rolled the transaction back for a passing reason. The connection is healthy; the caller may retry. */
export class DatabaseBusy extends DatabaseUnavailable {
  override readonly name: string = 'DatabaseBusy'

  override get why(): WhyUnavailable {
    return whyOf(this.cause) ?? 'database_busy'
  }
}

/** The server was found unable to write, and then no connection to it opened either. */
export class CannotWrite extends DatabaseUnavailable {
  readonly #why: WhyUnavailable

  constructor(message: string, options: ErrorOptions, why: WhyUnavailable) {
    super(message, options)
    this.#why = why
  }

  override get why(): WhyUnavailable {
    return this.#why
  }
}

/** All connections of the pool are in use. */
export class PoolBusy extends DatabaseUnavailable {
  override get why(): WhyUnavailable {
    return 'pool_busy'
  }
}

/** Others change the same rows again and again. */
export class Contended extends DatabaseUnavailable {
  override get why(): WhyUnavailable {
    return 'contended'
  }
}

/** The organisation moves to another cell, or has moved: this one neither reads nor writes for it. */
export class OrganisationClosed extends DatabaseBusy {
  override readonly name = 'OrganisationClosed'

  override get why(): WhyUnavailable {
    return 'organisation_closed'
  }
}

/**
 * `broken`: the connection is lost, or leads to a server that cannot write, so that another one must be opened.
 * `busy`: the statement was refused or interrupted, and the connection can be used again.
 * `conflict`: like `busy`, and the same transaction may succeed at once.
 * `closed`: `refuse_closed()` refused the organisation.
 */
export type PassingFailure = 'broken' | 'busy' | 'conflict' | 'closed'

// Serialization failures and deadlocks; statement and lock timeouts, and exhausted resources (memory, locks, disk);
// connection exceptions, operator intervention (shutdown, crash, starting up), read-only servers, internal errors.
const passingCodes: readonly (readonly [prefix: string, kind: PassingFailure])[] = [
  ['40001', 'conflict'],
  ['40P01', 'conflict'],
  ['57014', 'busy'],
  ['55P03', 'busy'],
  ['53', 'busy'],
  ['08', 'broken'],
  ['57P', 'broken'],
  ['25006', 'broken'],
  ['XX', 'broken'],
  ['ARM01', 'closed'],
]

const whys: readonly (readonly [prefix: string, why: WhyUnavailable])[] = [
  ['53100', 'disk_full'],
  ['25006', 'database_read_only'],
  ['55P03', 'blocked'],
  ['53', 'database_busy'],
  ['57014', 'database_busy'],
  ['40', 'database_busy'],
]

/** By the code of Postgres. Undefined: it says nothing, or the connection is lost. */
const whyOf = (error: unknown): WhyUnavailable | undefined => {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  return whys.find(([prefix]) => code.startsWith(prefix))?.[1]
}

/** Another transaction held what the statement waited for. */
export const isLockTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '55P03'

/** Null: the statement itself is wrong, and fails again. */
export const passingFailureOf = (error: unknown): PassingFailure | null => {
  if (!(error instanceof Error)) return null
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  if (code === undefined) return /connection|timeout|not queryable|terminated/i.test(error.message) ? 'broken' : null
  if (/^E[A-Z]+$/.test(code)) return 'broken'
  return passingCodes.find(([prefix]) => code.startsWith(prefix))?.[1] ?? null
}
