import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { examine } from '../src/doctor/doctor.ts'
import type { Finding } from '../src/doctor/finding.ts'
import { type App, startApp, until } from './app.ts'
import { brokenInstallations, failed } from './doctor/broken-installations.ts'

const folder = mkdtempSync(join(tmpdir(), 'doctor-'))
const rows = brokenInstallations((name, text) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
})
let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(async () => {
  await app.stop()
  rmSync(folder, { recursive: true })
})

const namesOf = (findings: readonly Finding[]): string[] => [...new Set(findings.map(({ what }) => what))].sort()

const retried = rows.filter(({ isRetried }) => isRetried)

test.for(retried)('doctor says what is wrong and what to do when $broken', async ({ env, what, found, advice }) => {
  const findings = await examine({ ...app.env, ...env() })
  expect(failed(findings)).toContainEqual({
    what,
    found: expect.stringMatching(found),
    advice: expect.stringMatching(advice),
  })
})

test('no check is missing from the result when components are away', async () => {
  const whole = namesOf(await examine(app.env))
  const away = Object.assign({}, ...rows.map(({ env }) => env()))
  expect(namesOf(await examine({ ...app.env, ...away, ARS_TLS_KEY_FILE: app.env.ARS_TLS_KEY_FILE }))).toEqual(whole)
})

test('ars-server prints its version, and the findings of doctor as JSON', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
  const env = { PATH: process.env.PATH, ...app.env, ARS_REDIS_URL: 'redis://127.0.0.1:1' }
  const call = promisify(execFile)
  expect((await call(process.execPath, [main, '--version'])).stdout).toBe(`${version}\n`)
  const answer = await call(process.execPath, [main, 'doctor', '--json'], { env }).catch((error: unknown) => error)
  expect(answer).toMatchObject({ code: 1, stderr: '' })
  const { checks, ...rest } = JSON.parse((answer as { stdout: string }).stdout)
  expect(rest).toEqual({ version, ok: false })
  expect(checks).toContainEqual({
    check: 'redis',
    state: 'failed',
    found: expect.stringContaining('ECONNREFUSED'),
    advice: expect.stringContaining('ARS_REDIS_URL'),
  })
  expect(checks).toContainEqual({
    check: 'role ars_app',
    state: 'ok',
    found: 'restricted by row-level security',
    advice: null,
  })
})

test('doctor and the log of the worker say that the key of the engine is not accepted', async () => {
  const gateway = await startApp({ role: 'gateway' })
  onTestFinished(() => gateway.stop())
  // Registered with the right key, then replaced by a worker with the key of another engine.
  await (await gateway.join('worker')).stop()
  const oldKey = 'publickeyv1_DqrXatEpNV1LN8QP818BKH4NTQqUi32Rq3puiT9DD4ic'
  const worker = gateway.join('worker', { ARS_ENGINE_IDENTITY_KEY: oldKey })
  const findings = await until('the worker to listen', async () => {
    const found = await examine(gateway.env)
    return failed(found).some(({ advice }) => advice?.includes('401')) && found
  })
  expect(failed(findings)).toEqual([
    {
      what: 'worker',
      found: 'does not respond through the engine',
      advice: expect.stringContaining('The worker refuses the signature of the engine (401)'),
    },
  ])
  const refusals = gateway.logLines.filter((line) => line.includes('no key of ARS_ENGINE_IDENTITY_KEY has signed it'))
  expect(refusals).toHaveLength(1)
  await (await worker).stop()
})
