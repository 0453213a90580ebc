/** What the database says about its schema. */
export type SchemaState = {
  /** The applied migrations, in their order. */
  migrations: readonly string[]
  /** Those that no older release survives, with the release that applied them. */
  stops: readonly { name: string; release: string | null }[]
  /** The release that applied the last migration; null: one that did not record itself. */
  migratedBy: string | null
}

/** A release: its version, and its migrations in their order. */
export type Release = { version: string; migrations: readonly string[] }

/** Whether a release can work on a schema. A schema may be newer if no migration in between needs a stop. */
export type SchemaFit =
  | { kind: 'fits' }
  | { kind: 'too old'; missing: string[]; words: string }
  | { kind: 'too new'; words: string }

export const schemaFit = (schema: SchemaState, { version, migrations }: Release): SchemaFit => {
  const missing = missingMigrations(schema.migrations, migrations)
  if (missing.length > 0) return { kind: 'too old', missing, words: tooOld(schema, version, missing) }
  const stop = schema.stops.findLast(({ name }) => !migrations.includes(name))
  if (!stop) return { kind: 'fits' }
  const other = stop.release ?? 'a newer release'
  return {
    kind: 'too new',
    words:
      `The schema of the database is too new for release ${version}: its last migration is ${migrations.at(-1)}, and ` +
      `releases before ${other} cannot work after ${stop.name}. ` +
      `Start ${stop.release === null ? other : `release ${other} or a newer one`}; migrations are never undone`,
  }
}

/** The migrations of a release that are not applied. */
const missingMigrations = (applied: readonly string[], migrations: readonly string[]): string[] =>
  migrations.filter((name) => !applied.includes(name)).toSorted()

const tooOld = ({ migrations, migratedBy }: SchemaState, version: string, missing: readonly string[]): string => {
  const last = migrations.at(-1)
  const found =
    last === undefined ? 'it has none' : `its last one is ${last}${migratedBy ? ` of release ${migratedBy}` : ''}`
  return (
    `The schema of the database is too old for release ${version}: migrations ${missing.join(', ')} are missing, and ${found}. ` +
    `Run \`ars-server migrate\` of release ${version}, then start it again`
  )
}
