import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../../server/test/app.ts'
import { type Home, makeHome } from './ars.slow.ts'

// The starters of Python and Go, and that of TypeScript with the packed SDK, run in `pnpm sdks`.

let app: App
let ars: Home

beforeAll(async () => {
  app = await startApp()
  ars = makeHome({ url: app.url, key: app.tenant.key })
})

afterAll(async () => {
  ars?.remove()
  await app?.stop()
})

const sdk = join(import.meta.dirname, '../../../sdks/typescript')

test('the starter runs an agent with the settings of the command', async () => {
  const folder = join(ars.folder, 'program')
  const ran = await ars.run(['init', 'typescript', folder, '--agent', 'test-echo', '--sdk', sdk, '--run'])
  expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('$ node main.ts')])
  expect(ran.stdout).toMatch(/^run_\w+ completed /m)
  expect(readdirSync(folder)).toEqual(
    expect.arrayContaining(['.env.example', '.gitignore', 'README.md', 'main.ts', 'package.json']),
  )
  const example = readFileSync(join(folder, '.env.example'), 'utf8')
  expect(example).toContain(`ARS_AGENT_ID=${app.tenant.agents['test-echo']}\n`)
  expect(example).toMatch(/^ARS_API_KEY=$/m)
})

test.each(['typescript', 'python', 'go'])(
  'without a terminal the %s starter is written and not run',
  async (language) => {
    const folder = join(ars.folder, `only-${language}`)
    const written = await ars.run(['init', language, folder, '--json'])
    expect([written.code, written.json]).toEqual([0, expect.objectContaining({ language, folder })])
    expect(readdirSync(folder).toSorted()).toEqual(written.json.files.toSorted())
    expect(written.stderr).toContain('README.md')
    expect(written.stderr).toContain(
      `Created the agent ${written.json.agent_id} on simulated/echo. This model is simulated`,
    )
    expect(written.json.dashboard).toBe(`${app.url}/dashboard/playground?agent_id=${written.json.agent_id}`)
    const { body: agent } = await app.call('GET', `/v2/agents/${written.json.agent_id}`)
    expect(agent).toMatchObject({ name: `only-${language}`, config: { model: 'simulated/echo' } })
    for (const file of written.json.files) {
      expect(readFileSync(join(folder, file), 'utf8')).not.toContain(app.tenant.key)
    }
  },
)

test('a folder with files, a missing key, an unknown agent and a missing SDK are explained, and nothing is written', async () => {
  const full = join(ars.folder, 'full')
  mkdirSync(full)
  writeFileSync(join(full, 'notes.txt'), '')
  const fresh = join(ars.folder, 'fresh')
  const cases: [number, string, readonly string[], Record<string, string>?][] = [
    [2, 'is not empty', ['init', 'go', full]],
    [2, 'is a file', ['init', 'go', join(full, 'notes.txt')]],
    [2, 'does not exist', ['init', 'go', fresh, '--sdk', join(full, 'sdk.tgz')]],
    [2, 'typescript, python, go', ['init', 'rust', fresh]],
    [3, 'ars login', ['init', 'go', fresh], { ARS_API_KEY: '' }],
    [4, 'ars agents list', ['init', 'go', fresh, '--agent', 'nobody']],
  ]
  const outcomes = await Promise.all(cases.map(([, , args, env]) => ars.run(args, env ? { env } : {})))
  expect(outcomes.map(({ code }) => code)).toEqual(cases.map(([code]) => code))
  for (const [index, [, words]] of cases.entries()) expect(outcomes[index]?.stderr).toContain(words)
  expect(readdirSync(ars.folder)).not.toContain('fresh')
})

test('the dashboard is opened at the agent, and a key that may create none uses an agent that exists', async () => {
  const opened = join(ars.folder, 'opened')
  const browser = join(ars.folder, 'browser')
  writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > '${opened}'\n`, { mode: 0o755 })
  const { body: key } = await app.call('POST', '/v2/api-keys', { body: { name: 'x', scopes: ['agents:read'] } })
  const env = { BROWSER: browser, ARS_API_KEY: key.key }
  const made = await ars.run(['init', 'go', join(ars.folder, 'poor'), '--open', '--json'], { env })
  expect([made.code, made.stderr]).toEqual([0, expect.stringContaining('lacks agents:write')])
  await expect
    .poll(() => readdirSync(ars.folder).includes('opened') && readFileSync(opened, 'utf8'))
    .toBe(made.json.dashboard)
})

test('a program that is not installed is named', async () => {
  const folder = join(ars.folder, 'no-python')
  const missing = await ars.run(['init', 'python', folder, '--run'], { env: { PATH: '/nowhere' } })
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('python3 is not installed')])
})
