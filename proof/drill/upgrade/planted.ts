import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A change of each kind, in the order in which they are applied. Each is one that a later release could make. */
const changes: readonly (readonly [kind: string, text: string])[] = [
  // Every accept, claim, step and end writes this table.
  ['column', 'alter table run_heads add column planted integer not null default 0;'],
  ['index', '-- Builds indexes concurrently.\ncreate index runs_planted on runs (org_id, created_at);'],
  // Partitioned: workers of the older release make its partitions.
  [
    'table',
    `create table planted (
  id uuid primary key,
  org_id uuid not null
) partition by range (id);
alter table planted enable row level security;
alter table planted force row level security;
create policy own_organisation on planted using (org_id = nullif(current_setting('app.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid);
create policy every_organisation on planted to ars_system using (true) with check (true);
grant select, insert on planted to ars_app;
grant select, insert, update, delete on planted to ars_system;
insert into partition_parents (name, position) select 'planted', max(position) + 1 from partition_parents;`,
  ],
]

/** Adds them to a copy of the tree, changes the function that every accept calls, and gives the release the next version. */
export const plantChanges = (checkout: string): void => {
  const folder = join(checkout, 'db/migrations')
  const first = readdirSync(folder).filter((file) => file.endsWith('.sql')).length + 1
  for (const [at, [kind, text]] of changes.entries())
    writeFileSync(join(folder, `${String(first + at).padStart(4, '0')}_planted_${kind}.sql`), `${text}\n`)
  appendFileSync(join(checkout, 'db/functions/admit_runs.sql'), '-- Planted.\n')
  writeFileSync(
    join(checkout, 'db/functions/planted_runs.sql'),
    'create or replace function planted_runs() returns bigint language sql stable\n' +
      '  begin atomic select coalesce(sum(planted), 0) from run_heads; end;\n',
  )
  const manifest = join(checkout, 'apps/server/package.json')
  const { version, ...rest } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
  const [major, minor, patch] = version.split(/[.-]/)
  writeFileSync(manifest, JSON.stringify({ ...rest, version: `${major}.${minor}.${Number(patch) + 1}` }))
}

/** Names each planted change that the database lacks. */
export const findPlanted = `
  select what from (values
    ('the column', exists (select from pg_attribute where attrelid = 'run_heads'::regclass and attname = 'planted')),
    ('the index', coalesce((select indisvalid from pg_index where indexrelid = to_regclass('runs_planted')), false)),
    ('a partition of the index', (select count(*) from pg_inherits where inhparent = to_regclass('runs_planted'))
       = (select count(*) from pg_inherits where inhparent = 'runs'::regclass)),
    ('the table', to_regclass('planted') is not null),
    ('a partition of the table', exists (select from pg_inherits where inhparent = to_regclass('planted'))),
    ('the function', to_regproc('planted_runs') is not null),
    ('the changed function', exists (select from schema_functions where name = 'admit_runs' and release is distinct from (
       select release from migrations where name = 'baseline')))
  ) as planted (what, is_there) where not is_there`
