import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const asSuperuser = <Row>(sql: string) =>
  asClient(database.superuserUrl, async (client) => (await client.query(sql)).rows as Row[])
const asApp = <Row>(sql: string) => asClient(database.appUrl, async (client) => (await client.query(sql)).rows as Row[])

const tenantTables = () =>
  asSuperuser<{ name: string; forced: boolean; enabled: boolean; reads: boolean; writes: boolean }>(`
    select c.relname as name, c.relforcerowsecurity as forced, c.relrowsecurity as enabled,
           coalesce(bool_or(p.polqual is not null and p.polcmd = '*'), false) as reads,
           coalesce(bool_or(p.polwithcheck is not null and p.polcmd = '*'), false) as writes
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped
      left join pg_policy p on p.polrelid = c.oid
     where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
     group by c.oid order by 1`)

test('every table that holds an organisation’s rows is locked to that organisation, for reads and for writes', async () => {
  const tables = await tenantTables()
  expect(tables.length).toBeGreaterThanOrEqual(11)
  for (const table of tables) expect(table).toMatchObject({ forced: true, enabled: true, reads: true, writes: true })
})

test('a query without an organisation gives the application role nothing, in any table', async () => {
  await plantRows()
  for (const { name } of await tenantTables()) {
    const [seen] = await asApp<{ rows: number }>(`select count(*)::integer as rows from ${name}`)
    expect({ table: name, ...seen }).toEqual({ table: name, rows: 0 })
  }
})

test('a query for one organisation sees that one’s rows and no other’s', async () => {
  const seen = await asClient(database.appUrl, async (client) => {
    await client.query('begin')
    await client.query(`select set_config('app.org_id', '${orgs[0]}', true)`)
    return (await client.query('select distinct org_id from runs')).rows
  })
  expect(seen).toEqual([{ org_id: orgs[0] }])
})

test('a row cannot be written into another organisation', async () => {
  const write = asClient(database.appUrl, async (client) => {
    await client.query('begin')
    await client.query(`select set_config('app.org_id', '${orgs[0]}', true)`)
    await client.query(insertRun(orgs[1], '0199aaaa-0000-7000-8000-000000000009'))
  })
  await expect(write).rejects.toThrow('row-level security')
})

test('no partition can be read directly, by any role of the service but the owner', async () => {
  const partitions = await asSuperuser<{ name: string; readers: string[] }>(`
    select c.relname as name,
           array(select r.rolname::text from pg_roles r
                  where r.rolname in ('ars_app', 'ars_auth', 'ars_system')
                    and has_table_privilege(r.oid, c.oid, 'select, insert, update, delete')) as readers
      from pg_class c where c.relispartition and c.relkind = 'r'`)
  expect(partitions.length).toBeGreaterThanOrEqual(5 * 15)
  expect(partitions.filter(({ readers }) => readers.length > 0)).toEqual([])
  await expect(asApp(`select from ${partitions[0]?.name}`)).rejects.toThrow('permission denied')
})

test('the service’s roles own nothing and bypass nothing, except the one that must cross organisations', async () => {
  const roles = await asSuperuser(`
    select rolname as name, rolsuper as super, rolbypassrls as bypasses, rolcreaterole as creates_roles, rolcreatedb as creates_databases,
           exists (select from pg_class c where c.relowner = r.oid) as owns
      from pg_roles r where rolname like 'ars\\_%' and rolname <> 'ars_owner' order by 1`)
  const role = (name: string, bypasses: boolean) => ({
    name,
    bypasses,
    super: false,
    creates_roles: false,
    creates_databases: false,
    owns: false,
  })
  expect(roles).toEqual([role('ars_app', false), role('ars_auth', false), role('ars_system', true)])
})

test('functions that run with their owner’s rights are few and known', async () => {
  const definers = await asSuperuser<{ name: string }>(
    `select proname as name from pg_proc where prosecdef and pronamespace = 'public'::regnamespace order by 1`,
  )
  expect(definers).toEqual([{ name: 'drop_partition' }, { name: 'ensure_partitions' }])
  await expect(asApp('select ensure_partitions(14)')).rejects.toThrow('permission denied')
  await expect(asApp(`select drop_partition('runs', '2020-01-01')`)).rejects.toThrow('permission denied')
})

const orgs = ['0199aaaa-0000-7000-8000-00000000000a', '0199aaaa-0000-7000-8000-00000000000b'] as const

const insertRun = (org: string, id: string): string =>
  `insert into runs (id, org_id, agent_id, agent_version, input, timeout_seconds)
   values (uuid_floor(app_now()), '${org}', '${id}', 1, '{}', 60)`

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
