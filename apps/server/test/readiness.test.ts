import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asClient } from '@ars/testkit/client'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { request } from 'undici'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { type App, freePort, startApp, until } from './app.ts'

let app: App
afterEach(() => app.stop())

const ready = async () => {
  const answer = await request(`${app.metricsUrl}/readyz`)
  return `${answer.statusCode} ${(await answer.body.text()).trim()}`
}

test('a process is ready when its database is, and not while a migration is missing', async () => {
  app = await startApp()
  expect((await app.call('GET', '/readyz', { key: null })).status).toBe(200)
  expect((await app.call('GET', '/livez', { key: null })).text).toBe('ok\n')
  await asClient(app.database.ownerUrl, (client) => client.query('delete from migrations'))
  await until('readiness to fall', async () =>
    (await ready()).startsWith('503 migrations are missing: 0001_foundation'),
  )
  expect(await ready()).toContain('503')
})

test('a stopping gateway is unready before its listener closes, and answers waiting callers with 202', async () => {
  app = await startApp({ env: { ARS_DRAIN_DELAY_MS: '1500' } })
  const second = await app.join('gateway')
  const body = { agent_id: app.tenant.agents['test-slow'], input: { seconds: 8 } }
  const waiting = app.call('POST', '/v2/runs', { body, url: second.url })
  await until('the run to start', async () => {
    const heads = await asClient(app.database.superuserUrl, (client) =>
      client.query(`select from run_heads where status = 'running'`),
    )
    return heads.rowCount === 1
  })
  const stopped = second.stop()
  const unready = await until('readiness to fall', async () => {
    const answer = await app.call('GET', '/readyz', { key: null, url: second.url })
    return answer.status === 503 && answer.text
  })
  expect(unready).toBe('stopping\n')
  const answer = await waiting
  expect([answer.status, answer.body.status]).toEqual([202, 'running'])
  await stopped
  await expect(app.call('GET', '/livez', { key: null, url: second.url })).rejects.toThrow()
})

test('a server does not boot on a database with a moved clock, unless it is configured as a test', async () => {
  app = await startApp()
  await moveDatabaseClock(app.database.ownerUrl, 0)
  const output = await serve({ ...app.env, ARS_TEST_STACK: 'false' })
  expect(output).toContain('test clock')
})

test('an invalid setting prevents the boot and is named, without its value', async () => {
  app = await startApp()
  const output = await serve({ ...app.env, ARS_HTTP_PORT: 'secret-value', ARS_REDIS_URL: 'nonsense', ARS_TYPO: '1' })
  for (const name of ['ARS_HTTP_PORT', 'ARS_REDIS_URL', 'ARS_TYPO']) expect(output).toContain(name)
  expect(output).not.toContain('secret-value')
})

test('an invalid models file prevents the start with the position of the fault, and without a stack trace', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'models-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'models.yaml')
  writeFileSync(file, 'providers: {}\nmodels:\n  - { model: nobody/large }\n')
  app = await startApp()
  const startOn = async (path: string) =>
    serve({ ...app.env, ARS_METRICS_PORT: String(await freePort()), ARS_MODELS_FILE: path })
  const [broken, missing] = await Promise.all([startOn(file), startOn(join(folder, 'nowhere.yaml'))])
  expect(broken).toContain('models.0.model (line 3): there is no provider nobody above')
  expect(missing).toContain('nowhere.yaml cannot be read: ENOENT')
  for (const output of [broken, missing]) {
    expect(output).toContain('ars-server cannot start:')
    expect(output).not.toMatch(/^ +at /m)
  }
})

test('doctor reports all healthy components, and says what to do when one is not', async () => {
  app = await startApp()
  const well = await command(['doctor'], app.env)
  expect(well).toContain('All checks passed.')
  const ill = await command(['doctor'], {
    ...app.env,
    ARS_REDIS_URL: 'redis://127.0.0.1:1',
    ARS_DATABASE_URL: app.database.systemUrl,
  })
  expect(ill).toMatch(/FAIL {2}redis/)
  expect(ill).toContain('Check ARS_REDIS_URL')
  expect(ill).toContain('Set ARS_DATABASE_URL to log in as ars_app')
  expect(ill).toContain('2 of')
})

const serve = (env: Record<string, string>) => command(['serve'], env)

const command = (args: string[], env: Record<string, string>): Promise<string> =>
  new Promise((resolve, reject) => {
    const main = new URL('../src/main.ts', import.meta.url).pathname
    const child = spawn(process.execPath, [main, ...args], { env: { PATH: process.env.PATH, ...env } })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.stderr.on('data', (chunk) => {
      output += chunk
    })
    child.on('error', reject)
    child.on('close', () => resolve(output))
  })
