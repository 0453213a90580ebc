import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type App, freePort, startApp } from './app.ts'
import { arsServer } from './ars-server.slow.ts'

// One service for all: only the last two tests change its database.
let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

test('an invalid setting prevents the boot and is named, without its value', async () => {
  const { stderr } = await arsServer(['serve'], {
    ...app.env,
    ARS_HTTP_PORT: 'secret-value',
    ARS_REDIS_URL: 'nonsense',
    ARS_TYPO: '1',
  })
  for (const name of ['ARS_HTTP_PORT', 'ARS_REDIS_URL', 'ARS_TYPO']) expect(stderr).toContain(name)
  expect(stderr).not.toContain('secret-value')
})

// The sentences for all other settings are tested without a process. These files are read at different moments of the start.
test.for(['ARS_CATALOG_FOLDER', 'ARS_MODELS_FILE', 'ARS_KEK_FILE', 'ARS_TLS_KEY_FILE'])(
  'the process ends with a sentence when %s cannot be read',
  async (setting) => {
    const env = { ...app.env, [setting]: '/nowhere/at-all', ARS_METRICS_PORT: String(await freePort()) }
    const { code, stderr } = await arsServer(['serve', '--role', 'gateway'], env)
    expect(code).toBeGreaterThan(0)
    expect(stderr).toContain('ars-server cannot start:')
    expect(stderr).toContain('/nowhere/at-all')
    expect(stderr).not.toContain('    at ')
  },
)

test('an invalid models file prevents the start with the position of the fault, and without a stack trace', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'models-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'models.yaml')
  writeFileSync(file, 'providers: {}\nmodels:\n  - { model: nobody/large }\n')
  const { stderr } = await arsServer(['serve'], {
    ...app.env,
    ARS_METRICS_PORT: String(await freePort()),
    ARS_MODELS_FILE: file,
  })
  expect(stderr).toContain('models.0.model (line 3): there is no provider nobody above')
  expect(stderr).toContain('ars-server cannot start:')
  expect(stderr).not.toMatch(/^ +at /m)
})

test('doctor reports all healthy components', async () => {
  const { stdout } = await arsServer(['doctor'], app.env)
  expect(stdout).toContain('All checks passed.')
  expect(stdout).toMatch(/^ok {4}engine limit +1000 runs per partition, ARS_CELL_SLOTS 512$/m)
})

test('doctor says what to do about a failed check, and compares the limit of the engine with that of the cell', async () => {
  const { stdout } = await arsServer(['doctor'], {
    ...app.env,
    ARS_REDIS_URL: 'redis://127.0.0.1:1',
    ARS_DATABASE_URL: app.database.systemUrl,
    ARS_CELL_SLOTS: '1001',
  })
  expect(stdout).toMatch(/FAIL {2}redis/)
  expect(stdout).toContain('Check ARS_REDIS_URL')
  expect(stdout).toContain('Set ARS_DATABASE_URL to log in as ars_app')
  expect(stdout).toMatch(/^FAIL {2}engine limit +1000 runs per partition, ARS_CELL_SLOTS 1001$/m)
  expect(stdout).toContain('Set concurrent-invocations-limit of Restate to at least 1001')
  expect(stdout).toContain('3 of')
})

test('doctor fails for just-in-time compilation, and for more partitions than Postgres has room to lock', async () => {
  await app.query(
    `do $$ begin execute format('alter role ars_system in database %I set jit = on', current_database()); end $$`,
  )
  await app.query(
    `select make_partition('run_labels', (app_now() at time zone 'utc')::date + day, 1) from generate_series(-20, 60) as day`,
  )
  const { stdout } = await arsServer(['doctor'], app.env)
  expect(stdout).toMatch(/FAIL {2}role ars_system +uses just-in-time compilation/)
  expect(stdout).toMatch(/ok {4}role ars_app/)
  expect(stdout).toMatch(/FAIL {2}locks +max_locks_per_transaction is \d+, for up to 81 partitions of a table/)
  expect(stdout).toContain('Set max_locks_per_transaction to 324 or more')
})

test('a server does not boot on a database with a moved clock, unless it is configured as a test', async () => {
  await moveDatabaseClock(app.database.ownerUrl, 0)
  const { stdout } = await arsServer(['serve'], { ...app.env, ARS_TEST_STACK: 'false' })
  expect(stdout).toContain('test clock')
})
