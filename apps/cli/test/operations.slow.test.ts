import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, startApp } from '../../server/test/app.ts'
import { type Home, makeHome } from './ars.slow.ts'

let app: App
let ars: Home

beforeAll(async () => {
  app = await startApp({ env: { ARS_KEKS: `test:${randomBytes(32).toString('base64')}` } })
  ars = makeHome({ url: app.url, key: app.tenant.key })
})

afterAll(async () => {
  ars?.remove()
  await app?.stop()
})

describe('commands from the contract', () => {
  test('create, show, change, list and diff an agent', async () => {
    const config = JSON.stringify({ model: 'simulated/echo' })
    const made = await ars.run(['agents', 'create', '--name', 'Greeter', '--config', config, '--json'])
    expect([made.code, made.stderr]).toEqual([0, ''])
    const changed = await ars.run(['agents', 'update', 'Greeter', '--metadata', 'team=support,tier=1', '--json'])
    expect(changed.json).toMatchObject({ id: made.json.id, metadata: { team: 'support', tier: '1' } })
    const cleared = await ars.run(['agents', 'update', made.json.id, '--data', 'description: "From YAML"', '--json'])
    expect(cleared.json).toMatchObject({ description: 'From YAML' })
    const versions = await ars.run(['agents', 'versions', 'Greeter'])
    expect([versions.code, versions.stderr]).toEqual([0, ''])
    expect(versions.stdout.split('\n')[0]).toContain('VERSION')
    const archived = await ars.run(['agents', 'archive', 'Greeter'])
    expect(archived.stdout).toMatch(/status +archived/)
    expect((await ars.run(['agents', 'unarchive', made.json.id, '--json'])).json).toMatchObject({ status: 'active' })
  })

  test('keys, catalog, models, audit log and steps', async () => {
    const key = await ars.run(['keys', 'create', '--name', 'ci', '--scopes', 'runs:read, agents:read', '--json'])
    expect(key.json).toMatchObject({ name: 'ci', scopes: ['runs:read', 'agents:read'] })
    const narrowed = await ars.run(['keys', 'update', key.json.id, '--expires-at', 'null', '--json'])
    expect(narrowed.json.expires_at).toBeNull()
    for (const list of [
      ['catalog', 'list'],
      ['models', 'list'],
      ['audit', 'list'],
      ['releases', 'list'],
    ]) {
      const listed = await ars.run([...list, '--output', 'json'])
      expect([list, listed.code, Array.isArray(listed.json?.data)]).toEqual([list, 0, true])
    }
    const run = await ars.run(['runs', 'create', 'test-echo', '--input', '{"query":"hi"}', '--json'])
    const steps = await ars.run(['runs', 'steps', run.json.id, '--json'])
    expect(steps.json.data).toHaveLength(1)
    expect((await ars.run(['runs', 'diagnose', run.json.id, '--json'])).json).toMatchObject({ status: 'completed' })
    expect((await ars.run(['runs', 'erase', run.json.id])).code).toBe(0)
  })

  test('the key of a vendor comes from stdin or a file, and is refused on the command line', async () => {
    const given = 'sk-key-of-a-vendor-1234'
    const set = (...args: string[]) => ['provider-keys', 'set', '--provider', 'openai', ...args, '--json']
    const piped = await ars.run(set(), { stdin: `${given}\n` })
    expect([piped.code, piped.json]).toEqual([0, expect.objectContaining({ id: 'openai', key_hint: '…1234' })])
    expect((await ars.run(set('--key', '-'), { stdin: given })).code).toBe(0)
    for (const inline of [set('--key', given), set('--data', `{"key":"${given}"}`)]) {
      const refused = await ars.run(inline)
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('does not take the secret itself')])
      expect(refused.stderr).not.toContain(given)
    }
    const nothing = await ars.run(set())
    expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('--key is required')])
    expect((await ars.run(['provider-keys', 'delete', 'openai'])).code).toBe(0)
  })

  test('a canary is compared with the running version, for people and as JSON', async () => {
    const config = '{"model":"simulated/echo"}'
    const agent = await ars.run(['agents', 'create', '--name', 'Compared', '--config', config, '--json'])
    const rollout =
      '{"strategy":"canary","traffic_percent":50,"rollback_rules":[{"metric":"failure_rate","above":0.05}]}'
    const changed = await ars.run([
      'agents',
      'update',
      agent.json.id,
      '--rollout',
      rollout,
      '--description',
      'New',
      '--json',
    ])
    const release = changed.json.deployment.id
    for (let n = 0; n < 3; n++) await ars.run(['runs', 'create', 'Compared', '--input', '{"query":"hi"}'])
    const shown = await ars.run(['releases', 'compare', release])
    expect([shown.code, shown.stderr]).toEqual([0, ''])
    expect(shown.stdout).toMatch(/CANARY v2 +RUNNING v1/)
    expect(shown.stdout).toMatch(/failure rate above 5 %.*needs \d+ more runs/)
    const { json } = await ars.run(['releases', 'compare', release, '--json'])
    expect(json).toMatchObject({ object: 'deployment_comparison', deployment_id: release })
    expect(json.canary.runs + json.running.runs).toBe(3)
  })

  test('a wrong value is a usage error, and a refusal of the service shows its message', async () => {
    const wrong = await ars.run(['releases', 'promote', 'dep_x', '--traffic-percent', 'many'])
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--traffic-percent must be a number')])
    const missing = await ars.run(['releases', 'get', 'dep_01kf3xw0fqe1vrr9m8sdv2wbx4'])
    expect([missing.code, missing.stdout]).toEqual([4, ''])
  })

  test('a missing field is named by its option, before anything is sent', async () => {
    const missing = await ars.run(['releases', 'rollback', 'dep_01kf3xw0fqe1vrr9m8sdv2wbx4'])
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('--reason is required')])
    expect((await ars.run(['agents', 'diff', '--help'])).stdout).toMatch(/--to <n> +required: /)
  })

  test('errors are JSON wherever JSON is asked for', async () => {
    const get = ['runs', 'get', 'run_01kf3xw0fqe1vrr9m8sdv2wbx4']
    for (const words of [
      ['--output', 'json', ...get],
      [...get, '--output=json'],
      [...get, '--json'],
      ['runs', 'get', '--output', 'json'],
    ]) {
      const { stderr } = await ars.run(words)
      expect(JSON.parse(stderr).error.code).toMatch(/^(not_found|usage)$/)
    }
  })

  test('a list names the agent of each run, and its steps show the tool calls', async () => {
    const run = await ars.run(['runs', 'create', 'test-echo', '--input', '{"query":"hi"}', '--json'])
    expect((await ars.run(['runs', 'list', '--agent', 'test-echo'])).stdout).toMatch(/completed +test-echo /)
    expect((await ars.run(['runs', 'watch', run.json.id])).stdout).toBe('hi\n')
    expect((await ars.run(['runs', 'steps', run.json.id])).stdout).toMatch(/^1 {2}\w+ {2}completed/)
    const releases = await ars.run(['releases', 'list', '--agent', 'test-echo'])
    expect([releases.code, releases.stderr]).toEqual([0, ''])
  })

  test('apply releases a canary, and refuses a version that was rolled back', async () => {
    const file = join(ars.folder, 'careful.yaml')
    const write = (description: string) =>
      writeFileSync(
        file,
        `name: careful\ndescription: ${description}\nconfig:\n  model: simulated/echo\nrollout:\n  strategy: canary\n  traffic_percent: 5\n`,
      )
    const apply = (...more: string[]) => ars.run(['agents', 'apply', '-f', file, ...more])
    write('First')
    expect((await apply()).code).toBe(0)
    write('Second')
    expect((await apply('--canary', '20')).code).toBe(0)
    const shown = await ars.run(['agents', 'get', 'careful'])
    expect(shown.stdout).toMatch(/release +version 2 is a canary with 20 % of new runs \(dep_\w+\)/)
    expect((await apply('--plan')).code).toBe(0)
    const release = /dep_\w+/.exec(shown.stdout)?.[0] ?? ''
    expect((await ars.run(['releases', 'rollback', release, '--reason', 'too slow'])).code).toBe(0)
    const refused = await apply()
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('rolled back')])
    expect((await apply('--force')).code).toBe(0)
  })

  test('--all shows all pages, in every format', async () => {
    const one = await ars.run(['agents', 'list', '--limit', '1', '--output', 'jsonl'])
    expect(one.stdout.trim().split('\n')).toHaveLength(1)
    const all = await ars.run(['agents', 'list', '--limit', '1', '--all', '--output', 'jsonl'])
    const names = all.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).name)
    expect(names).toEqual(expect.arrayContaining(Object.keys(app.tenant.agents)))
    const yaml = await ars.run(['agents', 'get', 'test-echo', '--output', 'yaml'])
    expect(yaml.stdout).toMatch(/^---\n[\s\S]*name: test-echo\n/m)
  })
})

test('any request can be sent, and its failure has an exit code', async () => {
  const listed = await ars.run(['api', 'get', '/agents?limit=1', '--include'])
  expect(listed.json.data).toHaveLength(1)
  expect(listed.stderr).toMatch(/^HTTP 200\n/)
  const made = await ars.run(['api', 'POST', '/api-keys', '--data', '-'], {
    stdin: 'name: from stdin\nscopes: [runs:read]\n',
  })
  expect(made.json).toMatchObject({ name: 'from stdin' })
  const unknown = await ars.run(['api', 'GET', '/runs/run_01kf3xw0fqe1vrr9m8sdv2wbx4'])
  expect([unknown.code, unknown.json.error.code]).toEqual([4, 'not_found'])
  const malformed = await ars.run(['api', 'GET', '/runs?status=bogus', '--include'])
  expect([malformed.code, malformed.json.error.code]).toEqual([2, 'invalid_request'])
  expect(malformed.stderr).toMatch(/^HTTP 400\n/)
  const me = await ars.run(['api', 'GET', '/api/auth/me', '--header', 'cookie: ars_session=wrong'])
  expect([me.code, me.json.error.code]).toEqual([3, 'unauthorized'])
})

test('agents equal their files after apply, a second apply changes nothing, and drift is found', async () => {
  const folder = join(ars.folder, 'agents')
  mkdirSync(folder)
  const file = (name: string, model: string) =>
    writeFileSync(join(folder, `${name}.yaml`), `name: ${name}\ndescription: a file\nconfig:\n  model: ${model}\n`)
  file('first', 'simulated/echo')
  file('second', 'simulated/echo')
  const apply = (...more: string[]) => ars.run(['agents', 'apply', '-f', folder, '--json', ...more])
  const changesOf = ({ json }: Awaited<ReturnType<typeof apply>>) =>
    json.data.map(({ name, change }: { name: string; change: string }) => `${name} ${change}`)

  const plan = await apply('--plan')
  expect([plan.code, changesOf(plan)]).toEqual([1, ['first create', 'second create']])
  const first = await apply()
  expect([first.code, changesOf(first)]).toEqual([0, ['first create', 'second create']])
  const again = await apply('--plan')
  expect([again.code, changesOf(again)]).toEqual([0, ['first none', 'second none']])

  await ars.run(['agents', 'update', 'second', '--description', 'changed by hand'])
  expect((await apply('--plan')).json.data[1]).toMatchObject({ change: 'update', fields: ['description'] })
  file('first', 'simulated/steps')
  expect(changesOf(await apply())).toEqual(['first update', 'second update'])
  expect(changesOf(await apply('--plan'))).toEqual(['first none', 'second none'])

  writeFileSync(join(folder, 'third.yaml'), 'name: first\n')
  const twice = await apply()
  expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('Two files')])
})

test('profiles keep several keys; logout removes one; whoami shows the one in use', async () => {
  const home = makeHome()
  const login = await home.run(['login', '--profile', 'staging', '--base-url', app.url], {
    stdin: `${app.tenant.key}\n`,
  })
  expect(login.code).toBe(0)
  expect((await home.run(['whoami'])).code).toBe(3)
  const known = await home.run(['whoami', '--profile', 'staging'])
  expect(known.stdout).toMatch(/profile +staging/)
  expect(known.stdout).not.toContain(app.tenant.key)
  expect((await home.run(['profiles', '--json'], { env: { ARS_PROFILE: 'staging' } })).json.data).toEqual([
    expect.objectContaining({ name: 'default', api_key: null, is_current: false }),
    expect.objectContaining({ name: 'staging', is_current: true }),
  ])
  expect((await home.run(['logout', '--profile', 'staging'])).code).toBe(0)
  expect((await home.run(['whoami', '--profile', 'staging'])).code).toBe(3)
  expect((await home.run(['logout', '--profile', 'staging'])).code).toBe(2)
  home.remove()
})

test('the doctor checks address, certificate, clock, key and limits', async () => {
  const well = await ars.run(['doctor', '--json'])
  expect(well.json.data.map(({ check, is_ok }: { check: string; is_ok: boolean }) => [check, is_ok])).toEqual(
    ['address', 'certificate', 'clock', 'key', 'limits'].map((check) => [check, true]),
  )
  const wrongKey = await ars.run(['doctor'], { env: { ARS_API_KEY: 'ars_live_wrong' } })
  expect([wrongKey.code, wrongKey.stdout]).toEqual([1, expect.stringMatching(/FAILED +key/)])
  const nowhere = await ars.run(['doctor'], { env: { ARS_BASE_URL: 'https://127.0.0.1:1/v2' } })
  expect([nowhere.code, nowhere.stdout]).toEqual([1, expect.stringMatching(/FAILED +address/)])
})

test('a run that has not ended fails the command, which says how to go on', async () => {
  const waiting = await ars.run(['runs', 'create', 'test-approval', '--input', '{"query":"x"}'])
  expect([waiting.code, waiting.stdout]).toEqual([6, ''])
  expect(waiting.stderr).toContain('ars runs act')
  const started = await ars.run(['runs', 'create', 'test-approval', '--input', '{"query":"x"}', '--async'])
  expect(started.code).toBe(0)
})
