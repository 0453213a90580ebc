import type { Database } from '@ars/platform/db/database'
import type { Statement } from '@ars/platform/db/statement'

type Answer = (statement: Statement) => readonly unknown[]

/** A database that answers statements by their name and keeps them. What has no answer has no rows. */
export const scriptedDatabase = (answers: Readonly<Record<string, Answer>>) => {
  const asked: Statement[] = []
  const answer = async (statement: Statement): Promise<readonly unknown[]> => {
    asked.push(statement)
    return answers[statement.name ?? '']?.(statement) ?? []
  }
  const all = (statements: readonly Statement[]) => Promise.all(statements.map(answer))
  const db = {
    once: (_: unknown, statement: Statement) => answer(statement),
    batch: (_: unknown, statements: readonly Statement[]) => all(statements),
    batchOf: (_: unknown, statements: readonly Statement[]) => all(statements),
    transaction: (_: unknown, work: (tx: object) => unknown) => work({ query: answer }),
  } as unknown as Database
  const ofName = (wanted: string): Statement[] => asked.filter(({ name }) => name === wanted)
  return { db, asked, ofName, countOf: (name: string): number => ofName(name).length }
}
