import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { type App, startApp, until } from '../../server/test/app.ts'
import { type Receiver, startReceiver } from '../../server/test/webhook-receiver.ts'
import { type Home, makeHome } from './ars.slow.ts'
import { openTerminal, type TmuxTerminal } from './tmux.slow.ts'

// What only a person at a terminal sees.

let receiver: Receiver
let app: App
let home: Home
let terminal: TmuxTerminal

beforeAll(async () => {
  receiver = await startReceiver()
  app = await startApp({ env: receiver.env })
  home = makeHome({ url: app.url, key: app.tenant.key })
})

afterAll(async () => {
  home?.remove()
  await app?.stop()
  await receiver?.close()
})

const open = async (columns?: number): Promise<TmuxTerminal> => {
  const opened = await openTerminal({ home, shell: ['bash', '--norc', '--noprofile'], ...(columns && { columns }) })
  onTestFinished(() => opened.close())
  return opened
}

beforeEach(async () => {
  terminal = await open()
})

/** A run that waits for an approval. */
const waitingRun = async (): Promise<string> => {
  const body = { agent_id: app.tenant.agents['test-approval'], input: { message: 'Pay 20 euros?' } }
  const { body: run } = await app.call('POST', '/v2/runs', { body, headers: { prefer: 'respond-async' } })
  await until('the question', async () => (await statusOf(run.id)) === 'requires_action')
  return run.id
}

const statusOf = async (id: string): Promise<string> => (await app.call('GET', `/v2/runs/${id}`)).body.status

test('runs act shows the question and sends the decision of the person', async () => {
  const id = await waitingRun()
  await terminal.enter(`ars runs act ${id}; echo "ended with $?"`)
  await terminal.shows(/The run waits for an approval: [\s\S]*approve, reject or later \[later\]:$/m)
  await terminal.enter('perhaps')
  await terminal.shows(/perhaps\n.*approve, reject or later \[later\]:$/m)
  expect(await statusOf(id)).toBe('requires_action')
  await terminal.enter('approve')
  await terminal.shows(/^ended with 0$/m)
  await until('the end', async () => (await statusOf(id)) === 'completed')
})

test('runs act decides nothing after Enter, and Ctrl-C ends it', async () => {
  const id = await waitingRun()
  await terminal.enter(`ars runs act ${id}; echo "ended with $?"`)
  await terminal.shows(/\[later\]:$/m)
  await terminal.press('Enter')
  await terminal.shows(/is requires_action\.[\s\S]*ended with 0$/m)
  await terminal.enter(`clear; ars runs act ${id}; echo "ended with $?"`)
  await terminal.shows(/\[later\]:$/m)
  await terminal.press('C-c')
  await terminal.shows(/ended with 130$/m)
  expect(await statusOf(id)).toBe('requires_action')
})

test('runs act without a terminal names the actions', async () => {
  const piped = await home.run(['runs', 'act', 'run_01m7ek7549ej9s2d1m7z8n0ycp'])
  expect([piped.code, piped.stderr]).toEqual([2, expect.stringContaining('approve, reject, respond or message')])
})

test('--watch repeats until Ctrl-C', async () => {
  await terminal.enter('ars models list --limit 1 --watch; echo "ended with $?"')
  const repeated = await terminal.shows(/PROVIDER[\s\S]*PROVIDER/)
  expect(repeated).not.toContain('ended with 0\n')
  await terminal.press('C-c')
  await terminal.shows(/ended with 0$/m)
})

test('Ctrl-C ends the stream of a run, not the run, and the terminal shows how to go on', async () => {
  await terminal.enter(`ars runs create test-slow --input '{"seconds":60}' --stream; echo "ended with $?"`)
  const [, id = ''] = /· (run_\w+)/.exec(await terminal.shows(/· run_\w+/)) ?? []
  await terminal.press('C-c')
  const last = await terminal.shows(/ended with 130$/m)
  expect(last).toContain(`ars runs cancel ${id}`)
  expect((await home.run(['runs', 'cancel', id])).code).toBe(0)
})

test('progress is one line that the result replaces, also in a narrow terminal', async () => {
  const narrow = await open(40)
  const held: (() => void)[] = []
  const url = receiver.on('/held', (_, response) => void held.push(() => response.writeHead(204).end()))
  const { json: webhook } = await home.run(['webhooks', 'create', url, '--events', 'run.completed', '--json'])
  await home.run(['webhooks', 'pause', webhook.id])
  const { json: run } = await home.run(['runs', 'create', 'test-echo', '--json'])
  await until('the event', async () => (await app.call('GET', '/v2/events')).text.includes(run.id))
  await home.run(['webhooks', 'enable', webhook.id])
  await narrow.enter(`clear; ars webhooks recover ${webhook.id} --since 1h; echo "ended with $?"`)
  await until('the delivery', async () => held.length > 0)
  // 45 characters, cut to the width.
  const line = /^1 event missed, 0 delivered, 0 failed[^\n]*$/m
  const [shown = ''] = line.exec(await narrow.shows(line)) ?? []
  expect(shown.length).toBeLessThan(40)
  for (const answer of held) answer()
  const last = await narrow.shows(/^ended with 0$/m)
  expect(last).toMatch(/^completed: 1 event missed/m)
  expect(last).not.toContain('0 delivered')
})

test('the key is asked for without showing it', async () => {
  await terminal.enter('export ARS_API_KEY= ARS_CONFIG=$HOME/prompted.json; clear; ars login; echo "ended with $?"')
  await terminal.shows(/API key \(hidden\):$/m)
  await terminal.type(`${app.tenant.key}x`)
  await terminal.press('BSpace', 'Enter')
  const last = await terminal.shows(/^ended with 0$/m)
  expect(last).toContain('Logged in at')
  expect(last).not.toContain(app.tenant.key.slice(0, 20))
})
