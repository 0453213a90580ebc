import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { migrate } from '@ars/platform/db/migrate'
import { asClient } from '@ars/testkit/client'
import { bareEnv, runProgram } from '@ars/testkit/slow/program'
import { portBlock, reserveFreeBlock } from '@ars/tools/dev/parts/ports'
import { type PostgresPart, postgres, throwawaySettings } from '@ars/tools/dev/parts/postgres'
import { removePostgresHome, settlePostgresHome } from '@ars/tools/dev/parts/postgres-home'
import { repositoryDir, serverProgram } from '@ars/tools/dev/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../lab/condition.ts'

const main = join(repositoryDir, serverProgram)
const dir = mkdtempSync(join(tmpdir(), 'ars-backup-'))
const folder = join(dir, 'backups')
const settings = { ...throwawaySettings, wal_level: 'replica', max_wal_senders: 8 }
const kek = `first:${Buffer.alloc(32, 7).toString('base64')}`
const clusters: { part: PostgresPart; dir: string }[] = []
let block: Awaited<ReturnType<typeof reserveFreeBlock>>
let live: PostgresPart
let follower: ChildProcess

/** A cluster, not yet started. All have the password of the first, because the roles are restored with it. */
const cluster = (name: string): { part: PostgresPart; dataDir: string } => {
  const home = join(dir, name)
  mkdirSync(home, { mode: 0o711 })
  const [first] = clusters
  if (first) copyFileSync(join(first.dir, 'password'), join(home, 'password'))
  const port = portBlock(block.base).postgres + clusters.length
  const part = postgres({ dir: home, port, settings })
  clusters.push({ part, dir: home })
  return { part, dataDir: settlePostgresHome(home, port).dataDir }
}

const arsServer = (args: readonly string[], env: Record<string, string> = {}) =>
  runProgram(main, args, { ARS_DATABASE_BACKUP_URL: live.superuserUrl('ars'), ...env })

const addOrganisation = (name: string): Promise<Date> =>
  asClient(live.url('ars_system'), async (client) => {
    await client.query('insert into organisations (id, name) values (new_uuid(), $1)', [name])
    // A date has milliseconds only: one that is a moment ago would be before the commit. The next commit must be later.
    const { rows } = await client.query<{ at: Date }>("select clock_timestamp() + interval '2 ms' as at")
    await client.query('select pg_sleep(0.005)')
    return rows[0]?.at as Date
  })

const organisationsIn = (part: PostgresPart): Promise<string[]> =>
  asClient(part.superuserUrl('ars'), async (client) => {
    const { rows } = await client.query<{ name: string }>('select name from organisations order by name')
    return rows.map(({ name }) => name)
  })

const isRecovered = (part: PostgresPart): Promise<boolean> =>
  asClient(part.superuserUrl('ars'), async (client) => {
    const { rows } = await client.query<{ recovering: boolean }>('select pg_is_in_recovery() as recovering')
    return rows[0]?.recovering === false
  })

const bytesNotReceived = (): Promise<number | undefined> =>
  asClient(live.superuserUrl('ars'), async (client) => {
    const { rows } = await client.query<{ bytes: string }>(
      'select pg_wal_lsn_diff(pg_current_wal_flush_lsn(), flush_lsn) as bytes from pg_stat_replication',
    )
    return rows[0] === undefined ? undefined : Number(rows[0].bytes)
  })

const switchWal = (): Promise<unknown> =>
  asClient(live.superuserUrl('ars'), (client) => client.query('select pg_switch_wal()'))

beforeAll(async () => {
  chmodSync(dir, 0o711)
  block = await reserveFreeBlock()
  live = cluster('live').part
  await live.start()
  await migrate({ url: live.url('ars_owner'), dir: join(repositoryDir, 'db') })
  follower = spawn(process.execPath, [main, 'backup', folder, '--follow'], {
    env: { ...bareEnv(), ARS_DATABASE_BACKUP_URL: live.superuserUrl('ars') },
    stdio: 'ignore',
  })
  await waitFor('the reception of WAL', async () => (await bytesNotReceived()) === 0, { timeoutMs: 120_000 })
})

afterAll(async () => {
  follower?.kill('SIGTERM')
  for (const { part } of clusters) await part.stop()
  await block?.release()
  for (const each of clusters) removePostgresHome(each.dir)
  rmSync(dir, { recursive: true, force: true })
})

test('a base back-up is verified, names what else must be kept, and holds no key', async () => {
  await addOrganisation('1 before the base back-up')
  writeFileSync(join(dir, 'keks'), kek)
  writeFileSync(join(dir, 'models.yaml'), 'providers: {}\n')
  const files = { ARS_KEK_FILE: join(dir, 'keks'), ARS_MODELS_FILE: join(dir, 'models.yaml') }
  const { code, stdout, stderr } = await arsServer(['backup', folder, '--with-files', '--json'], files)
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('Verifying the checksums') })
  const made = JSON.parse(stdout)
  expect(made).toMatchObject({
    timeline: 1,
    schema: expect.stringMatching(/^(baseline|\d{4}_.+)$/),
    is_wal_followed: true,
    keep_also: expect.arrayContaining([
      { what: 'key-encryption keys', path: join(dir, 'keks'), copied: false },
      { what: 'models file', path: join(dir, 'models.yaml'), copied: true },
    ]),
  })
  expect(readdirSync(join(made.dir, 'files'))).toEqual(['models.yaml'])
  expect(readFileSync(join(made.dir, 'backup.json'), 'utf8')).not.toContain(live.password)
})

test('no key is copied, also if it stands beside a certificate, in the catalog folder or behind a link', async () => {
  const catalog = join(dir, 'catalog')
  mkdirSync(catalog)
  writeFileSync(join(dir, 'both.pem'), '-----BEGIN PRIVATE KEY-----\nkey\n-----END PRIVATE KEY-----\n')
  writeFileSync(join(catalog, 'agent.yaml'), 'key: agent\n')
  writeFileSync(join(catalog, 'old.pem'), '-----BEGIN EC PRIVATE KEY-----\nkey\n')
  for (const name of ['keks', 'both.pem']) symlinkSync(join(dir, name), join(catalog, name))
  const { code, stdout } = await arsServer(['backup', folder, '--with-files', '--json'], {
    ARS_KEK_FILE: join(dir, 'keks'),
    ARS_TLS_CERT_FILE: join(dir, 'both.pem'),
    ARS_TLS_KEY_FILE: join(dir, 'both.pem'),
    ARS_CATALOG_FOLDER: catalog,
  })
  const made = JSON.parse(stdout)
  expect({ code, keep: made.keep_also }).toMatchObject({
    code: 0,
    keep: expect.arrayContaining([
      { what: 'TLS certificate', path: join(dir, 'both.pem'), copied: false },
      { what: 'catalog folder', path: catalog, copied: true },
    ]),
  })
  expect(readdirSync(join(made.dir, 'files'), { recursive: true })).toEqual(['catalog', 'catalog/agent.yaml'])
  rmSync(made.dir, { recursive: true })
})

test('a back-up is closed to other users, and one that others may change is neither written nor restored', async () => {
  const open = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => (statSync(join(folder, name)).mode & 0o077) !== 0,
  )
  expect([statSync(folder).mode & 0o077, open]).toEqual([0, []])
  const into = join(dir, 'of others')
  for (const shared of [folder, join(folder, 'wal')]) {
    chmodSync(shared, 0o777)
    for (const args of [
      ['backup', folder],
      ['restore', folder, '--into', into],
    ])
      expect(await arsServer(args)).toMatchObject({ code: 1, stderr: expect.stringContaining(`chmod o-w ${shared}`) })
    chmodSync(shared, 0o700)
  }
  const [base = ''] = readdirSync(folder).filter((name) => name.startsWith('base-'))
  const planted = [join(folder, 'wal', '00000009.history'), join(folder, base, 'data', 'base', 'secrets')]
  for (const at of planted)
    for (const plant of [() => symlinkSync('/etc/shadow', at), () => execFileSync('mkfifo', [at])]) {
      plant()
      const refused = await arsServer(['restore', folder, '--into', into])
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`${at} is neither a plain file`) })
      rmSync(at)
    }
  expect(existsSync(into) && readdirSync(into).length > 0).toBe(false)
})

/** The address that `ars-server init` makes, with the role that db/roles.sql makes of its passwords. */
const installedBackupUrl = async (): Promise<string> => {
  const installation = join(dir, 'installation')
  await runProgram(main, ['init', installation, '--for', 'systemd'])
  const url = new URL(readFileSync(join(installation, 'secrets', 'database-backup-url'), 'utf8').trim())
  const text = readFileSync(join(installation, 'secrets', 'passwords.sql'), 'utf8')
  expect(text).toContain(`\\set backup_password '${url.password}'`)
  const variables = [`password=${live.password}`, `backup_password=${url.password}`].flatMap((each) => ['-v', each])
  const roles = ['-d', live.superuserUrl(), ...variables, '-f', join(repositoryDir, 'db/roles.sql')]
  await promisify(execFile)('psql', ['--quiet', ...roles])
  url.port = String(portBlock(block.base).postgres)
  // Debian's own file has this line.
  const { dataDir } = settlePostgresHome(join(dir, 'live'), portBlock(block.base).postgres)
  appendFileSync(join(dataDir, 'pg_hba.conf'), 'host replication ars_backup 127.0.0.1/32 scram-sha-256\n')
  await asClient(live.superuserUrl(), (client) => client.query('select pg_reload_conf()'))
  return url.href
}

test('the service of an installation takes its own base back-ups, and the database knows their age', async () => {
  const own = join(dir, 'service')
  const ask = <Row>(sql: string): Promise<Row[]> =>
    asClient(live.url('ars_system'), async (client) => (await client.query(sql)).rows as Row[])
  const baseEndedAt = async (): Promise<Date> =>
    (await ask<{ at: Date }>('select base_ended_at as at from backup_state where timeline = 1'))[0]?.at ?? new Date(0)
  const archive = async (): Promise<Date> =>
    (await ask<{ at: Date }>('select archived_until as at from backup_state where timeline = 1'))[0]?.at ?? new Date(0)
  const isReceiving = async (): Promise<boolean> =>
    (await ask(`select from pg_replication_slots where slot_name = 'ars_service' and active`)).length === 1
  const env = { ...bareEnv(), ARS_DATABASE_BACKUP_URL: await installedBackupUrl() }
  const args = [main, 'backup', own, '--follow', '--base-every', '24', '--keep', '7', '--slot', 'ars_service']
  const bases = () => readdirSync(own).filter((name) => name.startsWith('base-'))
  const [earlier, before] = [await baseEndedAt(), await addOrganisation('0 before the service')]
  const service = spawn(process.execPath, args, { env, stdio: 'ignore' })
  await waitFor('the base back-up', async () => (await baseEndedAt()) > earlier, { timeoutMs: 120_000 })
  expect(bases()).toEqual([expect.stringMatching(/^base-\d{8}T\d{6}Z$/)])
  await waitFor('the archive', async () => (await archive()) > before, { timeoutMs: 120_000 })
  service.kill('SIGTERM')
  await waitFor('the end of the service', () => service.exitCode === 0, { timeoutMs: 60_000 })
  // The base back-up is young, so that a new start takes none.
  const again = spawn(process.execPath, args, { env, stdio: 'ignore' })
  await waitFor('the reception', isReceiving, { timeoutMs: 120_000 })
  expect(bases()).toHaveLength(1)
  again.kill('SIGTERM')
  await waitFor('the end of the second one', () => again.exitCode === 0, { timeoutMs: 60_000 })
  await asClient(live.superuserUrl(), (client) => client.query(`select pg_drop_replication_slot('ars_service')`))
})

test('a restore ends at the time that is asked for, or at the last commit', async () => {
  const between = await addOrganisation('2 before the time')
  await switchWal()
  await addOrganisation('3 after the time')
  await switchWal()
  await addOrganisation('4 last')
  await expect.poll(bytesNotReceived).toBe(0)
  // What a loss of the machine looks like.
  await live.kill()

  const earlier = cluster('earlier')
  const toTime = await arsServer(['restore', folder, '--into', earlier.dataDir, '--to', between.toISOString()])
  expect(toTime).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('An empty engine and an empty Redis are fine'),
  })
  await earlier.part.start()
  await expect.poll(() => isRecovered(earlier.part)).toBe(true)
  expect(await organisationsIn(earlier.part)).toEqual([
    '0 before the service',
    '1 before the base back-up',
    '2 before the time',
  ])

  const latest = cluster('latest')
  const toEnd = await arsServer(['restore', folder, '--into', latest.dataDir])
  expect(toEnd).toMatchObject({ code: 0, stdout: expect.stringContaining('The last commit in the WAL is of ') })
  await latest.part.start()
  await expect.poll(() => isRecovered(latest.part)).toBe(true)
  expect(await organisationsIn(latest.part)).toHaveLength(5)

  const again = await arsServer(['restore', folder, '--into', latest.dataDir])
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty. Nothing is overwritten') })

  // The restored database has another history, so its WAL must not go into the same folder.
  const other = await arsServer(['backup', folder], { ARS_DATABASE_BACKUP_URL: latest.part.superuserUrl('ars') })
  expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('was restored or failed over') })
})

test('a restore refuses a time before the first back-up, and WAL with a gap', async () => {
  const target = cluster('refused')
  const tooEarly = await arsServer(['restore', folder, '--into', target.dataDir, '--to', '2020-01-01T00:00:00Z'])
  expect(tooEarly).toMatchObject({ code: 1, stderr: expect.stringContaining('is before the end of the oldest base') })
  const noZone = await arsServer(['restore', folder, '--into', target.dataDir, '--to', '2026-01-01T00:00:00'])
  expect(noZone).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a time such as') })

  follower.kill('SIGTERM')
  await expect.poll(() => follower.exitCode).toBe(0)
  const segments = readdirSync(join(folder, 'wal')).filter((name) => /^[0-9A-F]{24}$/.test(name))
  rmSync(join(folder, 'wal', segments.at(-1) ?? ''))
  const withGap = await arsServer(['restore', folder, '--into', target.dataDir])
  expect(withGap).toMatchObject({ code: 1, stderr: expect.stringContaining('The WAL archive lacks the segment') })
  expect(existsSync(join(target.dataDir, 'PG_VERSION'))).toBe(false)
})

test('a back-up without rights, into a folder with other files, or of an unreachable server says why', async () => {
  const [, , latest] = clusters
  const [asOwner, asSuperuser] = [latest?.part.url('ars_owner'), latest?.part.superuserUrl('ars')].map(String)
  const empty = join(dir, 'empty')
  expect(await arsServer(['backup', empty], { ARS_DATABASE_BACKUP_URL: `${asOwner}` })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('alter role ars_owner replication'),
  })
  expect(existsSync(empty)).toBe(false)
  const taken = await arsServer(['backup', dirname(folder)], { ARS_DATABASE_BACKUP_URL: `${asSuperuser}` })
  expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty and is not a back-up folder') })
  const nobody = 'postgres://ars_backup:very-secret@127.0.0.1:1/ars'
  const unreachable = await arsServer(['backup', empty], { ARS_DATABASE_BACKUP_URL: nobody })
  expect(unreachable).toMatchObject({ code: 1, stderr: expect.stringMatching(/^Cannot connect to the database/) })
  expect(unreachable.stderr).not.toContain('very-secret')
})

test('pg_dump needs a role that row-level security does not restrict', async () => {
  const part = clusters[2]?.part as PostgresPart
  const dump = (url: string, ...args: string[]) =>
    promisify(execFile)('pg_dump', [...args, '--dbname', url], { maxBuffer: 64 * 1024 * 1024 })
  await asClient(part.superuserUrl('ars'), async (client) => {
    await client.query(`insert into users (id, email, name) values (new_uuid(), 'dumped@example.com', 'A person')`)
    await client.query(`create role ars_dump login bypassrls password '${part.password}'`)
    await client.query('grant pg_read_all_data to ars_dump')
    await client.query('grant connect on database ars to ars_dump')
  })
  await expect(dump(part.url('ars_owner'))).rejects.toThrow('row-level security')
  // It looks complete, because a few policies let the owner read.
  const { stdout: partly } = await dump(part.url('ars_owner'), '--enable-row-security')
  expect(partly).toContain('4 last')
  expect(partly).not.toContain('dumped@example.com')
  const { stdout: whole } = await dump(part.url('ars_owner').replace('ars_owner', 'ars_dump'))
  expect(whole).toContain('4 last')
  expect(whole).toContain('dumped@example.com')
})
