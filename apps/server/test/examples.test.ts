import { readFileSync, writeFileSync } from 'node:fs'
import { contract } from '@ars/contract'
import { startMailServer } from '@ars/testkit/mail-server'
import { startMcpServer } from '@ars/testkit/mcp-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from './app.ts'
import { createRecorder, type Example, operationOf } from './examples/recorder.ts'
import { playAll } from './examples/scenario.ts'
import { startReceiver } from './webhook-receiver.ts'

// The examples of the document are calls of this scenario. `pnpm examples` records them again.

const file = new URL('../../../packages/contract/examples.json', import.meta.url)
const documented = (): Record<string, Example> => JSON.parse(readFileSync(file, 'utf8'))

const ids = Object.entries(contract).flatMap(([resource, operations]) =>
  Object.keys(operations).map((name) => `${resource}.${name}`),
)

let played: ReadonlyMap<string, Example> = new Map()
const ends: (() => Promise<void>)[] = []
beforeAll(async () => {
  const receiver = await startReceiver()
  const tools = await startMcpServer({ tools: [], testTools: { send_payment: payment } })
  const mailServer = await startMailServer()
  ends.push(receiver.close, tools.stop, mailServer.close)
  const mail = {
    ARS_MAIL_FROM: 'runs@example.com',
    ARS_SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`,
    ARS_SMTP_TLS: 'off',
  }
  const app: App = await startApp({ env: { ...receiver.env, ...mail, ARS_EGRESS_ALLOW_PLAIN_HTTP: 'true' } })
  ends.unshift(app.stop)
  const recorder = createRecorder(app)
  await playAll({ app, recorder, receiver, tools, mailServer })
  played = recorder.examples
  if (process.env.ARS_WRITE_EXAMPLES !== 'true') return
  const sorted = Object.fromEntries(ids.flatMap((id) => (played.has(id) ? [[id, played.get(id)]] : [])))
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`)
}, 240_000)
afterAll(async () => {
  for (const end of ends) await end()
})

const payment = { description: 'Sends money.', properties: ['to'], annotations: { destructiveHint: true } }

test('every operation has an example', () => {
  expect([...played.keys()].sort()).toEqual([...ids].sort())
  expect(Object.keys(documented())).toEqual(ids)
})

test.each(ids)('the example of %s is what the service takes and answers', (id) => {
  const [now, shown] = [played.get(id), documented()[id]]
  expect(now?.request).toEqual(shown?.request)
  expect(now?.status).toBe(shown?.status)
  const { streams, lines, output } = operationOf(id)
  if (streams) return expect(String(shown?.response)).toMatch(/^id: .+\nevent: .+\ndata: \{/)
  if (lines) {
    const [first = ''] = String(shown?.response).split('\n')
    return expect(output.safeParse(JSON.parse(first)).error?.message).toBeUndefined()
  }
  expect(Object.keys(now?.response as object)).toEqual(Object.keys(shown?.response as object))
  expect(output.safeParse(shown?.response).error?.message).toBeUndefined()
})
