import { isConcurrent, needsStop } from '@ars/platform/db/migrate'
import type { SourceFile } from '../repository.ts'
import { type Finding, type Rule, withoutComments } from '../rule.ts'

const first = (text: string) => ({ 'db/migrations/0001_change.sql': text })

export const migrationRules: readonly Rule[] = [
  {
    name: 'a migration that locks an older table is one statement',
    why: 'A transaction holds its locks until it ends, and accepts wait for them. New tables, policies and rows have a file before it. See db/migrations/README.md.',
    check: (files) => files.filter(({ path }) => /^db\/migrations\/.*\.sql$/.test(path)).flatMap(findLongLocks),
    bad: [
      first('alter table runs add column a integer;\nalter table agents add column b integer;'),
      first('alter table runs add column a integer; create table new (id uuid);'),
      first('create table new (id uuid); alter table only organisations add column a integer;'),
      first('create table new (id uuid, org_id uuid references organisations); grant select on new to ars_app;'),
      first("insert into partition_parents values ('new', 1); drop table if exists runs;"),
      first('create policy own on runs using (true); create policy every on runs using (true);'),
      first('select 1; create trigger noted after insert on runs for each row execute function note();'),
      first('create index a on runs (org_id); create index b on runs (id);'),
      first('drop index runs_by_agent; select 1;'),
      first('do $$ begin alter table runs add column a integer; end $$; select 1;'),
      first('create table new_p partition of runs for values from (1) to (2); select 1;'),
      first('lock table runs; select 1;'),
    ],
    good: [
      first('-- Why; and for whom.\nalter table runs add column a integer, add column b integer;'),
      first("comment on table runs is 'a; b'; insert into runs values (1); grant select on runs to ars_app;"),
      first(
        'create table new (id uuid); alter table new enable row level security; create policy own on new using (true); create index a on new (id);',
      ),
      first(`${isConcurrent}\ncreate index a on runs (id);\ncreate index b on runs (org_id);`),
      first(`${needsStop}\nalter table runs add column a integer; alter table agents add column b integer;`),
      first('create table new (id uuid, old uuid references runs);'),
      first('create or replace function a() returns integer language sql as $$ select 1; select 2 $$; select a();'),
    ],
  },
]

const findLongLocks = (file: SourceFile): Finding[] => {
  if ([needsStop, isConcurrent].some((line) => file.text.startsWith(line))) return []
  const statements = statementsOf(withoutComments(file))
  if (statements.length <= 1) return []
  const made = new Set(
    statements.flatMap((each) => /^create (?:unlogged )?table (?:if not exists )?(\w+)/.exec(each)?.[1] ?? []),
  )
  return statements
    .flatMap(lockedBy)
    .filter((table) => !made.has(table))
    .map((table) => ({
      path: file.path,
      says: `locks ${table} and holds the lock during ${statements.length} statements`,
    }))
}

/** A semicolon in a text, in a body between dollars or in a function of SQL ends no statement. */
const statementsOf = (text: string): string[] =>
  [...text.matchAll(/(?:'[^']*'|\$(\w*)\$[\s\S]*?\$\1\$|begin atomic[\s\S]*?\bend\b|[^;])+/gi)]
    .map(([one]) => one.replaceAll(/\s+/g, ' ').trim().toLowerCase())
    .filter((one) => one !== '')

const locking: readonly RegExp[] = [
  /^(?:alter|drop) table (?:if exists )?(?:only )?(\w+)/,
  /^(?:create|drop|alter) (?:or replace )?(?:constraint )?(?:trigger|policy|rule) .*?\bon (?:only )?(\w+)/,
  /^create (?:unique )?index .*?\bon (?:only )?(\w+)/,
  /^(?:alter|drop) index (?:if exists )?(\w+)/,
  /^(?:truncate|lock) (?:table )?(?:only )?(\w+)/,
  /^create table .*?\bpartition of (\w+)/,
]

/** The tables, or an index instead of its table. */
const lockedBy = (statement: string): string[] => {
  const block = /^do\b.*?\b(?:alter|drop|truncate|lock) (?:table |index )?(?:only )?(\w+)/.exec(statement)?.[1]
  const found = locking.flatMap((form) => form.exec(statement)?.[1] ?? [])
  const referenced = /^(?:create|alter) table/.test(statement)
    ? [...statement.matchAll(/\breferences (\w+)/g)].map(([, table = '']) => table)
    : []
  return [...(block === undefined ? [] : [block]), ...found, ...referenced]
}
