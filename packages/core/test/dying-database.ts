import type { Database, Tx } from '@ars/platform/db/database'

/** The same database, which fails every statement after the first ones, as for a process that dies. */
export const dyingAfter = (db: Database, most: number): Database => {
  let left = most
  const spend = <Result>(work: () => Promise<Result>): Promise<Result> => {
    left -= 1
    return left < 0 ? Promise.reject(new Error('The worker has died')) : work()
  }
  return {
    ...db,
    once: (org, statement) => spend(() => db.once(org, statement)),
    batch: (org, statements) => spend(() => db.batch(org, statements)),
    transaction: (org, work) =>
      db.transaction(org, (tx: Tx) => work({ query: (statement) => spend(() => tx.query(statement)) })),
  }
}
