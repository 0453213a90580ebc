import pg from 'pg'
// @ts-expect-error pg publishes this file but no types for it: the same conversion of values as pg's own queries use.
import pgUtils from 'pg/lib/utils.js'
import type { Statement } from './statement.ts'

/**
 * Sends several prepared statements with one Sync. Postgres runs everything before a Sync as one transaction, so
 * `begin` and `commit` are not needed, and it responds with one write. Every statement must be prepared on this
 * connection already; see `isPrepared`.
 */
export class OneSync extends pg.Query {
  readonly #statements: readonly Statement[]

  constructor(
    statements: readonly Statement[],
    callback: (error: Error | null, results: pg.QueryResult | pg.QueryResult[]) => void,
  ) {
    super({ text: '', values: [] })
    this.#statements = statements
    Object.assign(this, { callback })
  }

  /** Called by the client when this query is to be written. */
  override submit = (target: pg.Connection): void => {
    const connection = target as unknown as WireConnection
    connection.stream.cork()
    try {
      for (const { name, values } of this.#statements) {
        connection.bind({ portal: '', statement: name, values, valueMapper: prepareValue })
        connection.describe({ type: 'P', name: '' })
        connection.execute({ portal: '' })
      }
      connection.sync()
    } finally {
      connection.stream.uncork()
    }
  }
}

export const isPrepared = (client: pg.PoolClient, statements: readonly Statement[]): boolean => {
  const { parsedStatements } = (client as unknown as { connection: WireConnection }).connection
  return statements.every(({ name }) => name !== undefined && parsedStatements[name] !== undefined)
}

/** The part of pg's connection that a query writes to. */
type WireConnection = {
  parsedStatements: Record<string, string>
  stream: { cork(): void; uncork(): void }
  bind(options: {
    portal: string
    statement: string | undefined
    values: readonly unknown[]
    valueMapper: unknown
  }): void
  describe(options: { type: 'P'; name: string }): void
  execute(options: { portal: string }): void
  sync(): void
}

const { prepareValue } = pgUtils as { prepareValue(value: unknown): unknown }
