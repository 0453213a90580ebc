import { createHash } from 'node:crypto'
import type { SourceFile } from '../repository.ts'
import { type Finding, filesOf, forbid, lineAt, notShipped, type Rule, withoutComments } from '../rule.ts'
import { ownershipFindings, ownershipIn, tablesFile, tablesPage, tablesPageOf } from '../tables.ts'

// Queries about the engine itself (`engine.query`) touch no table of ours.
const statement =
  /(?<!\bengine\.query(?:<[^(]*>)?\(\s*)[`'"]\s*(select\s[^`'"]*?\sfrom\s|select\s+\w+\(|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|with\s+\w+\s+as\s*\()/i

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const maxStatementLines = 40
const statementOfLines = (lines: number): string => `sql\`select 1${',\n  1'.repeat(lines - 1)}\``

const runsTable = { 'db/baseline.sql': 'create table runs (id uuid);' }
const ownersOf = (exceptions: readonly unknown[]) => ({
  [tablesFile]: JSON.stringify({ owners: { runs: 'runs' }, exceptions }),
})
const reason = 'One round trip.'
const writesRuns = 'const add = sql`insert into runs (id) values (:id)`'
const ownedTree = {
  ...runsTable,
  ...ownersOf([]),
  'packages/core/src/runs/run.store.ts': writesRuns,
  'packages/core/src/agents/agent.store.ts': 'const find = sql`select id from runs -- update runs`',
}

const sealedFirst = { 'db/sealed.txt': `${sha256('select 1;')}  db/baseline.sql\n` }

export const sqlRules: readonly Rule[] = [
  {
    name: 'SQL stands in stores',
    why: 'One table belongs to one store, so all readers of a column are in one file.',
    check: forbid(statement, {
      within: /^(packages|apps)\/.*\.tsx?$/,
      except: new RegExp(
        `${notShipped.source}|\\.(store|sql)\\.ts$|^packages/platform/src/(db|durable)/|^packages/core/src/outbox[^/]*\\.ts$`,
      ),
      read: withoutComments,
    }),
    bad: [
      { 'packages/core/src/runs/run.service.ts': 'await tx.query(`select id\n  from runs`)' },
      { 'packages/core/src/runs/run.workflow.ts': "await tx.query('update runs set status = $1')" },
      { 'apps/server/src/gateway/limit.ts': 'await tx.query("insert into calls values (1)")' },
      { 'apps/server/src/worker/relay.ts': 'const due = `with due as (select 1) delete from outbox`' },
    ],
    good: [
      { 'packages/core/src/runs/run.store.ts': 'await tx.query(`select id from runs`)' },
      {
        'packages/core/src/runs/run.service.ts': "throw new Fault('conflict', 'Select an agent, then delete the run')",
      },
      { 'packages/platform/src/db/migrate.ts': "await client.query('select pg_advisory_lock($1)', [lock])" },
      { 'packages/core/src/runs/run.service.test.ts': "await db.query('delete from runs')" },
      {
        'packages/core/src/runs/run.sweep.ts':
          'await engine.query<{ id: string }>(\n  `select id from sys_invocation`)',
      },
    ],
  },
  {
    name: 'a prepared statement has named parameters',
    why: 'Swapped positions go unnoticed; names are checked by the compiler and by the schema.',
    check: forbid(/(?<!\\)\$\d+/, {
      within: /^packages\/core\/src\/.*\.(store|sql)\.ts$/,
      except: /^packages\/core\/src\/runs\/run\/run-row\.store\.ts$/,
      read: withoutComments,
    }),
    bad: [
      { 'packages/core/src/runs/run.store.ts': "statement('runs.find', `select id from runs where id = $1`)" },
      { 'packages/core/src/runs/accept/accept.sql.ts': 'export const accept = sql`select $12`' },
    ],
    good: [
      { 'packages/core/src/runs/run.store.ts': "statement('runs.find', sql`select id from runs where id = :id`)" },
    ],
  },
  {
    name: 'a long statement has a separate file',
    why: `A store is read for its functions. A statement of more than ${maxStatementLines} lines stands in noun.sql.ts beside it.`,
    check: (files) => longStatements(files),
    bad: [{ 'packages/core/src/runs/run.store.ts': `const find = ${statementOfLines(maxStatementLines + 1)}` }],
    good: [
      { 'packages/core/src/runs/run.store.ts': `const find = ${statementOfLines(maxStatementLines)}` },
      { 'packages/core/src/runs/run.sql.ts': `export const find = ${statementOfLines(maxStatementLines + 1)}` },
    ],
  },
  {
    name: 'a table is written by the slice that owns it',
    why: `A reader who changes a table must find its writers in one slice. ${tablesFile} names the owners, and the exceptions with their reasons.`,
    check: ownershipFindings,
    bad: [
      { ...runsTable },
      { ...ownersOf([]) },
      { ...runsTable, ...ownersOf([]), 'packages/core/src/agents/agent.store.ts': writesRuns },
      { ...runsTable, ...ownersOf([]), 'packages/core/src/agents/agent.sql.ts': 'sql`update runs r set id = :id`' },
      {
        ...runsTable,
        ...ownersOf([]),
        'packages/core/src/agents/agent.store.ts': 'sql`delete from runs using agents`',
      },
      { ...runsTable, ...ownersOf([{ table: 'runs', writer: 'agents', reason }]) },
      {
        ...runsTable,
        ...ownersOf([{ table: 'runs', writer: 'agents', reason: '' }]),
        'packages/core/src/agents/agent.store.ts': writesRuns,
      },
    ],
    good: [
      ownedTree,
      {
        ...runsTable,
        ...ownersOf([{ table: 'runs', writer: 'agents', reason }]),
        'packages/core/src/agents/agent.store.ts': writesRuns,
      },
    ],
  },
  {
    name: 'the page of tables is up to date',
    why: 'It tells who writes and who reads a table. `node tools/tidy/tables.ts` writes it.',
    check: (files) => {
      const written = files.find(({ path }) => path === tablesPage)?.text
      const isCurrent = Object.keys(ownershipIn(files).owners).length === 0 || written === tablesPageOf(files)
      return isCurrent ? [] : [{ path: tablesPage, says: 'is not up to date' }]
    },
    bad: [ownedTree, { ...ownedTree, [tablesPage]: 'No table.' }],
    good: [{ ...ownedTree, [tablesPage]: tablesPageOf(filesOf(ownedTree)) }],
  },
  {
    name: 'a query names its columns',
    why: 'A column added by the next release must not change what this one reads.',
    check: forbid(/\b(select|returning)\s+(distinct\s+)?(\w+\.)?\*/i, {
      within: /\.(tsx?|sql)$/,
      read: withoutComments,
    }),
    bad: [
      { 'packages/core/src/runs/run.store.ts': 'await tx.query(`select * from runs`)' },
      { 'packages/core/src/runs/run.store.ts': 'await tx.query(`update runs set a = 1 returning *`)' },
      { 'db/seeds/demo.sql': 'insert into a select b.* from b;' },
    ],
    good: [{ 'packages/core/src/runs/run.store.ts': 'await tx.query(`select count(*) from runs`)' }],
  },
  {
    name: 'migrations are numbered without gaps',
    why: 'Two branches that add a migration at once must collide in review, not in production.',
    check: (files) => gaps(files, /^db\/migrations\/([^/]+\.sql)$/, /^(\d{4})_[a-z0-9_]+\.sql$/),
    bad: [
      { 'db/migrations/0001_foundation.sql': '', 'db/migrations/0003_late.sql': '' },
      { 'db/migrations/0001_foundation.sql': '', 'db/migrations/0001_twin.sql': '' },
      { 'db/migrations/1_short.sql': '' },
    ],
    good: [{ 'db/migrations/0001_foundation.sql': '', 'db/migrations/0002_more.sql': '' }],
  },
  {
    name: 'a migration never changes once another follows it',
    why: 'Databases that ran the old text would stay different. `sha256sum` of the baseline and of every migration but the newest stands in db/sealed.txt.',
    check: (files) => unsealedMigrations(files),
    bad: [
      { 'db/baseline.sql': 'select 1;', 'db/migrations/0001_b.sql': '' },
      { 'db/baseline.sql': 'select 2;', 'db/migrations/0001_b.sql': '', ...sealedFirst },
    ],
    good: [
      { 'db/baseline.sql': 'select 1;' },
      { 'db/baseline.sql': 'select 1;', 'db/migrations/0001_b.sql': '', ...sealedFirst },
    ],
  },
  {
    name: 'a function of the database has a file with its name',
    why: 'A file is applied when its text changes, so applying it again must change nothing. A reader finds it by its name.',
    check: (files) => misnamedFunctions(files),
    bad: [
      { 'db/functions/a.sql': 'create function a() returns integer return 1;' },
      { 'db/functions/a.sql': 'create or replace function b() returns integer return 1;' },
    ],
    good: [{ 'db/functions/a.sql': '-- One.\ncreate or replace function a() returns integer return 1;' }],
  },
  {
    name: 'decisions are numbered without gaps',
    why: 'A decision is superseded by a later one and never deleted. A gap in the numbers is a lost decision.',
    check: (files) => gaps(files, /^docs\/adr\/([^/]+\.md)$/, /^(\d{4})-[a-z0-9-]+\.md$/),
    bad: [{ 'docs/adr/0001-engine.md': '', 'docs/adr/0003-late.md': '' }, { 'docs/adr/engine.md': '' }],
    good: [{ 'docs/adr/0001-engine.md': '', 'docs/adr/0002-postgres-is-the-truth.md': '' }],
  },
]

/** The regular expression ends at the next back-tick, so a nested template counts as part of a statement up to there. */
const longStatements = (files: readonly SourceFile[]): Finding[] =>
  files
    .filter(({ path }) => /^packages\/core\/src\/.*\.store\.ts$/.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/`[^`]*`/g)]
        .map((match) => ({ index: match.index, lines: match[0].split('\n').length }))
        .filter(({ lines }) => lines > maxStatementLines)
        .map(({ index, lines }) => ({ path, line: lineAt(text, index), says: `a statement of ${lines} lines` })),
    )

const gaps = (files: readonly SourceFile[], folder: RegExp, shape: RegExp): Finding[] =>
  files
    .filter(({ path }) => folder.test(path))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .flatMap(({ path }, index) => {
      const expected = String(index + 1).padStart(4, '0')
      const found = shape.exec(folder.exec(path)?.[1] ?? '')?.[1]
      return found === expected ? [] : [{ path, says: `expected number ${expected} and a name like its neighbours` }]
    })

/** Sorted by path, the baseline is the first. */
const unsealedMigrations = (files: readonly SourceFile[]): Finding[] => {
  const sealed = files.find(({ path }) => path === 'db/sealed.txt')?.text.split('\n') ?? []
  return files
    .filter(({ path }) => /^db\/(baseline|migrations\/.*)\.sql$/.test(path))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .slice(0, -1)
    .filter(({ path, text }) => !sealed.includes(`${sha256(text)}  ${path}`))
    .map(({ path, text }) => ({ path, says: `db/sealed.txt lacks "${sha256(text)}  ${path}"` }))
}

/** A trigger, a policy or another function names it, or a reader looks for it, by the name of its file. */
const misnamedFunctions = (files: readonly SourceFile[]): Finding[] =>
  files
    .filter(({ path }) => path.startsWith('db/functions/'))
    .flatMap(({ path, text }) => {
      const [, name] = /^db\/functions\/(\w+)\.sql$/.exec(path) ?? []
      const created = [...text.matchAll(/^create (or replace )?function (\w+)\(/gm)]
      return created.length === 1 && created[0]?.[1] && created[0][2] === name
        ? []
        : [{ path, says: 'does not hold one `create or replace function` with the name of the file' }]
    })
