import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stackFacts } from '@ars/testkit/stack'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { findBinary } from '../../../tools/dev/parts/binary.ts'
import { examine } from '../src/doctor/doctor.ts'
import { type App, freePort, startApp, until } from './app.ts'

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const program = findBinary(['pgbouncer']) ?? 'pgbouncer'
const version = /PgBouncer (\d+)\.(\d+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))
const carriesStatements = Number(version?.[1]) > 1 || Number(version?.[2]) >= 21

/** A pooler before the database of the test, and the settings that lead to it. */
const startPooler = async (mode: 'transaction' | 'session'): Promise<Record<string, string>> => {
  const { postgresPort, postgresPassword } = stackFacts()
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'))
  const port = await freePort()
  chmodSync(folder, 0o755)
  const roles = ['ars_app', 'ars_auth', 'ars_feed', 'ars_system']
  const users = join(folder, 'users.txt')
  writeFileSync(users, roles.map((role) => `"${role}" "${postgresPassword}"\n`).join(''))
  const settings = [
    '[databases]',
    `* = host=127.0.0.1 port=${postgresPort}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = plain',
    `auth_file = ${users}`,
    `pool_mode = ${mode}`,
    ...(carriesStatements ? ['max_prepared_statements = 500'] : []),
    // It refuses to be the superuser.
    ...(process.getuid?.() === 0 ? ['user = nobody'] : []),
  ]
  writeFileSync(join(folder, 'pgbouncer.ini'), `${settings.join('\n')}\n`)
  const child = spawn(program, ['-q', join(folder, 'pgbouncer.ini')], { stdio: 'ignore' })
  onTestFinished(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true })
  })
  return Object.fromEntries(
    ['URL', 'AUTH_URL', 'FEED_URL', 'SYSTEM_URL'].map((setting) => {
      const url = new URL(app.env[`ARS_DATABASE_${setting}`] ?? '')
      url.port = String(port)
      return [`ARS_DATABASE_${setting}`, url.href]
    }),
  )
}

const examineThrough = (pooler: Record<string, string>) =>
  until('the pooler to respond', async () => {
    const findings = await examine({ ...app.env, ...pooler })
    return findings.some(({ what, isSkipped }) => what === 'connection pooler' && !isSkipped) && findings
  })

test('doctor refuses a pooler that loses prepared statements between transactions', async () => {
  const findings = await examineThrough(await startPooler('transaction'))
  const pooler = findings.find(({ what }) => what === 'connection pooler')
  if (carriesStatements) {
    expect(findings.filter(({ advice }) => advice !== undefined)).toEqual([])
    expect(pooler?.found).toBe('changes the server process, and prepared statements follow')
    return
  }
  expect(pooler).toEqual({
    what: 'connection pooler',
    found: 'loses prepared statements between transactions',
    advice: expect.stringContaining('Use PgBouncer 1.24 or newer with max_prepared_statements = 500'),
  })
  const whole = new Set((await examine(app.env)).map(({ what }) => what))
  expect(new Set(findings.map(({ what }) => what))).toEqual(whole)
})

test('doctor accepts a pooler that keeps one server process per connection', async () => {
  const findings = await examineThrough(await startPooler('session'))
  expect(findings.filter(({ advice }) => advice !== undefined)).toEqual([])
  expect(findings.find(({ what }) => what === 'connection pooler')?.found).toBe(
    'keeps one server process per connection',
  )
})
