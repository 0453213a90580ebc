import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromUuid } from '@ars/platform/id'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tablesOfNobody } from '../src/admin/organisation-rows.store.ts'
import { arsServer, stackSettings } from './ars-server.slow.ts'
import { listTenantTables, plantEverywhere, plantedSecret as secret } from './planted-rows.ts'

let database: TestDatabase
const dir = mkdtempSync(join(tmpdir(), 'ars-organisation-'))
const mine = '0199aaaa-0000-7000-8000-00000000000a'
const theirs = '0199aaaa-0000-7000-8000-00000000000b'

beforeAll(async () => {
  database = await createTestDatabase()
  await asSuperuser(`insert into organisations (id, name) values ('${mine}', 'Mine'), ('${theirs}', 'Theirs')`)
  await plantEverywhere(database, [mine, theirs])
})
afterAll(async () => {
  await database?.drop()
  rmSync(dir, { recursive: true, force: true })
})

const asSuperuser = <Row>(sql: string, values: unknown[] = []) =>
  asClient(database.superuserUrl, async (client) => (await client.query(sql, values)).rows as Row[])

const call = (args: string[], changes: Record<string, string> = {}) =>
  arsServer(args, { ...stackSettings(database), ARS_DATABASE_OWNER_URL: database.ownerUrl, ...changes })

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

test('an export has every table of the schema, or the reason why it belongs to no organisation', async () => {
  const to = join(dir, 'export')
  const { code, stdout, stderr } = await call([
    ...['admin', 'export-org', '--org', fromUuid('org', mine), '--to', to, '--json'],
  ])
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('runs: 1 rows') })
  const tables = await listTenantTables(database)
  const all = await asSuperuser<{ name: string }>(`
    select relname as name from pg_class
     where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace`)
  const exported = readdirSync(to).filter((name) => name.endsWith('.jsonl'))
  expect([...exported.map((name) => name.replace('.jsonl', '')), ...Object.keys(tablesOfNobody)].toSorted()).toEqual(
    all.map(({ name }) => name).toSorted(),
  )
  const manifest = JSON.parse(readFileSync(join(to, 'manifest.json'), 'utf8'))
  expect(manifest).toMatchObject({ organisation: fromUuid('org', mine), name: 'Mine' })
  expect(JSON.parse(stdout)).toMatchObject({ tables: exported.length, rows: tables.length + 1 })
  for (const { table, rows, sha256: sum } of manifest.tables) {
    const bytes = readFileSync(join(to, `${table}.jsonl`))
    expect({ table, sum }).toEqual({ table, sum: sha256(bytes) })
    const lines = bytes.toString('utf8').split('\n').slice(0, -1)
    expect({ table, rows }).toEqual({ table, rows: lines.length })
    if (!tables.includes(table)) continue
    expect({ table, orgs: lines.map((line) => JSON.parse(line).org_id) }).toEqual({ table, orgs: [mine] })
    if (!table.startsWith('audit'))
      expect({ table, has: bytes.includes(secret.toString('hex')) }).toEqual({ table, has: false })
  }
  expect(manifest.tables.find(({ table }: { table: string }) => table === 'api_keys').left_out).toEqual(['hash'])
  const modeOf = (path: string): number => statSync(path).mode & 0o777
  expect(modeOf(to)).toBe(0o700)
  expect([...new Set(readdirSync(to).map((name) => modeOf(join(to, name))))]).toEqual([0o600])
})

test('an export refuses an unknown organisation and a folder with files, and leaves nothing behind', async () => {
  const unknown = fromUuid('org', '0199aaaa-0000-7000-8000-0000000000ff')
  const to = join(dir, 'unknown')
  expect(await call(['admin', 'export-org', '--org', unknown, '--to', to])).toMatchObject({
    code: 1,
    stderr: `No organisation ${unknown}\n`,
  })
  expect(readdirSync(dir).filter((name) => name.startsWith('unknown'))).toEqual([])
  expect(await call(['admin', 'export-org', '--org', unknown, '--to', dir])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not empty'),
  })
})

const rowsOf = async (org: string): Promise<Record<string, string[]>> => {
  const found: Record<string, string[]> = {}
  for (const table of await listTenantTables(database))
    found[table] = (
      await asSuperuser<{ row: string }>(
        `select to_json(t)::text as row from ${table} t where org_id = $1 order by 1`,
        [org],
      )
    ).map(({ row }) => row)
  return found
}

const deleteOrg = (confirm: string) =>
  call(['admin', 'delete-org', '--org', fromUuid('org', mine), '--confirm', confirm, '--json'])

test('an organisation is deleted completely, after an interruption too, and every other row stays', async () => {
  const [onlyHere, alsoThere] = ['0199aaaa-0000-7000-8000-0000000000c1', '0199aaaa-0000-7000-8000-0000000000c2']
  await asSuperuser(
    `insert into users (id, email, name) values ('${onlyHere}', 'a@example.com', 'A'), ('${alsoThere}', 'b@example.com', 'B')`,
  )
  await asSuperuser(`insert into members (id, org_id, user_id, role) values
    (gen_random_uuid(), '${mine}', '${onlyHere}', 'owner'), (gen_random_uuid(), '${mine}', '${alsoThere}', 'viewer'),
    (gen_random_uuid(), '${theirs}', '${alsoThere}', 'owner')`)
  const before = await rowsOf(theirs)
  const counted = async (): Promise<number> => Object.values(await rowsOf(mine)).flat().length

  const all = await counted()
  expect(await deleteOrg('mine')).toMatchObject({ code: 1, stderr: expect.stringContaining('is called "Mine"') })
  expect(await counted()).toBe(all)

  // A command that is interrupted has revoked the keys and deleted some tables.
  await asSuperuser(
    `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'interrupted'; end $$`,
  )
  await asSuperuser('create trigger refuse before delete on users for each row execute function refuse()')
  expect((await deleteOrg('Mine')).code).not.toBe(0)
  expect(await counted()).toBeLessThan(all)
  expect(await asSuperuser(`select from users where id = '${onlyHere}'`)).toHaveLength(1)
  await asSuperuser('drop trigger refuse on users')

  const { code, stdout, stderr } = await deleteOrg('Mine')
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('organisation deleted') })
  expect(JSON.parse(stdout)).toMatchObject({
    organisation: fromUuid('org', mine),
    checked_tables: Object.keys(before).length + 1,
  })
  expect(await counted()).toBe(0)
  expect(await asSuperuser('select id from organisations')).toEqual([{ id: theirs }])
  expect(await asSuperuser('select id from users order by id')).toEqual([{ id: alsoThere }])
  expect(await rowsOf(theirs)).toEqual(before)

  expect(await deleteOrg('Mine')).toMatchObject({ code: 1, stderr: expect.stringContaining('No organisation') })
})
