import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
} from 'kysely'
import type { Statement } from './statement.ts'

export { type RawBuilder, sql as dynamicSql } from 'kysely'

// Kysely only builds the text and the placeholders; statements run on our pools.
const compiler = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

/** A statement built from parts, for lists with optional filters. It is not prepared by name. */
export const toStatement = <Row>(query: RawBuilder<unknown>): Statement<Row> => {
  const { sql: text, parameters } = query.compile(compiler)
  return { text, values: parameters }
}
