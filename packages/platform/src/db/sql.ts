import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
} from 'kysely'
import type { Statement } from './statement.ts'

export { type RawBuilder, sql } from 'kysely'

// It only writes the text and counts the placeholders; statements run on our own pools.
const compiler = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

/** A statement put together from parts, for lists whose filters differ from call to call. It is not prepared by name. */
export const toStatement = (query: RawBuilder<unknown>): Statement => {
  const { sql: text, parameters } = query.compile(compiler)
  return { text, values: parameters }
}
