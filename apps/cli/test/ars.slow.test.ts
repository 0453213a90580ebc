import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type App, startApp, until } from '../../server/test/app.ts'
import { type Home, makeHome } from './ars.slow.ts'

let app: App
let ars: Home

beforeAll(async () => {
  app = await startApp()
})

afterAll(() => app?.stop())

beforeEach(() => {
  ars = makeHome({ url: app.url, key: app.tenant.key })
})

afterEach(() => ars.remove())

test('after a login the key and the base URL are stored', async () => {
  const newcomer = makeHome()
  const before = await newcomer.run(['agents', 'list'])
  expect(before).toMatchObject({ code: 3, stderr: expect.stringContaining('ars login') })
  const login = await newcomer.run(['login', '--base-url', app.url], { stdin: `${app.tenant.key}\n` })
  expect(login.code, login.stderr).toBe(0)
  expect(login.stdout + login.stderr, 'the key is never echoed').not.toContain(app.tenant.key)
  expect(statSync(newcomer.configFile).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(newcomer.configFile, 'utf8'))).toMatchObject({
    base_url: `${app.url}/v2`,
    api_key: app.tenant.key,
    ca_file: newcomer.env.ARS_CA_FILE,
  })
  const shown = await newcomer.run(['config', 'show'])
  expect(shown.stdout).toContain(`${app.url}/v2`)
  expect(shown.stdout, 'only a hint of the key').not.toContain(app.tenant.key)
  // The certificate is stored too.
  const after = await newcomer.run(['agents', 'list', '--json'], { env: { ARS_CA_FILE: '' } })
  expect(after.json.data.map(({ name }: { name: string }) => name)).toContain('test-echo')
  newcomer.remove()
})

test('a login with an invalid key is refused and stores nothing', async () => {
  const { code, stderr } = await ars.run(['login'], { env: { ARS_API_KEY: 'ars_live_wrong' } })
  expect(code).toBe(3)
  expect(stderr).toContain('unauthorized')
  expect(() => statSync(ars.configFile)).toThrow('ENOENT')
})

test('a settings file that others can read is not used, and the error says how to fix it', async () => {
  mkdirSync(dirname(ars.configFile), { recursive: true })
  writeFileSync(ars.configFile, '{}')
  chmodSync(ars.configFile, 0o644)
  const { code, stderr } = await ars.run(['agents', 'list'])
  expect(code).toBe(2)
  expect(stderr).toContain(`chmod 600 ${ars.configFile}`)
  chmodSync(ars.configFile, 0o600)
  expect((await ars.run(['agents', 'list'])).code).toBe(0)
})

test('flags take precedence over the environment, and the environment over the file', async () => {
  mkdirSync(dirname(ars.configFile), { recursive: true })
  writeFileSync(ars.configFile, JSON.stringify({ api_key: 'ars_live_file', base_url: 'https://file.example' }), {
    mode: 0o600,
  })
  const { json } = await ars.run(['config', 'show', '--json', '--base-url', 'https://flag.example/v2'])
  expect(json).toMatchObject({
    base_url: { value: 'https://flag.example/v2', from: 'flag' },
    api_key: { from: 'environment' },
    ca_file: { from: 'environment' },
  })
})

test('a run is created by the name of its agent, and only its result goes to stdout', async () => {
  const { code, stdout, stderr } = await ars.run(['runs', 'create', 'test-echo', '--input', '{"query":"Hello"}'])
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: 'Hello\n' })
  expect(stderr).toMatch(/^run_\w+ completed {2}\d+ ms, \d+ tokens\n$/)
})

test('input comes from the command line, a file or a pipe; --json prints the run', async () => {
  const file = join(ars.folder, 'input.json')
  writeFileSync(file, '{"query":"from a file"}')
  const fromFile = await ars.run(['runs', 'create', 'test-echo', '--input', `@${file}`, '--json'])
  expect(fromFile.json).toMatchObject({ status: 'completed', output: { result: 'from a file' } })
  const fromPipe = await ars.run(['runs', 'create', 'test-echo', '--input', '-', '--json'], {
    stdin: '{"query":"piped"}',
  })
  expect(fromPipe.json).toMatchObject({ output: { result: 'piped' } })
  const got = await ars.run(['runs', 'get', fromPipe.json.id, '--json'])
  expect(got.json).toEqual(fromPipe.json)
})

test('a run is streamed as text or as frames', async () => {
  const words = await ars.run(['runs', 'create', 'test-stream', '--input', '{"chunks":3}', '--stream'])
  const id = /run_\w+/.exec(words.stderr)?.[0] ?? ''
  const run = (await app.call('GET', `/v2/runs/${id}`)).body
  expect(words).toMatchObject({ code: 0, stdout: `${run.output.result}\n` })
  const frames = await ars.run(['runs', 'stream', id, '--json'])
  const types = frames.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).type)
  expect(types[0]).toBe('run.created')
  expect(types.at(-1)).toBe('run.completed')
})

test('a waiting run prints its question and the command that answers it, and the answer resumes it', async () => {
  const asked = await ars.run(['runs', 'create', 'test-approval'])
  expect(asked.code).toBe(6)
  const id = /ars runs act (run_\w+) approve/.exec(asked.stderr)?.[1] ?? ''
  expect((await ars.run(['runs', 'act', id, 'approve', '--comment', 'fine'])).code).toBe(0)
  expect((await ars.run(['runs', 'stream', id])).code).toBe(0)
  expect((await app.call('GET', `/v2/runs/${id}`)).body.status).toBe('completed')
})

test('Ctrl-C ends the stream, not the run, and prints how to cancel the run', async () => {
  const { json: run } = await ars.run([
    'runs',
    'create',
    'test-slow',
    '--input',
    '{"seconds":600}',
    '--async',
    '--json',
  ])
  const running = ars.start(['runs', 'stream', run.id])
  // The run id is known from the start.
  await new Promise((resolve) => running.child.stderr?.once('data', resolve))
  running.child.kill('SIGINT')
  const { code, stderr } = await running.ended
  expect(code).toBe(130)
  expect(stderr).toContain(`ars runs cancel ${run.id}`)
  expect((await ars.run(['runs', 'cancel', run.id])).code).toBe(0)
})

test('the exit code identifies the failure, and the error gives advice', async () => {
  const reader = await app.addTenant({ scopes: ['agents:read'] })
  const cases: [number, string, readonly string[], Record<string, string>?][] = [
    [1, 'agent_error', ['runs', 'create', 'test-fail']],
    [1, 'url_not_allowed', ['webhooks', 'create', 'https://127.0.0.1/x', '--events', '*']],
    [2, 'unknown option', ['runs', 'list', '--bogus']],
    [2, 'unknown command', ['bogus']],
    [2, 'is not JSON', ['runs', 'create', 'test-echo', '--input', '{query}']],
    [2, 'invalid_request', ['runs', 'list', '--status', 'bogus']],
    [3, 'unauthorized', ['runs', 'list'], { ARS_API_KEY: 'ars_live_wrong' }],
    [3, 'forbidden', ['runs', 'list'], { ARS_API_KEY: reader.key }],
    [4, 'not_found', ['runs', 'get', 'run_01m7ek7549ej9s2d1m7z8n0ycp']],
    [4, 'ars agents list', ['runs', 'create', 'no-such-agent']],
    [5, 'ars config show', ['agents', 'list'], { ARS_BASE_URL: 'https://localhost:1/v2' }],
    [5, '--ca-file', ['agents', 'list'], { ARS_CA_FILE: '' }],
  ]
  const outcomes = await Promise.all(cases.map(([, , args, env]) => ars.run(args, env ? { env } : {})))
  expect(outcomes.map(({ code }) => code)).toEqual(cases.map(([code]) => code))
  for (const [index, [, words]] of cases.entries()) expect(outcomes[index]?.stderr).toContain(words)
})

test('with --json an error is printed as JSON on stderr', async () => {
  const { stdout, stderr } = await ars.run(['runs', 'get', 'run_01m7ek7549ej9s2d1m7z8n0ycp', '--json'])
  expect(stdout).toBe('')
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: 'not_found', exit_code: 4, request_id: expect.stringMatching(/^req_/) },
  })
  const usage = await ars.run(['bogus', '--json'])
  expect(JSON.parse(usage.stderr)).toMatchObject({ error: { code: 'usage', exit_code: 2 } })
})

test('the output of an agent cannot control the terminal', async () => {
  const hostile = { query: '\u001b[2J\u001b]0;owned\u0007 fine \u009b31m\u202e' }
  const shown = await ars.run(['runs', 'create', 'test-echo', '--input', '-'], { stdin: JSON.stringify(hostile) })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are meant
  const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/
  expect(shown.stdout).toContain('fine')
  expect(shown.stdout).not.toMatch(controls)
  const json = await ars.run(['runs', 'create', 'test-echo', '--input', '-', '--json'], {
    stdin: JSON.stringify(hostile),
  })
  expect(json.json.output.result).toBe(hostile.query)
  expect(json.stdout).not.toMatch(controls)
})

test('every command has a help with an example', async () => {
  const { json: root } = await ars.run(['describe'])
  type Command = { path: string[]; examples: string[]; commands: Command[] }
  const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)]
  const without = all(root).filter(({ examples }) => examples.length === 0)
  expect(without.map(({ path }) => path.join(' '))).toEqual([])
  const help = await ars.run(['webhooks', 'test', '--help'])
  expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('$ ars webhooks test wh_') })
  expect((await ars.run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('the active runs of an agent are shown by state', async () => {
  const body = { agent_id: app.tenant.agents['test-approval'], input: { query: 'Hello' } }
  const headers = { prefer: 'respond-async' }
  const { body: run } = await app.call('POST', '/v2/runs', { body, headers })
  await until('the run waits for a decision', async () => {
    const { body: found } = await app.call('GET', `/v2/runs/${run.id}`)
    return found.status === 'requires_action'
  })
  const counted = await ars.run(['agents', 'stats', 'test-approval', '--json'])
  expect(counted.json).toMatchObject({ object: 'agent_stats', is_capped: false })
  expect(counted.json.runs.requires_action).toBeGreaterThanOrEqual(1)
  const { stdout } = await ars.run(['agents', 'stats', 'test-approval'])
  expect(stdout).toContain(`requires_action  ${counted.json.runs.requires_action}`)
})

test('an agent is found by name among more similar names than fit on one page', async () => {
  for (let number = 0; number < 101; number++) {
    const body = { name: `test-echo ${number}`, config: { model: 'simulated/echo' } }
    expect((await app.call('POST', '/v2/agents/custom', { body })).status).toBe(201)
  }
  const { code, stderr } = await ars.run(['runs', 'create', 'test-echo', '--input', '{"query":"Hello"}'])
  expect(code, stderr).toBe(0)
})
