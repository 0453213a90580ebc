import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readRepository, repositoryRoot, type SourceFile } from './repository.ts'
import { type Finding, withoutComments } from './rule.ts'

/** The owner of each table, and the slices that write tables of another one, each with its reason. */
export const tablesFile = 'db/tables.json'

export const tablesPage = 'docs/reference/tables.md'

type Exception = { readonly table: string; readonly writer: string; readonly reason: string }
type Ownership = { readonly owners: Readonly<Record<string, string>>; readonly exceptions: readonly Exception[] }

/** `writers` are slices, `readers` are files. */
type TableUse = { readonly table: string; readonly writers: readonly string[]; readonly readers: readonly string[] }

export const ownershipIn = (files: readonly SourceFile[]): Ownership =>
  JSON.parse(files.find(({ path }) => path === tablesFile)?.text ?? '{ "owners": {}, "exceptions": [] }')

const useOfTables = (files: readonly SourceFile[]): TableUse[] => {
  const sources = files.filter(({ path }) => statements.test(path)).map((file) => ({ ...file, sql: sqlOf(file) }))
  return Object.keys(ownershipIn(files).owners)
    .toSorted()
    .map((table) => {
      const writes = new RegExp(`\\b(insert\\s+into|update|delete\\s+from)\\s+${table}\\b`, 'i')
      const reads = new RegExp(`(?<!\\b(?:delete|distinct)\\s+)\\b(from|join|using)\\s+${table}\\b(?!\\.)`, 'i')
      // A list that is composed at run time names its tables in strings.
      const names = new RegExp(`\`${table} [a-z]|table: '${table}'|'${table}' \\||\\| '${table}'`)
      const readers = sources.filter(({ sql }) => reads.test(sql) || (sql.includes('dynamicSql') && names.test(sql)))
      return {
        table,
        writers: [
          ...new Set(sources.filter(({ sql }) => writes.test(sql)).map(({ path }) => sliceOf(path))),
        ].toSorted(),
        readers: readers.map(({ path }) => path),
      }
    })
}

/** Tables without an owner, owners of no table, writers without a reason and reasons without a writer. */
export const ownershipFindings = (files: readonly SourceFile[]): Finding[] => {
  const { owners, exceptions } = ownershipIn(files)
  const created = tablesOfMigrations(files)
  const foreign = useOfTables(files).flatMap(({ table, writers }) =>
    writers.filter((writer) => writer !== owners[table]).map((writer) => ({ table, writer })),
  )
  const isSame = (one: { table: string; writer: string }) => (other: { table: string; writer: string }) =>
    one.table === other.table && one.writer === other.writer
  return [
    ...created.filter((table) => !(table in owners)).map((table) => `${table} has no owner`),
    ...Object.keys(owners)
      .filter((table) => !created.includes(table))
      .map((table) => `${table} has an owner and no migration creates it`),
    ...foreign
      .filter((write) => !exceptions.some(isSame(write)))
      .map(({ table, writer }) => `${writer} writes ${table}, which belongs to ${owners[table]}`),
    ...exceptions
      .filter((exception) => !foreign.some(isSame(exception)))
      .map(({ table, writer }) => `the exception for ${writer} and ${table} is not needed`),
    ...exceptions.filter(({ reason }) => reason === '').map(({ table, writer }) => `${writer}, ${table}: no reason`),
  ].map((says) => ({ path: tablesFile, says }))
}

export const tablesPageOf = (files: readonly SourceFile[]): string => {
  const { owners, exceptions } = ownershipIn(files)
  const rows = useOfTables(files).map(({ table, writers, readers }) => {
    const owner = owners[table] ?? ''
    const cells = [
      `\`${table}\``,
      owner,
      writers.join(', ') || 'only the database',
      readers.map((path) => `\`${path.replace(/^packages\/core\/src\//, '')}\``).join(' ') || 'none',
    ]
    return `| ${cells.join(' | ')} |`
  })
  return `# Tables

Written by \`node tools/tidy/tables.ts\` from the stores and from \`${tablesFile}\`. Do not edit.

A table belongs to one slice, and only that slice writes it. The exceptions follow below. \`core\` is the folder
\`packages/core/src\` itself; readers are paths below it. Triggers, functions of the database and migrations are not listed as writers.

| table | owner | slices that write it | files that read it |
|---|---|---|---|
${rows.join('\n')}

## Exceptions

| table | owner | slice that writes it | reason |
|---|---|---|---|
${exceptions
  .toSorted((one, other) => (`${one.table} ${one.writer}` < `${other.table} ${other.writer}` ? -1 : 1))
  .map(({ table, writer, reason }) => `| \`${table}\` | ${owners[table]} | ${writer} | ${reason} |`)
  .join('\n')}
`
}

// Files with SQL that ships: stores, their statements, and the database code of the platform.
const statements = /^packages\/core\/src\/.*\.(store|sql)\.ts$|^packages\/platform\/src\/db\/(?!.*\.test\.ts$).*\.ts$/

const sliceOf = (path: string): string =>
  /^packages\/core\/src\/([^/]+)\//.exec(path)?.[1] ?? /^packages\/([^/]+)\//.exec(path)?.[1] ?? ''

const sqlOf = (file: SourceFile): string => withoutComments(file).replaceAll(/--.*$/gm, '')

const tablesOfMigrations = (files: readonly SourceFile[]): string[] => {
  const migrations = files.filter(({ path }) => /^db\/(baseline|migrations\/.*)\.sql$/.test(path))
  const text = migrations.map((file) => withoutComments(file)).join('\n')
  const tables = new Set<string>()
  // A migration may drop a table and create it anew.
  for (const [, change, name = ''] of text.matchAll(/\b(create|drop) table (?:if (?:not )?exists )?(\w+)/gi)) {
    if (change?.toLowerCase() === 'create') tables.add(name)
    else tables.delete(name)
  }
  return [...tables]
}

if (import.meta.main) {
  const repository = readRepository()
  writeFileSync(join(repositoryRoot, tablesPage), tablesPageOf(repository))
  console.log(`${useOfTables(repository).length} tables, listed in ${tablesPage}`)
}
