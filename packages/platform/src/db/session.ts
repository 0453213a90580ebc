import pg from 'pg'
import { platformBounds } from '../bounds.ts'
import { clientFor, type Login } from './logins.ts'
import { DatabaseUnavailable } from './unavailable.ts'

/**
 * One connection for one piece of an operator's work. Settings hold for a transaction only, because a pooler may share the
 * connection.
 */
export type Session = {
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** Answers how many rows the statement changed. */
  change(text: string, values?: readonly unknown[]): Promise<number>
}

export type SessionOptions = Login & {
  /** Shows in `pg_stat_activity`. */
  name: string
  /** Of one statement. */
  timeoutMs: number
}

const connectTimeoutMs = platformBounds.databaseConnect.ms

export const withSession = async <Result>(
  { name, timeoutMs, ...login }: SessionOptions,
  work: (session: Session) => Promise<Result>,
): Promise<Result> => {
  const client = new (clientFor(login))({
    connectionString: login.url,
    application_name: `ars-${name}`,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: timeoutMs,
  })
  // The running query reports a lost connection.
  client.on('error', () => undefined)
  await client.connect().catch((error: unknown) => {
    throw new DatabaseUnavailable('No connection to the database', { cause: error })
  })
  try {
    return await work({
      query: async <Row>(text: string, values: readonly unknown[] = []) =>
        (await client.query(text, [...values])).rows as Row[],
      change: async (text, values = []) => (await client.query(text, [...values])).rowCount ?? 0,
    })
  } finally {
    await client.end()
  }
}

/**
 * Begins a transaction for an organisation, with longer time limits than the roles of the service have for customers. With
 * a snapshot it reads what the transaction reads that exported it.
 */
export const beginFor = async (
  session: Session,
  org: string,
  { timeoutMs, mode = '', snapshot }: { timeoutMs: number; mode?: string; snapshot?: string },
): Promise<void> => {
  await session.query(`begin ${mode}`)
  if (snapshot !== undefined) await session.query(`set transaction snapshot ${quoteText(snapshot)}`)
  await session.query(
    `select set_config('app.org_id', $1, true), set_config('statement_timeout', $2, true),
            set_config('idle_in_transaction_session_timeout', $2, true), set_config('lock_timeout', $2, true)`,
    [org, `${timeoutMs}ms`],
  )
}

/** Quotes the name of a table or column. */
export const quoteName = (name: string): string => pg.escapeIdentifier(name)

/** Quotes a value for a statement that takes no parameters. */
export const quoteText = (text: string): string => pg.escapeLiteral(text)
