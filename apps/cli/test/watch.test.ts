import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { type App, sharedApp } from '../../server/test/app.ts'
import { trustingFetch } from '../../server/test/sdk-client.ts'
import { cliBounds } from '../src/bounds.ts'
import { createProgram } from '../src/program.ts'

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})
afterAll(() => app.stop())

/** `ars` on a service whose first calls find nobody who listens. */
const ars = async (args: readonly string[], callsWithoutService: number) => {
  const settings = { ARS_BASE_URL: `${app.url}/v2`, ARS_API_KEY: app.tenant.key, ARS_CONFIG: '/nonexistent' }
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value)
  const through = trustingFetch()
  let calls = 0
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    calls++
    return calls <= callsWithoutService ? Promise.reject(new TypeError('fetch failed')) : through(url, init)
  })
  // The pauses between tries have a random part, which is nothing here.
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const told: string[] = []
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => told.push(String(text)) > 0)
  const before = process.exitCode
  try {
    await createProgram().parseAsync(args, { from: 'user' })
    return { exitCode: process.exitCode, told: told.join(''), calls }
  } catch (error) {
    return { error, told: told.join(''), calls }
  } finally {
    process.exitCode = before
  }
}

const endedRun = async (): Promise<string> => {
  const { data } = (await app.call('GET', '/v2/agents?q=test-echo')).body
  return (await app.call('POST', '/v2/runs', { body: { agent_id: data[0].id, input: { query: 'hi' } } })).body.id
}

test('`ars runs watch` waits for a service that is away, and says so once', async () => {
  const { exitCode, told } = await ars(['runs', 'watch', await endedRun()], 12)
  expect(exitCode).toBe(0)
  expect(told.match(/The service does not respond\. Retrying …|The service is back\./g)).toEqual([
    'The service does not respond. Retrying …',
    'The service is back.',
  ])
})

test('a service that stays away ends `ars runs watch` with the error of the connection', async () => {
  const { error, calls } = await ars(['runs', 'watch', await endedRun()], Number.POSITIVE_INFINITY)
  expect(String(error)).toMatch(/connection failed/i)
  expect(calls).toBe(cliBounds.followTries.count + 1)
})
