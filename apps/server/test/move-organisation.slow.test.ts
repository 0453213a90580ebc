import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyring, type LocalKek, parseKek } from '@ars/platform/envelope'
import { fromUuid } from '@ars/platform/id'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { arsServer, stackSettings } from './ars-server.slow.ts'
import { dropConstraints, listTenantTables, plantEverywhere } from './planted-rows.ts'

let source: TestDatabase
let target: TestDatabase
const dir = mkdtempSync(join(tmpdir(), 'ars-move-'))
const mine = '0199aaaa-0000-7000-8000-00000000000a'
const theirs = '0199aaaa-0000-7000-8000-00000000000b'
const person = '0199aaaa-0000-7000-8000-0000000000c1'
const kek = `dev:${randomBytes(32).toString('base64')}`
/** Each test starts the program several times. */
const patienceMs = 600_000

beforeAll(async () => {
  ;[source, target] = [await createTestDatabase(), await createTestDatabase()]
  const organisations = `insert into organisations (id, name, stored_bytes) values ('${mine}', 'Mine', 12), ('${theirs}', 'Theirs', 0)`
  await inSource(organisations)
  await plantEverywhere(source, [mine, theirs])
  // The rows refer to nothing, and no worker is there to give the event a position.
  await dropConstraints(target, ['c', 'f'])
  await inSource('update events set position = 7')
  await inSource('update event_clock set position = 7')
  await inSource(`update run_heads set is_admitted = true, status = 'running' where org_id = '${mine}'`)
  const { wrapped } = await createKeyring({ keks: [parseKek(kek) as LocalKek], activeKekId: 'dev' }).newDataKey(mine)
  await inSource('update org_keys set wrapped = $1 where org_id = $2', [wrapped, mine])
  await inSource(
    `insert into users (id, email, name, email_proven_at) values ('${person}', 'a@example.com', 'A', app_now())`,
  )
  await inSource(
    `insert into members (id, org_id, user_id, role) values (gen_random_uuid(), '${mine}', '${person}', 'owner')`,
  )
}, patienceMs)
afterAll(async () => {
  await Promise.all([source?.drop(), target?.drop()])
  rmSync(dir, { recursive: true, force: true })
})

const rowsIn = <Row>(database: TestDatabase, sql: string, values: unknown[] = []) =>
  asClient(database.superuserUrl, async (client) => (await client.query(sql, values)).rows as Row[])
const inSource = <Row>(sql: string, values: unknown[] = []) => rowsIn<Row>(source, sql, values)
const inTarget = <Row>(sql: string, values: unknown[] = []) => rowsIn<Row>(target, sql, values)

const settings = (database: TestDatabase, keks = kek) => ({
  ...stackSettings(database),
  ARS_DATABASE_OWNER_URL: database.ownerUrl,
  ARS_KEKS: keks,
})

const move = (options: { more?: string[]; keks?: string; org?: string } = {}) => {
  const file = join(dir, 'target.env')
  const lines = Object.entries(settings(target, options.keks)).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(file, lines.join(''), { mode: 0o600 })
  const org = fromUuid('org', options.org ?? mine)
  return arsServer(
    ['admin', 'move-org', '--org', org, '--to', file, '--json', ...(options.more ?? [])],
    settings(source),
  )
}

/** Without what the other cell decides anew. */
const rowsOf = async (database: TestDatabase, org: string): Promise<Record<string, unknown[]>> => {
  const found: Record<string, unknown[]> = {}
  for (const table of await listTenantTables(database)) {
    const rows = await rowsIn<{ row: Record<string, unknown> }>(
      database,
      `select to_json(t) as row from ${table} t where org_id = $1 order by t::text`,
      [org],
    )
    found[table] = rows.map(({ row: { epoch, moved_in, progress_at, ...row } }) =>
      table === 'run_heads' ? row : { ...row, epoch, moved_in, progress_at },
    )
  }
  return found
}

test('a move is refused without a trace if the other cell does not fit', { timeout: patienceMs }, async () => {
  const before = await rowsOf(source, mine)
  const other = `dev:${randomBytes(32).toString('base64')}`
  expect(await move({ keks: other })).toMatchObject({ code: 1, stderr: expect.stringContaining('key-encryption key') })

  await inTarget(`insert into migrations (name, hash) values ('9999_later', '')`)
  expect(await move()).toMatchObject({ code: 1, stderr: expect.stringContaining('Only there: 9999_later') })
  await inTarget(`delete from migrations where name = '9999_later'`)

  await inTarget(`insert into organisations (id, name) values ('${mine}', 'Mine')`)
  expect(await move()).toMatchObject({ code: 1, stderr: expect.stringContaining('has this organisation already') })
  await inTarget(`delete from organisations where id = '${mine}'`)

  await inTarget(
    `insert into users (id, email, name, email_proven_at) values (gen_random_uuid(), 'a@example.com', 'B', app_now())`,
  )
  expect(await move()).toMatchObject({ code: 1, stderr: expect.stringContaining('a@example.com') })
  await inTarget('delete from users')

  expect(await move({ org: '0199aaaa-0000-7000-8000-0000000000ff' })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('No organisation'),
  })
  expect(await rowsOf(source, mine)).toEqual(before)
  expect(Object.values(await rowsOf(target, mine)).flat()).toEqual([])
  expect(await inSource('select id from closed_organisations')).toEqual([])
})

test('a move that was interrupted before the other cell has it can be ended', { timeout: patienceMs }, async () => {
  await inSource(
    `insert into closed_organisations (id, state, target)
     select $1, 'moving', (select system_identifier from pg_control_system()) || '/' || oid from pg_database where datname = $2`,
    [mine, target.name],
  )
  // Copied ahead.
  await inTarget('insert into run_labels (org_id, key, value, run_id) values ($1, $2, $3, uuid_floor(app_now()))', [
    ...[mine, 'a', 'b'],
  ])
  expect(
    await arsServer(['admin', 'delete-org', '--org', fromUuid('org', mine), '--confirm', 'Mine'], settings(source)),
  ).toMatchObject({ code: 1, stderr: expect.stringContaining('moves to another cell') })
  const { code, stdout, stderr } = await move({ more: ['--abort'] })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject({ state: 'open', was_closed: true, deleted_rows: 1 })
  expect(await inSource('select id from closed_organisations')).toEqual([])
  expect(await inTarget('select run_id from run_labels')).toEqual([])
})

test('every row of every table arrives as it was, and nothing of it starts in the cell that it left', {
  timeout: patienceMs,
}, async () => {
  const before = await rowsOf(source, mine)
  const others = await rowsOf(source, theirs)
  const { outbox, ...expected } = before
  for (const [table, rows] of Object.entries(before))
    expect({ table, rows: rows.length }).not.toEqual({ table, rows: 0 })
  const { code, stdout, stderr } = await move()
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('organisation moved') })
  expect(JSON.parse(stdout)).toMatchObject({ state: 'moved', runs_under_way: 1, pause_ms: expect.any(Number) })

  const { outbox: ordered, ...arrived } = await rowsOf(target, mine)
  expect(arrived).toEqual(expected)
  const [head] = await inTarget<{ run_id: string; epoch: number }>('select run_id, epoch from run_heads')
  expect(ordered).toMatchObject([{ run_id: head?.run_id, epoch: head?.epoch }])
  expect(head?.epoch).toBe(1)
  expect(outbox).toHaveLength(1)
  expect(await inTarget('select name, stored_bytes from organisations')).toEqual([{ name: 'Mine', stored_bytes: '12' }])
  expect(await inTarget('select id from users')).toEqual([{ id: person }])
  // New events of the other cell come after those that it got, which are counted already.
  const clocks = await inTarget<{ position: string }>(
    'select position from event_clock union all select position from usage_cursor',
  )
  for (const { position } of clocks) expect(Number(position)).toBeGreaterThan(7)

  expect(await inSource('select state from closed_organisations')).toEqual([{ state: 'moved' }])
  const left = await rowsOf(source, mine)
  for (const table of ['run_heads', 'outbox', 'schedules', 'delivery_heads', 'pipeline_heads'])
    expect({ table, rows: left[table] }).toEqual({ table, rows: [] })
  expect(await rowsOf(source, theirs)).toEqual(others)
})

test('a move that was interrupted after the other cell has it is finished, and the rest is deleted', {
  timeout: patienceMs,
}, async () => {
  await inSource(`update closed_organisations set state = 'moving'`)
  expect(await move({ more: ['--abort'] })).toMatchObject({ code: 1, stderr: expect.stringContaining('Move it back') })
  const { code, stdout } = await move()
  expect({ code, facts: JSON.parse(stdout) }).toMatchObject({ code: 0, facts: { state: 'moved', pause_ms: null } })
  expect(await inSource('select state from closed_organisations')).toEqual([{ state: 'moved' }])

  const deletion = ['admin', 'delete-org', '--org', fromUuid('org', mine), '--confirm', 'Mine']
  expect(await arsServer(deletion, settings(source))).toMatchObject({ code: 0 })
  expect(await inSource('select id from closed_organisations')).toEqual([])
  expect(await inSource('select id from organisations')).toEqual([{ id: theirs }])
  expect(await inTarget('select id from organisations')).toEqual([{ id: mine }])
})
