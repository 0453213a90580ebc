import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { arsServer, stackSettings } from './ars-server.slow.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** `ars-server` as an operator calls it. */
const call = async (args: string[], changes: Record<string, string> = {}) => {
  const env = { ...stackSettings(database), ARS_PUBLIC_URL: 'https://ars.example.com', ...changes }
  const { code, stdout: out, stderr: err } = await arsServer(args, env)
  return { code, out, err }
}

const json = async (args: string[]) => {
  const { code, out, err } = await call([...args, '--json'])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out)
}

const newOrg = (name: string) => json(['admin', 'create-org', '--name', name, '--owner-email', 'Ada@Example.com'])

test('an operator limits the life of keys', async () => {
  const { organisation } = await newOrg('Short Lives')
  expect(await json(['admin', 'set-key-policy', '--org', organisation, '--max-days', '90'])).toEqual({
    organisation,
    max_key_lifetime_days: 90,
  })
  expect(await call(['admin', 'create-key', '--org', organisation, '--name', 'for ever'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('at most 90 days'),
  })
})

test('an operator creates an organisation, gets a link for its owner, sets its plan and creates a key', async () => {
  const made = await newOrg('Analytical Engines')
  expect(made).toMatchObject({
    organisation: expect.stringMatching(/^org_/),
    plan: 'none',
    owner_email: 'ada@example.com',
    invitation_link: expect.stringMatching(
      /^https:\/\/ars\.example\.com\/dashboard\/invitation#token=[A-Za-z0-9_-]{43}$/,
    ),
  })
  const org = ['--org', made.organisation]
  expect(await json(['admin', 'set-plan', ...org, '--plan', 'enterprise', '--burst', '77'])).toMatchObject({
    plan: 'enterprise',
    burst: 77,
    requests_per_minute: 10_000,
  })
  expect(await json(['admin', 'set-limits', ...org, '--concurrent-runs', '80', '--burst', 'plan'])).toMatchObject({
    plan: 'enterprise',
    burst: 15_000,
    concurrent_runs: 80,
    own_limits: ['concurrent_runs'],
  })
  const key = await json(['admin', 'create-key', ...org, '--name', 'first', '--scopes', 'runs:read, runs:write'])
  expect(key).toMatchObject({ kind: 'live', api_key: expect.stringMatching(/^ars_live_/) })
  const demo = await call(['admin', 'create-key', ...org, '--name', 'demo', '--demo'])
  expect(demo.out).toMatch(
    /^Key {2}ars_demo_\w+\nId {3}key_\w+ {2}demo, demo, of org_\w+\nThe key is not shown again\.\n$/,
  )
  const listed = await call(['admin', 'list-orgs'])
  expect(listed.out).toContain(`${made.organisation}  enterprise`)
})

test('plans are printed as a file, and a changed file is applied to the organisations of the plan', async () => {
  const { organisation } = await newOrg('Follows')
  const { out: printed } = await call(['admin', 'plans'])
  expect(printed).toContain('none:\n  requests_per_minute: 10000\n')
  const folder = mkdtempSync(join(tmpdir(), 'ars-plans-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'plans.yaml')
  writeFileSync(file, printed.replace('none:\n  requests_per_minute: 10000', 'none:\n  requests_per_minute: 9000'))
  const applied = await call(['admin', 'plans', '--apply', '--json'], { ARS_PLANS_FILE: file })
  expect(JSON.parse(applied.out).changed).toBeGreaterThan(0)
  expect(await json(['admin', 'set-limits', '--org', organisation, '--burst', '9'])).toMatchObject({ burst: 9 })
  writeFileSync(file, 'none: { burst: 0 }')
  expect(await call(['admin', 'plans', '--apply'], { ARS_PLANS_FILE: file })).toMatchObject({
    code: 2,
    err: expect.stringContaining('none.burst: must be a whole number'),
  })
})

test('one address is enough to migrate and to create, export and delete an organisation', async () => {
  const one = await createTestDatabase()
  onTestFinished(() => one.drop())
  const env = {
    ...stackSettings(one),
    ARS_DATABASE_URL: await one.makeOneAddress(),
    ARS_DATABASE_AUTH_URL: '',
    ARS_DATABASE_FEED_URL: '',
    ARS_DATABASE_SYSTEM_URL: '',
  }
  expect(await arsServer(['migrate'], env)).toMatchObject({ code: 0, stdout: 'The schema is up to date.\n' })
  const made = await arsServer(['admin', 'create-org', '--name', 'One', '--owner-email', 'a@b.test', '--json'], env)
  const { organisation: org } = JSON.parse(made.stdout)
  const folder = mkdtempSync(join(tmpdir(), 'ars-one-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  expect(await arsServer(['admin', 'export-org', '--org', org, '--to', join(folder, 'x')], env)).toMatchObject({
    code: 0,
  })
  expect(await arsServer(['admin', 'delete-org', '--org', org, '--confirm', 'One'], env)).toMatchObject({ code: 0 })
  const partly = { ...env, ARS_DATABASE_AUTH_URL: one.authUrl }
  expect(await arsServer(['admin', 'list-orgs'], partly)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('ARS_DATABASE_FEED_URL: is missing'),
  })
})

test('a password reset link is created only for an existing person', async () => {
  const { code, err, out } = await call(['admin', 'reset-password', '--email', 'nobody@example.com'])
  expect({ code, err, out }).toEqual({
    code: 1,
    err: 'No user has the e-mail address nobody@example.com.\n',
    out: '',
  })
})

test.for([
  [['admin', 'create-org', '--name', 'x'], 2, '--owner-email is required'],
  [['admin', 'create-org', '--name', 'x', '--owner-email', 'a@b', '--plan', 'gold'], 2, '--plan: must be one of demo'],
  [['admin', 'set-plan', '--org', 'x', '--plan', 'free'], 2, 'x is not the id of an organisation'],
  [['admin', 'set-plan', '--org', `org_${'0'.repeat(26)}`, '--plan', 'free'], 1, 'No organisation org_0'],
  [['admin', 'set-plan', '--org', `org_${'0'.repeat(26)}`, '--plan', 'free', '--burst', '1e3'], 2, 'is not an integer'],
  [
    ['admin', 'create-key', '--org', `org_${'0'.repeat(26)}`, '--name', 'n', '--scopes', '*'],
    2,
    'unknown scope *. The scopes are',
  ],
  [['admin', 'list-orgs', '--colour'], 2, 'ars-server admin list-orgs [--json]'],
  [['admin', 'frobnicate'], 2, 'Unknown command admin frobnicate.'],
  [[], 2, 'No command given.'],
] as const)('%j is refused with exit code %i, and the message says why', async ([args, exitCode, why]) => {
  const { code, err, out } = await call([...args])
  expect({ code, out }).toEqual({ code: exitCode, out: '' })
  expect(err).toContain(why)
  expect(err).not.toMatch(/^\s+at /m)
})

test('every command describes its options, and an unavailable database is reported on one line', async () => {
  const all = await call(['--help'])
  expect(all).toMatchObject({ code: 0, err: '' })
  expect(all.out).toContain('ars-server admin create-org')
  const one = await call(['admin', 'set-plan', '--help'])
  expect(one).toMatchObject({ code: 0, err: '' })
  expect(one.out).toContain('--calls-per-month N')
  const away = { ARS_DATABASE_AUTH_URL: 'postgres://nobody@127.0.0.1:1/none' }
  const { code, err } = await call(['admin', 'list-orgs'], away)
  expect(code).toBe(1)
  expect(err).toMatch(/^Cannot connect to the database: .+\n$/)
})

test('a command that cannot read the models file reports why and exits', async () => {
  const { code, err } = await call(['admin', 'seed'], { ARS_MODELS_FILE: '/nowhere/models.yaml' })
  expect(code).not.toBe(0)
  expect(err).toContain('/nowhere/models.yaml')
})

test('a seeded organisation has an owner with a password, and a second call answers the same owner', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'seed-'))
  try {
    const args = ['admin', 'seed', '--key-file', join(folder, 'key'), '--owner-file', join(folder, 'owner')]
    const first = await json(args)
    expect(await json(args)).toEqual(first)
    expect(first.owner).toEqual({ email: 'owner@example.com', password: expect.stringMatching(/^[\w-]{16}$/) })
    const members = await asClient(database.superuserUrl, (client) =>
      client.query('select email, role from members join users on users.id = members.user_id where org_id = $1', [
        first.organisation,
      ]),
    )
    expect(members.rows).toEqual([{ email: 'owner@example.com', role: 'owner' }])
    expect(statSync(join(folder, 'owner')).mode & 0o777).toBe(0o600)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('an operator sees for whom the workers work', async () => {
  await newOrg('Busy')
  expect((await call(['admin', 'work'])).out).toBe('Nothing is due, and no queue had a turn in the last hour.\n')
  await asClient(database.superuserUrl, async (client) => {
    await client.query(
      `insert into work_uses (org_id, queue, slot, since, turns, turn_ms)
       select id, 'batches', 0, app_now() - interval '5 minutes', 3, 1500 from organisations where name = 'Busy'`,
    )
  })
  const { work } = (await json(['admin', 'work'])) as { work: [{ org_id: string }] }
  expect(work).toMatchObject([
    { org_id: expect.stringMatching(/^org_/), queue: 'batches', turns: 3, turn_seconds: 1.5 },
  ])
  const { out } = await call(['admin', 'work', '--org', work[0].org_id])
  expect(out).toMatch(
    /^organisation +queue +in work +due +oldest due +turns \(1 h\) +time \(1 h\)\norg_\w+ +batches +0 +0 +- +3 +1\.5 s\n$/,
  )
  await asClient(database.superuserUrl, (client) => client.query('delete from work_uses'))
})

test('an operator creates missing partitions by hand', async () => {
  await asClient(database.ownerUrl, async (owner) => {
    const { rows } = await owner.query<{ name: string }>(
      `select name from partition_days() where parent = 'runs' order by first_day desc limit 2`,
    )
    for (const { name } of rows) await owner.query(`drop table ${name}`)
    expect(rows).toHaveLength(2)
  })
  const made = await json(['admin', 'partitions'])
  expect(made).toMatchObject({
    created: 2,
    tables: expect.arrayContaining([expect.objectContaining({ table: 'runs', count: 16 })]),
  })
  const again = await call(['admin', 'partitions'])
  expect(again.out).toContain('0 partitions created.')
  expect(again.out).toMatch(/^run_deltas +\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d {2}16 partitions$/m)
})
