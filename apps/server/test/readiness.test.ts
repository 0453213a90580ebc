import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Config } from '@ars/core/config'
import { systemClock } from '@ars/platform/clock'
import { parseConfig } from '@ars/platform/config'
import { readRelease } from '@ars/platform/db/schema-files'
import { createIdMaker } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { request } from 'undici'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { serverBounds } from '../src/bounds.ts'
import { schemaDir } from '../src/migrate.ts'
import { openGatewayParts } from '../src/parts.ts'
import { createReadiness } from '../src/readiness.ts'
import { version } from '../src/version.ts'
import { type App, startApp, until } from './app.ts'

// One app for all tests: each gets the lists of migrations and functions as they are.
let app: App
beforeAll(async () => {
  app = await startApp({ env: { ARS_DATABASE_ACQUIRE_TIMEOUT_MS: '2000' } })
  for (const list of lists) await app.query(`create table ${list}_of_this_release as table ${list}`)
})
const lists = ['migrations', 'schema_functions']
afterEach(() =>
  app.query(
    `begin read write; ${lists.map((list) => `truncate ${list}; insert into ${list} table ${list}_of_this_release`).join('; ')}; commit`,
  ),
)
afterAll(() => app.stop())

const ready = async () => {
  const answer = await request(`${app.metricsUrl}/readyz`)
  return `${answer.statusCode} ${(await answer.body.text()).trim()}`
}

test('no sweep fails at a normal start', async () => {
  const looked = () => request(`${app.metricsUrl}/metrics`).then(({ body }) => body.text())
  // The engine probe is one of the last sweeps.
  await until('the sweeps to run', async () => (await looked()).includes('ars_engine_canary_up'))
  expect(app.logLines.filter((line) => line.includes('sweep failed'))).toEqual([])
})

test('a process is ready when its database is, and not while a migration is missing', async () => {
  expect((await app.call('GET', '/readyz', { key: null })).status).toBe(200)
  expect((await app.call('GET', '/livez', { key: null })).text).toBe('ok\n')
  await asClient(app.database.ownerUrl, (client) => client.query('delete from migrations'))
  await until('readiness to fall', async () => (await ready()).startsWith('503 the schema lacks baseline'))
  expect(await ready()).toContain('503')
})

test('a release with a function that the schema lacks does not start, and names both releases and the command', async () => {
  await app.query(`update migrations set release = '0.0.9'`)
  await app.query(`update schema_functions set hash = 'other', release = '0.0.9' where name = 'admit_runs'`)
  for (const role of ['gateway', 'worker'] as const) {
    await expect(app.join(role)).rejects.toThrow(
      `The schema of the database is too old for release ${version}: it lacks admit_runs(), and its last migration is ` +
        `baseline of release 0.0.9. Run \`ars-server migrate\` of release ${version}, then start it again.`,
    )
  }
})

test('a release does not start after a migration that it does not know and that needed a stop; it starts after others', async () => {
  const apply = (name: string, needsStop: boolean) =>
    app.query(`insert into migrations (name, hash, release, needs_stop) values ($1, '', $2, $3)`, [
      name,
      '9.0.0',
      needsStop,
    ])
  await apply('9998_harmless', false)
  const joined = await app.join('worker')
  expect(await (await request(`${joined.metricsUrl}/readyz`)).body.text()).toBe('ok\n')
  await apply('9999_breaking', true)
  for (const role of ['gateway', 'worker'] as const) {
    await expect(app.join(role)).rejects.toThrow(
      /^The schema of the database is too new for release .* releases before 9\.0\.0 cannot work after 9999_breaking\. Start release 9\.0\.0 or a newer one/,
    )
  }
  await until('readiness to fall', async () => (await ready()).startsWith('503 The schema of the database is too new'))
})

test('a process does not start on a database that was never migrated', async () => {
  await app.query('alter table migrations rename to migrations_of_before')
  try {
    await expect(app.join('gateway')).rejects.toThrow(
      /too old for release .* and it has no migration\. Run `ars-server migrate`/,
    )
  } finally {
    await app.query('alter table migrations_of_before rename to migrations')
  }
})

test('files of the next release do not make a running process unready', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'schema-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  cpSync(schemaDir, folder, { recursive: true })
  const config = parseConfig(Config, app.env)
  const parts = await openGatewayParts({ config, environment: app.env, log: createLog({ level: 'silent' }) })
  onTestFinished(() => parts.close())
  const readiness = createReadiness(parts, 'gateway', await readRelease(folder, version))
  writeFileSync(join(folder, 'migrations/9999_next_release.sql'), 'select 1;')
  expect(await readiness.check()).toBe(null)
  const restarted = createReadiness(parts, 'gateway', await readRelease(folder, version))
  expect(await restarted.check()).toBe('the schema lacks 9999_next_release')
})

test('a process whose clock or ids differ by more than serverBounds.clockOff is not ready', async () => {
  const config = parseConfig(Config, app.env)
  const parts = await openGatewayParts({ config, environment: app.env, log: createLog({ level: 'silent' }) })
  onTestFinished(() => parts.close())
  const release = await readRelease(schemaDir, version)
  const aheadBy = (ms: number) => ({ ...systemClock, now: () => new Date(systemClock.now().getTime() + ms) })
  const late = aheadBy(2 * serverBounds.clockOff.ms)
  const reasonOf = (wrong: Partial<typeof parts>) => createReadiness({ ...parts, ...wrong }, 'gateway', release).check()
  expect(await reasonOf({ clock: late })).toBe('the clock differs from the database clock by more than 5 s')
  expect(await reasonOf({ newId: createIdMaker(late) })).toBe('new ids differ from the database clock by more than 5 s')
})

test('the log line of a refused request has the code of its error', async () => {
  await app.call('GET', '/v2/runs', { key: 'ars_nobody' })
  const line = await until('the line', async () =>
    app.logLines.find((each) => each.includes('"operation":"runs.list"')),
  )
  expect(JSON.parse(line)).toMatchObject({ status: 401, code: 'unauthorized' })
})

// The last test: the database stays read-only.
test('a process whose database is read-only is not ready', async () => {
  await app.query(
    `do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$`,
  )
  await app.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  const unready = await until('readiness to fall', async () => {
    const found = await ready()
    return found.endsWith('is read-only') && found
  })
  expect(unready).toMatch(/^503 the database pool [a-z]+ is read-only$/)
})
