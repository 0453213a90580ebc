import { readFileSync, statSync } from 'node:fs'
import { verifyWebhook } from '@agent-run-service/sdk'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type App, freePort, startApp, until } from '../../server/test/app.ts'
import { type Receiver, startReceiver } from '../../server/test/webhook-receiver.ts'
import { type Home, makeHome, type Running } from './ars.slow.ts'
import { type LocalProgram, startLocalProgram, startWay } from './local-program.ts'

let app: App
let receiver: Receiver
let ars: Home
let local: LocalProgram
let running: Running[]

beforeAll(async () => {
  receiver = await startReceiver()
  app = await startApp({ env: receiver.env })
})

afterAll(async () => {
  await app?.stop()
  await receiver?.close()
})

beforeEach(async () => {
  ars = makeHome({ url: app.url, key: app.tenant.key })
  local = await startLocalProgram()
  running = []
})

afterEach(async () => {
  for (const { child } of running) child.kill('SIGKILL')
  await local.close()
  ars.remove()
})

const listen = async (home: Home, ...options: string[]): Promise<Running> => {
  const listening = home.start(['listen', '--forward-to', local.url, ...options])
  running.push(listening)
  await until('the words that it is ready', async () => listening.stderr().includes('Ready.'))
  return listening
}

const interrupt = async ({ child, ended }: Running) => {
  child.kill('SIGINT')
  return await ended
}

const echo = async (query: string): Promise<string> => {
  const body = { agent_id: app.tenant.agents['test-echo'], input: { query } }
  return (await app.call('POST', '/v2/runs', { body })).body.id
}

const secretOf = ({ configFile }: Home): string => JSON.parse(readFileSync(configFile, 'utf8')).listen_secret

/** The runs that the local program received, in order. */
const runsHeard = (): string[] => local.heard.map(({ body }) => JSON.parse(String(body)).data.id)

const heardOf = (ids: readonly string[]) =>
  until(`events of ${ids.length} runs`, async () => ids.every((id) => runsHeard().includes(id)))

test('an event that happens is forwarded to a local program, with the bytes and the headers of a delivery', async () => {
  const webhook = { url: receiver.url('/hook'), events: ['run.completed'] }
  expect((await app.call('POST', '/v2/webhooks', { body: webhook })).status).toBe(201)
  const listening = await listen(ars)
  const id = await echo('Grüße \u2028 😀')
  await heardOf([id])
  const [told] = local.heard
  const event = await verifyWebhook({ body: told?.body ?? '', headers: told?.headers ?? {}, secret: secretOf(ars) })
  expect(event).toMatchObject({ type: 'run.completed', data: { id, output: { result: 'Grüße \u2028 😀' } } })
  expect(told?.headers).toMatchObject({
    'webhook-id': event.id,
    'content-type': 'application/json',
    'x-service-signature': expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  const delivered = await until('the delivery', async () => receiver.calls('/hook')[0])
  expect(String(told?.body)).toBe(String(delivered.body))
  const { code, stdout, stderr } = await interrupt(listening)
  expect(code, 'Ctrl-C is how one ends it').toBe(0)
  expect(stdout).toMatch(new RegExp(`^\\d\\d:\\d\\d:\\d\\d {2}run\\.completed +${event.id} {2}→ 200 {2}\\d+ ms\\n$`))
  expect(stdout, 'no colours in a pipe').not.toContain('\u001b')
  expect(stderr).toContain('1 event forwarded: 1 acknowledged, 0 failed.')
})

test('the secret is created once, printed, and stored with access for its owner only', async () => {
  const first = await interrupt(await listen(ars))
  const secret = secretOf(ars)
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(first.stderr).toContain(secret)
  expect(statSync(ars.configFile).mode & 0o777).toBe(0o600)
  const second = await interrupt(await listen(ars))
  expect(second.stderr).toContain(secret)
})

test('a gateway restart loses and duplicates no event', async () => {
  const port = await freePort()
  const restarting = { ARS_HTTP_PORT: String(port), ARS_PUBLIC_URL: `https://localhost:${port}` }
  const gateway = await app.join('gateway', restarting)
  const home = makeHome({ url: `https://localhost:${port}`, key: app.tenant.key })
  const listening = await listen(home)
  const before = [await echo('1'), await echo('2')]
  await heardOf(before)
  await gateway.stop()
  const meanwhile = [await echo('3'), await echo('4'), await echo('5')]
  await until('word that it is away', async () => listening.stderr().includes('does not respond'))
  const again = await app.join('gateway', restarting)
  await until('word that it is back', async () => listening.stderr().includes('is back'))
  const after = [await echo('6')]
  await heardOf([...before, ...meanwhile, ...after])
  await interrupt(listening)
  expect(runsHeard()).toEqual([...before, ...meanwhile, ...after])
  await again.stop()
  home.remove()
})

test('a gateway restart before the first event loses no event', async () => {
  const port = await freePort()
  const restarting = { ARS_HTTP_PORT: String(port), ARS_PUBLIC_URL: `https://localhost:${port}` }
  const gateway = await app.join('gateway', restarting)
  const home = makeHome({ url: `https://localhost:${port}`, key: app.tenant.key })
  const listening = await listen(home)
  await gateway.stop()
  const meanwhile = [await echo('1'), await echo('2')]
  const again = await app.join('gateway', restarting)
  await heardOf(meanwhile)
  await interrupt(listening)
  expect(runsHeard()).toEqual(meanwhile)
  await again.stop()
  home.remove()
})

test('broken connections lose and duplicate no event', async () => {
  const way = await startWay(app.port)
  const home = makeHome({ url: way.url, key: app.tenant.key })
  const listening = await listen(home)
  const ids: string[] = []
  for (let cut = 0; cut < 5; cut++) {
    ids.push(await echo(`before ${cut}`))
    way.cut()
    ids.push(await echo(`after ${cut}`))
  }
  await heardOf(ids)
  await interrupt(listening)
  expect(runsHeard()).toEqual(ids)
  await way.close()
  home.remove()
})

test('a failing local program is reported, and the next event is still forwarded', async () => {
  const listening = await listen(ars)
  const { port } = local
  await local.close()
  await echo('nobody is there')
  await until('the failure', async () => listening.stdout().includes(`→ connection refused at 127.0.0.1:${port}`))
  local = await startLocalProgram(port)
  local.answers(500)
  await echo('it refuses')
  await until('the refusal', async () => listening.stdout().includes('→ 500'))
  local.answers(302)
  await echo('it points elsewhere')
  await until('the redirect', async () => listening.stdout().includes('→ 302'))
  local.answers(204)
  const id = await echo('it is fine')
  await heardOf([id])
  const { stderr } = await interrupt(listening)
  expect(stderr).toContain('4 events forwarded: 1 acknowledged, 3 failed.')
  expect(local.heard, 'a redirect is not followed').toHaveLength(3)
})

test('--since replays past events, --events filters, --json prints one line per event', async () => {
  const since = new Date(Date.now() - 500).toISOString()
  const id = await echo('long ago')
  const body = { agent_id: app.tenant.agents['test-fail'], input: {} }
  const { body: failed } = await app.call('POST', '/v2/runs', { body })
  await until('both events', async () => (await app.call('GET', '/v2/events')).text.includes(failed.id))
  const listening = await listen(ars, '--since', since, '--events', 'run.completed,run.cancelled', '--json', '--print')
  await heardOf([id])
  const { stdout } = await interrupt(listening)
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.at(-1)).toMatchObject({
    event_type: 'run.completed',
    http_status: 200,
    error: null,
    event: { data: { id } },
  })
  expect(runsHeard()).not.toContain(failed.id)
})

test('listen needs --forward-to or --print', async () => {
  const refused = await ars.run(['listen'])
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--forward-to') })
  const shown = ars.start(['listen', '--print'])
  running.push(shown)
  await until('the words that it is ready', async () => shown.stderr().includes('Ready.'))
  const id = await echo('look')
  await until('the event', async () => shown.stdout().includes(id))
  expect(await interrupt(shown)).toMatchObject({ code: 0, stderr: expect.stringContaining('1 event shown.') })
})
