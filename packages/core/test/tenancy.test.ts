import { completeUrl, loginsFrom } from '@ars/platform/db/logins'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'

let database: TestDatabase
let oneAddressUrl: string
beforeAll(async () => {
  database = await createTestDatabase()
  oneAddressUrl = await completeUrl(loginsFrom(await database.makeOneAddress()).ars_app)
  await plantRows()
})
afterAll(() => database.drop())

const asSuperuser = <Row>(sql: string) =>
  asClient(database.superuserUrl, async (client) => (await client.query(sql)).rows as Row[])

/** The ways to log in as the role of the API: an address for each role, and the login that one address leads to. */
const addresses = {
  'an address for each role': () => database.appUrl,
  'one address': () => oneAddressUrl,
} as const
type AddressMode = keyof typeof addresses
const modes = Object.keys(addresses) as AddressMode[]

const asApp = async <Row>(sql: string, mode: AddressMode = 'an address for each role') =>
  asClient(addresses[mode](), async (client) => (await client.query(sql)).rows as Row[])

type TenantTable = { name: string; forced: boolean; enabled: boolean; locked: boolean; readable: boolean }

// As Postgres prints it; a quoted literal for the query below.
const ownOrganisation = `'(org_id = (NULLIF(current_setting(''app.org_id''::text, true), ''''::text))::uuid)'`

/**
 * `locked`: all reads and writes are restricted to the transaction's organisation, by the same expression in each
 * table.
 */
const tenantTables = () =>
  asSuperuser<TenantTable>(`
    select c.relname as name, c.relforcerowsecurity as forced, c.relrowsecurity as enabled,
           has_table_privilege('ars_app', c.oid, 'select') as readable,
           coalesce(bool_or(p.polname = 'own_organisation' and p.polcmd = '*' and p.polpermissive
             and p.polroles = '{0}'
             and pg_get_expr(p.polqual, c.oid) = ${ownOrganisation}
             and pg_get_expr(p.polwithcheck, c.oid) = ${ownOrganisation}), false) as locked
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped
      left join pg_policy p on p.polrelid = c.oid
     where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
     group by c.oid order by 1`)

test('every table with an organisation’s rows is locked to that organisation, for reads and for writes', async () => {
  const tables = await tenantTables()
  expect(tables.length).toBeGreaterThanOrEqual(25)
  for (const table of tables) expect(table).toMatchObject({ forced: true, enabled: true, locked: true })
})

const oneBatch = 'one statement writes rows of several organisations; it sees those that its transaction names'

// Each policy opens a lock for one role and states its reason. The reviewer of a new one adds it here.
const openings: Readonly<Record<string, string>> = {
  'agent_versions admit select ars_owner': 'admit_runs() reads the limit of an agent',
  'agent_versions batch_organisations all ars_batch': oneBatch,
  'agents admit select ars_owner': 'admit_runs() reads which version is live',
  'agents batch_organisations all ars_batch': oneBatch,
  'api_keys find_by_hash select ars_auth': 'a key is looked for before it is known whose it is',
  'api_keys note_use update ars_auth': 'when keys were last used is noted in batches over all organisations',
  'budget_spend batch_organisations all ars_batch': oneBatch,
  'budgets batch_organisations all ars_batch': oneBatch,
  'call_counts batch_organisations all ars_batch': oneBatch,
  'events batch_organisations all ars_batch': oneBatch,
  'events follow select ars_feed': 'how far the events of the organisations are that have open streams; no content',
  'idempotency_keys batch_organisations all ars_batch': oneBatch,
  'invitations find_before select ars_auth': 'a link is followed before it is known whose it is',
  'members find_before select ars_auth': 'a person who logs in sees the organisations to choose from',
  'organisations admit select ars_owner': 'admit_runs() reads how many runs each organisation may have',
  'organisations batch_organisations all ars_batch': oneBatch,
  'organisations find_by_key select ars_auth': 'the limits of an organisation are read together with its key',
  'organisations own_organisation all public': 'the same lock as elsewhere; here the id itself is the organisation',
  'outbox admit all ars_owner': 'admit_runs() orders the runs that it admits',
  'outbox batch_organisations all ars_batch': oneBatch,
  'run_deltas batch_organisations all ars_batch': oneBatch,
  'run_events batch_organisations all ars_batch': oneBatch,
  'run_heads admit all ars_owner': 'admit_runs() counts the runs of all organisations and admits those that wait',
  'run_heads batch_organisations all ars_batch': oneBatch,
  'run_heads follow select ars_feed': 'how far the runs are that have waiting callers; no content',
  'run_labels batch_organisations all ars_batch': oneBatch,
  'run_results batch_organisations all ars_batch': oneBatch,
  'run_shares find_before select ars_auth': 'the token of a link is looked for before it is known whose it is',
  'run_steps batch_organisations all ars_batch': oneBatch,
  'runs batch_organisations all ars_batch': oneBatch,
  'session_tokens find_before select ars_auth': 'a token is looked for before it is known whose it is',
  'sessions find_before all ars_auth': 'a person’s sessions are found, begun and ended over all their organisations',
  'users find_before all ars_auth': 'a person logs in before an organisation is chosen',
  'users own_members select ars_app': 'an organisation sees the people who belong to it',
}

test('every policy that opens a lock does so for one role and one reason, and is on this list', async () => {
  const policies = await asSuperuser<{ policy: string }>(`
    select concat_ws(' ', c.relname, p.polname,
             case p.polcmd when '*' then 'all' when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' else 'delete' end,
             array_to_string(array(select case r when 0 then 'public' else pg_get_userbyid(r) end
               from unnest(p.polroles) as r order by 1), ',')) as policy
      from pg_policy p join pg_class c on c.oid = p.polrelid
     where p.polname <> 'every_organisation' and not (p.polname = 'own_organisation' and p.polroles = '{0}' and exists (
       select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped))
     order by 1`)
  expect(policies.map(({ policy }) => policy).toSorted()).toEqual(Object.keys(openings).toSorted())
})

test('each locked table is open to the role that crosses organisations, and to no other by this policy', async () => {
  const tables = await asSuperuser<{ name: string; roles: string[] }>(`
    select c.relname as name,
           array(select pg_get_userbyid(r)::text from pg_policy p, unnest(p.polroles) as r
                  where p.polrelid = c.oid and p.polname = 'every_organisation') as roles
      from pg_class c
     where c.relrowsecurity and not c.relispartition and c.relnamespace = 'public'::regnamespace`)
  expect(tables.length).toBeGreaterThan(30)
  expect(tables.filter(({ roles }) => roles.join() !== 'ars_system')).toEqual([])
})

// Why a table names no organisation, and which of the service's roles may use it.
const withoutOrganisation: Readonly<Record<string, { reason: string; roles: string[] }>> = {
  organisations: { reason: 'it is the organisation', roles: ['ars_app', 'ars_auth', 'ars_batch', 'ars_system'] },
  users: { reason: 'a person may belong to several', roles: ['ars_app', 'ars_auth', 'ars_system'] },
  email_proofs: { reason: 'an address belongs to a person', roles: ['ars_auth', 'ars_system'] },
  password_resets: { reason: 'a password belongs to a person', roles: ['ars_auth', 'ars_system'] },
  mail_recipients: {
    reason: 'an address is protected from all organisations together',
    roles: ['ars_app', 'ars_auth', 'ars_system'],
  },
  login_attempts: { reason: 'a login attempt has no known person yet', roles: ['ars_auth', 'ars_system'] },
  login_devices: { reason: 'a browser belongs to an account, before a login', roles: ['ars_auth', 'ars_system'] },
  gateways: { reason: 'processes of the installation', roles: ['ars_feed', 'ars_system'] },
  backup_state: {
    reason: 'when the database was copied; one row of the installation',
    roles: ['ars_backup', 'ars_system'],
  },
  cell: { reason: 'one row about the installation, with ids of runs', roles: ['ars_app', 'ars_batch', 'ars_system'] },
  closed_organisations: {
    reason: 'organisations that move to another cell; a look before any of their rows',
    roles: ['ars_app', 'ars_auth', 'ars_feed', 'ars_system'],
  },
  moved_days: { reason: 'names of partitions, of an organisation that moves; only the owner reads it', roles: [] },
  event_clock: {
    reason: 'the last place in the order of events and its epoch; one row of the installation',
    roles: ['ars_feed', 'ars_system'],
  },
  usage_cursor: {
    reason: 'the last end that is counted; one row of the installation',
    roles: ['ars_app', 'ars_system'],
  },
  partition_parents: { reason: 'names of tables', roles: ['ars_system'] },
  migrations: {
    reason: 'which release the schema has',
    roles: ['ars_app', 'ars_auth', 'ars_backup', 'ars_feed', 'ars_system'],
  },
  schema_functions: {
    reason: 'which release the functions have',
    roles: ['ars_app', 'ars_auth', 'ars_feed', 'ars_system'],
  },
}

test('tables without an organisation are on this list, with the roles that may use them', async () => {
  const tables = await asSuperuser<{ name: string; roles: string[] }>(`
    select c.relname as name,
           array(select r.rolname::text from pg_roles r where r.rolname in ('ars_app', 'ars_auth', 'ars_backup', 'ars_batch', 'ars_feed', 'ars_system')
                  and (has_table_privilege(r.oid, c.oid, 'select, insert, update, delete, truncate')
                    or has_any_column_privilege(r.oid, c.oid, 'select, insert, update')) order by 1) as roles
      from pg_class c
     where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
       and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped)`)
  const expected = Object.entries(withoutOrganisation).map(([name, { roles }]) => ({ name, roles }))
  const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)
  expect(tables.toSorted(byName)).toEqual(expected.toSorted(byName))
})

test('no view and no foreign table bypasses the locks', async () => {
  const others = await asSuperuser(`
    select relname as name, relkind as kind from pg_class
     where relnamespace = 'public'::regnamespace and relkind not in ('r', 'p', 'i', 'I', 'S', 't', 'c')`)
  expect(others).toEqual([])
})

test.each(modes)(
  'a query without an organisation returns nothing to the application role, for any table: %s',
  async (mode) => {
    const tables = await tenantTables()
    await asClient(addresses[mode](), async (client) => {
      for (const { name, readable } of tables) {
        const asked = client.query(`select count(*)::integer as rows from ${name}`).then(({ rows }) => rows)
        if (readable) expect(await asked, name).toEqual([{ rows: 0 }])
        else await expect(asked, name).rejects.toThrow('permission denied')
      }
    })
  },
)

test.each(modes)('a query for one organisation sees only its rows: %s', async (mode) => {
  const seen = await asClient(addresses[mode](), async (client) => {
    await client.query('begin')
    await client.query(`select set_config('app.org_id', '${orgs[0]}', true)`)
    return (await client.query('select distinct org_id from runs')).rows
  })
  expect(seen).toEqual([{ org_id: orgs[0] }])
})

test.each(modes)('a row cannot be written into another organisation: %s', async (mode) => {
  const write = asClient(addresses[mode](), async (client) => {
    await client.query('begin')
    await client.query(`select set_config('app.org_id', '${orgs[0]}', true)`)
    await client.query(insertRun(orgs[1], '0199aaaa-0000-7000-8000-000000000009'))
  })
  await expect(write).rejects.toThrow('row-level security')
})

test('no partition can be read directly, by any role of the service except the owner', async () => {
  const partitions = await asSuperuser<{ name: string; readers: string[] }>(`
    select c.relname as name,
           array(select r.rolname::text from pg_roles r
                  where r.rolname in ('ars_app', 'ars_auth', 'ars_backup', 'ars_batch', 'ars_feed', 'ars_system')
                    and has_table_privilege(r.oid, c.oid, 'select, insert, update, delete')) as readers
      from pg_class c where c.relispartition and c.relkind = 'r'`)
  expect(partitions.length).toBeGreaterThanOrEqual(5 * 15)
  expect(partitions.filter(({ readers }) => readers.length > 0)).toEqual([])
  for (const mode of modes)
    await expect(asApp(`select from ${partitions[0]?.name}`, mode)).rejects.toThrow('permission denied')
})

test('the service’s roles own nothing and bypass nothing', async () => {
  const roles = await asSuperuser(`
    select rolname as name, rolsuper as super, rolbypassrls as bypasses, rolcreaterole as creates_roles, rolcreatedb as creates_databases,
           exists (select from pg_shdepend d where d.refclassid = 'pg_authid'::regclass and d.refobjid = r.oid
             and d.deptype = 'o' and d.dbid in (0, (select oid from pg_database where datname = current_database()))) as owns,
           rolcanlogin as logs_in, rolinherit as inherits,
           array(select pg_get_userbyid(m.roleid)::text from pg_auth_members m where m.member = r.oid) as belongs_to
      from pg_roles r where rolname like 'ars\\_%' and rolname not like '%\\_in\\_%' and rolname <> 'ars_owner' order by 1`)
  const role = (name: string) => ({
    name,
    bypasses: false,
    super: false,
    creates_roles: false,
    creates_databases: false,
    owns: false,
    logs_in: true,
    inherits: true,
    belongs_to: [],
  })
  // ars_app has the rights of ars_batch only in a transaction that changes to it.
  expect(roles).toEqual([
    { ...role('ars_app'), inherits: false, belongs_to: ['ars_batch'] },
    role('ars_auth'),
    // It logs in where a password was given to db/roles.sql.
    { ...role('ars_backup'), logs_in: false },
    { ...role('ars_batch'), inherits: false, logs_in: false },
    role('ars_feed'),
    role('ars_system'),
  ])
})

const asBatch = <Row>(seen: readonly string[], sql: string, mode: AddressMode = 'an address for each role') =>
  asClient(addresses[mode](), async (client) => {
    await client.query('begin')
    await client.query(`select set_config('role', 'ars_batch', true), set_config('app.org_ids', $1, true)`, [
      `{${seen.join()}}`,
    ])
    return (await client.query(sql)).rows as Row[]
  })

test.each(modes)('the role of batches sees the organisations of its batch and no other: %s', async (mode) => {
  expect(await asBatch([orgs[0]], 'select org_id from runs', mode)).toEqual([{ org_id: orgs[0] }])
  expect(await asBatch(orgs, 'select org_id from runs order by org_id', mode)).toEqual(
    orgs.map((org_id) => ({ org_id })),
  )
  expect(await asBatch([orgs[1]], 'select id from organisations', mode)).toEqual([{ id: orgs[1] }])
  expect(await asBatch([], 'select org_id from runs', mode)).toEqual([])
  const unnamed = asClient(addresses[mode](), async (client) => {
    await client.query('begin; set local role ars_batch')
    return (await client.query('select org_id from runs')).rows
  })
  expect(await unnamed).toEqual([])
})

test.each(modes)('the role of batches writes no row of an organisation outside its batch: %s', async (mode) => {
  const write = asBatch([orgs[0]], insertRun(orgs[1], '0199aaaa-0000-7000-8000-000000000009'), mode)
  await expect(write).rejects.toThrow('row-level security')
})

test.each(modes)(
  'the role of the API does not have the rights of the role of batches unless it changes to it: %s',
  async (mode) => {
    const seen = asClient(addresses[mode](), async (client) => {
      await client.query('begin')
      await client.query(`select set_config('app.org_ids', '{${orgs.join()}}', true)`)
      return (await client.query('select org_id from runs')).rows
    })
    expect(await seen).toEqual([])
  },
)

test('the role of batches has the rights that the four statements of runs need, and no other', async () => {
  const rights = await asSuperuser<{ name: string; rights: string }>(`
    select c.relname as name, (
        select string_agg(right_name || case when has_table_privilege('ars_batch', c.oid, right_name) then '' else ' of columns' end, ', ')
          from unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) as right_name
         where has_table_privilege('ars_batch', c.oid, right_name)
            or case when right_name in ('select', 'insert', 'update') then has_any_column_privilege('ars_batch', c.oid, right_name) else false end
      ) as rights
      from pg_class c where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace`)
  const has = rights.filter((each) => each.rights !== null).map(({ name, rights: list }) => [name, list])
  expect(Object.fromEntries(has)).toEqual({
    agent_versions: 'select of columns',
    agents: 'select of columns',
    budget_spend: 'select of columns',
    budgets: 'select of columns',
    call_counts: 'select, insert, update',
    cell: 'select of columns',
    events: 'insert',
    idempotency_keys: 'select, insert, update, delete',
    organisations: 'select of columns',
    outbox: 'select, delete',
    run_deltas: 'insert',
    run_events: 'select of columns, insert',
    run_heads: 'select, insert, update, delete',
    run_labels: 'select of columns, insert',
    run_results: 'insert',
    run_steps: 'insert',
    runs: 'select of columns, insert',
  })
})

test('the role of the feed reads numbers and states, and no content', async () => {
  const readable = await asSuperuser<{ column: string }>(`
    select c.relname || '.' || a.attname as column from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped
       and has_column_privilege('ars_feed', c.oid, a.attnum, 'select') and c.relname not in ('gateways', 'migrations', 'schema_functions') order by 1`)
  expect(readable.map(({ column }) => column)).toEqual([
    'closed_organisations.id',
    'event_clock.epoch',
    'event_clock.position',
    'events.id',
    'events.org_id',
    'events.position',
    'run_heads.run_id',
    'run_heads.seq',
    'run_heads.status',
  ])
})

test('the role of the API creates no organisation and does not change its plan', async () => {
  const id = '0199aaaa-0000-7000-8000-00000000000a'
  for (const mode of modes) {
    const made = asApp(`insert into organisations (id, name) values ('${id}', 'x')`, mode)
    await expect(made).rejects.toThrow('permission denied')
    await expect(asApp(`update organisations set plan = 'enterprise'`, mode)).rejects.toThrow('permission denied')
  }
})

// Such a function gives its owner's rights to its callers, so each has its reason and its callers.
const definers: Readonly<Record<string, { reason: string; roles: string[] }>> = {
  admit_runs: {
    reason: 'what the cell executes is shared by all organisations; it changes nothing but who is admitted',
    roles: ['ars_app', 'ars_batch', 'ars_system'],
  },
  append_audit: {
    reason: 'the log is written by this function only; row-level security holds it to the transaction’s organisation',
    roles: ['ars_app', 'ars_auth', 'ars_system'],
  },
  drop_partition: {
    reason: 'only the owner can drop a table; it drops none but old day partitions',
    roles: ['ars_system'],
  },
  make_partition: {
    reason: 'only the owner can make a table; it makes none but partitions of listed tables',
    roles: ['ars_system'],
  },
  note_moved_day: {
    reason:
      'a trigger, which only the owner sets; it notes the name of a partition in a table that its writer may not use',
    roles: [],
  },
}

test('functions with their owner’s rights are on this list, and closed to all but their callers', async () => {
  const found = await asSuperuser(`
    select proname as name, pg_get_userbyid(proowner) as owner,
           exists (select from aclexplode(coalesce(proacl, acldefault('f', proowner))) where grantee = 0) as open,
           (select setting from unnest(proconfig) as setting where setting like 'search_path=%') as path,
           array(select r.rolname::text from pg_roles r where r.rolname in ('ars_app', 'ars_auth', 'ars_backup', 'ars_batch', 'ars_feed', 'ars_system')
                  and has_function_privilege(r.oid, p.oid, 'execute') order by 1) as roles
      from pg_proc p where prosecdef and pronamespace = 'public'::regnamespace order by 1`)
  const expected = Object.entries(definers).map(([name, { roles }]) => ({
    name,
    roles,
    owner: 'ars_owner',
    open: false,
    path: 'search_path=public, pg_temp',
  }))
  expect(found).toEqual(expected)
  await expect(asApp(`select make_partition('runs', '2020-01-01', 1)`)).rejects.toThrow('permission denied')
  await expect(asApp(`select drop_partition('runs', '2020-01-01')`)).rejects.toThrow('permission denied')
})

const orgs = ['0199aaaa-0000-7000-8000-00000000000a', '0199aaaa-0000-7000-8000-00000000000b'] as const

const insertRun = (org: string, id: string): string =>
  `insert into runs (input_bytes, created_by, created_by_type, id, org_id, agent_id, agent_version, input, timeout_seconds)
   values (2, '01890a5d-ac96-774b-bcce-b302099a80ff'::uuid, 'key', uuid_floor(app_now()), '${org}', '${id}', 1, '{}', 60)`

const plantRows = () =>
  asClient(database.superuserUrl, async (client) => {
    for (const [at, org] of orgs.entries()) {
      await client.query(`insert into organisations (id, name) values ('${org}', 'planted')`)
      await client.query(
        insertRun(org, org).replace('uuid_floor(app_now())', `uuid_floor(app_now() + interval '${at} seconds')`),
      )
      await client.query(`insert into call_counts values ('${org}', '2026-11-01', 1, 1)`)
    }
  })
