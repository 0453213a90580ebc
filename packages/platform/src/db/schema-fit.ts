/** What the database says about its schema. */
export type SchemaState = {
  /** The applied migrations, in their order. */
  migrations: readonly string[]
  /** Those that no older release survives, with the release that applied them. */
  stops: readonly { name: string; release: string | null }[]
  /** The functions as they were applied last. */
  functions: readonly AppliedFunction[]
  /** The release that applied the last migration; null: one that did not record itself. */
  migratedBy: string | null
}

export type AppliedFunction = { name: string; hash: string; release: string | null }

/** A release: its version, its migrations in their order, and its functions. */
export type Release = {
  version: string
  migrations: readonly string[]
  functions: readonly { name: string; hash: string }[]
}

/** Whether a release can work on a schema. A schema may be newer if no migration in between needs a stop. */
export type SchemaFit =
  | { kind: 'fits' }
  | { kind: 'too old'; missing: string[]; words: string }
  | { kind: 'too new'; words: string }

export const schemaFit = (schema: SchemaState, release: Release): SchemaFit => {
  const { version, migrations } = release
  const missing = [
    ...migrations.filter((name) => !schema.migrations.includes(name)).toSorted(),
    ...outdatedFunctions(schema.functions, release).map(({ name }) => `${name}()`),
  ]
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

/** The functions of a release that the database lacks or has in another text, unless a newer release applied that text. */
export const outdatedFunctions = <File extends { name: string; hash: string }>(
  applied: readonly AppliedFunction[],
  { version, functions }: { version: string | null; functions: readonly File[] },
): File[] =>
  functions.filter(({ name, hash }) => {
    const found = applied.find((each) => each.name === name)
    return found === undefined || (found.hash !== hash && !isNewer(found.release, version))
  })

/** Compares the numbers of two versions. A pre-release counts as its release. */
const isNewer = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && core(one).localeCompare(core(other), 'en', { numeric: true }) > 0

const core = (version: string): string => version.replace(/[-+].*$/, '')

const tooOld = ({ migrations, migratedBy }: SchemaState, version: string, missing: readonly string[]): string => {
  const last = migrations.at(-1)
  const found =
    last === undefined
      ? 'it has no migration'
      : `its last migration is ${last}${migratedBy ? ` of release ${migratedBy}` : ''}`
  return (
    `The schema of the database is too old for release ${version}: it lacks ${missing.join(', ')}, and ${found}. ` +
    `Run \`ars-server migrate\` of release ${version}, then start it again`
  )
}
