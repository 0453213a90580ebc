import { expect, onTestFinished, test } from 'vitest'
import { startConformanceServer } from '../src/index.ts'

const ask = async (address: string, body?: object): Promise<Record<string, string> & { faults: string[] }> => {
  const response = await fetch(address, body ? { method: 'POST', body: JSON.stringify(body) } : {})
  return (await response.json()) as Record<string, string> & { faults: string[] }
}

const start = async (name: string) => {
  const server = await startConformanceServer()
  onTestFinished(() => server.close())
  const session = await ask(`${server.url}/sessions`, { case: name, runner: 'by-hand' })
  const judge = async (...outcomes: object[]) =>
    (await ask(`${server.url}/sessions/${session.session}/outcome`, { outcomes })).faults
  const headers = { authorization: `Bearer ${session.api_key}`, 'user-agent': 'agent-run-service/0' }
  return { server, judge, base: session.base_url ?? '', headers }
}

const run = '/runs/run_01kf3xw0fqe1vrr9m8sdv2wbx4'
const retry = 'retries: Retry-After in seconds is waited for'

test('a client that does what the transcript says passes', async () => {
  const { judge, base, headers } = await start('idempotency: a GET has no key')
  const response = await fetch(base + run, { headers })
  expect(await judge({ result: await response.json() })).toEqual([])
})

test('a retry that comes too early, a missing request and a wrong result are found', async () => {
  const early = await start(retry)
  for (let n = 0; n < 2; n++) await (await fetch(early.base + run, { headers: early.headers })).text()
  const result = { id: 'run_01kf3xw0fqe1vrr9m8sdv2wbx4' }
  expect(await early.judge({ result })).toEqual([expect.stringMatching(/^request 2 came \d+ ms after the last reply/)])

  const missing = await start(retry)
  expect(await missing.judge({ result: { id: 'run_2' } })).toEqual([
    `request 1 (GET ${run}) was not sent`,
    `request 2 (GET ${run}) was not sent`,
    'outcome 1.result.id is "run_2", expected "run_01kf3xw0fqe1vrr9m8sdv2wbx4"',
  ])
})

test('a request without the key, with an idempotency key or beyond the transcript is found', async () => {
  const { judge, base } = await start('idempotency: a GET has no key')
  const headers = { 'user-agent': 'agent-run-service/0', 'idempotency-key': 'one' }
  await (await fetch(base + run, { headers })).text()
  expect((await fetch(base + run, { headers })).status).toBe(418)
  expect(await judge({ result: { id: 'run_01kf3xw0fqe1vrr9m8sdv2wbx4' } })).toEqual([
    'request 1 has no Authorization with the key',
    'request 2 has no Authorization with the key',
    'request 1.headers.idempotency-key is "one", expected none',
    '2 requests were sent, expected 1',
  ])
})

test('a case may be skipped only if it says so', async () => {
  const { server } = await start(retry)
  const skip = (name: string) => ask(`${server.url}/skips`, { case: name, runner: 'by-hand', reason: 'none' })
  expect(await skip(retry)).toMatchObject({ passed: false })
  expect(await skip('cancellation: a call that waits for its response')).toMatchObject({ passed: true })
})

test('a response that the client must end is waited for', async () => {
  const { judge, base, headers } = await start('streams: leaving the loop ends the request')
  const stopping = new AbortController()
  const accept = 'text/event-stream'
  const response = await fetch(`${base}/runs/stream`, {
    method: 'POST',
    signal: stopping.signal,
    headers: { ...headers, accept, 'content-type': 'application/json' },
    body: '{}',
  })
  expect(response.headers.get('x-run-id')).toBeTruthy()
  stopping.abort()
  const frames = [{ type: 'run.created' }, { type: 'run.started' }]
  expect(await judge({ frames })).toEqual([])
})
