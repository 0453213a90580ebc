import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import { unavailableReasons } from '@ars/contract'
import { asClient } from '@ars/testkit/client'
import { stackFacts } from '@ars/testkit/stack'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type App, startApp } from './app.ts'

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

/** Every write of a run fails with this code of Postgres. */
const failWritesWith = async (code: string): Promise<void> => {
  const asSuperuser = (...statements: string[]) =>
    asClient(app.database.superuserUrl, async (client) => {
      for (const each of statements) await client.query(each)
    })
  await asSuperuser(
    `create or replace function planted_fault() returns trigger language plpgsql as
       $$ begin raise exception 'planted' using errcode = '${code}'; end $$`,
    'create trigger planted_fault before insert on run_heads execute function planted_fault()',
  )
  onTestFinished(() => asSuperuser('drop trigger planted_fault on run_heads'))
}

const create = () =>
  app.call('POST', '/v2/runs', { body: { agent_id: app.tenant.agents['test-echo'], input: { query: 'hello' } } })

test.each([
  ['53100', 'disk_full'],
  ['25006', 'database_read_only'],
  ['55P03', 'blocked'],
  ['57014', 'database_busy'],
] as const)('the body, the log line and the metric of a 503 say why: %s is %s', async (code, reason) => {
  await failWritesWith(code)
  const { status, headers, body } = await create()
  expect(status).toBe(503)
  expect(headers['retry-after']).toBe('1')
  expect(body.error).toMatchObject({ code: 'unavailable', reason, message: unavailableReasons[reason] })
  const requestId = body.error.request_id
  const line = app.logLines.map((text) => JSON.parse(text)).find((each) => each.request_id === requestId)
  expect(line).toMatchObject({ status: 503, code: 'unavailable', reason })
  const metrics = await (await fetch(`${app.metricsUrl}/metrics`)).text()
  expect(metrics).toMatch(new RegExp(`^ars_requests_refused_total\\{[^}]*reason="${reason}"[^}]*\\} [1-9]`, 'm'))
})

test('after the fault the same process serves again', async () => {
  await expect.poll(async () => (await create()).status).toBe(200)
})

test('other errors have no reason', async () => {
  const { body } = await app.call('GET', '/v2/runs/run_none')
  expect(body.error).toMatchObject({ code: 'not_found', reason: null })
})

test('the runbook of failed requests has a row for every reason', () => {
  const page = readFileSync(new URL('../../../docs/runbooks/ArsRequestsFail.md', import.meta.url), 'utf8')
  const missing = Object.keys(unavailableReasons).filter((reason) => !new RegExp(`^\\|.*\`${reason}\``, 'm').test(page))
  expect(missing).toEqual([])
})

test('the connection of a closed organisation ends after the answer, so that its client looks up the address again', async () => {
  const { org } = app.tenant
  const asSuperuser = (statement: string) => asClient(app.database.superuserUrl, (client) => client.query(statement))
  await asSuperuser(`insert into closed_organisations (id, state, target) values ('${org}', 'moving', 'elsewhere')`)
  onTestFinished(async () => {
    await asSuperuser('delete from closed_organisations')
  })
  const session = http2.connect(app.url, { ca: readFileSync(stackFacts().tls.certFile) })
  const goodbye = once(session, 'goaway')
  const stream = session.request({ ':path': '/v2/runs?limit=1', authorization: `Bearer ${app.tenant.key}` })
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  const [answer] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders]
  await once(stream, 'end')
  expect([answer[':status'], JSON.parse(text).error.reason]).toEqual([503, 'organisation_closed'])
  const [code] = (await goodbye) as [number]
  expect(code).toBe(http2.constants.NGHTTP2_NO_ERROR)
  session.destroy()
  const agent = new https.Agent({ keepAlive: true, ca: readFileSync(stackFacts().tls.certFile) })
  const overHttp1 = https.get(`${app.url}/v2/runs?limit=1`, {
    agent,
    headers: { authorization: `Bearer ${app.tenant.key}` },
  })
  const [{ statusCode, headers }] = (await once(overHttp1, 'response')) as [IncomingMessage]
  expect([statusCode, headers.connection]).toEqual([503, 'close'])
  agent.destroy()
})
