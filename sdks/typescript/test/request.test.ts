import { expect, test } from 'vitest'
import {
  AgentRunService,
  ApiError,
  AuthenticationError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  TimeoutError,
} from '../src/index.ts'
import { answer, refusal, startService } from './service.ts'

const failureOf = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => {
      throw new Error('it succeeded')
    },
    (error: unknown) => error,
  )

test('a call carries the key, its parameters and nothing that was left out', async () => {
  const { client, seen } = await startService((_, response) =>
    answer(response, 200, { data: [], has_more: false, first_id: null, last_id: null }),
  )
  await client.runs.list({ status: 'failed,cancelled', metadata: { team: 'a&b' }, agent_id: undefined, limit: 5 })
  expect(seen[0]).toMatchObject({
    method: 'GET',
    url: '/v2/runs?status=failed%2Ccancelled&metadata%5Bteam%5D=a%26b&limit=5',
    headers: { authorization: 'Bearer ars_live_test', accept: 'application/json' },
    body: '',
  })
  expect(seen[0]?.headers['user-agent']).toMatch(/^agent-run-service-sdk\/\d/)
})

test('ids cannot lead to another address', async () => {
  const { client, seen } = await startService((_, response) => answer(response, 200, {}))
  await client.runs.get('../agents?x=1#y')
  expect(seen[0]?.url).toBe('/v2/runs/..%2Fagents%3Fx%3D1%23y')
  for (const id of ['', '.', '..']) expect(() => client.runs.get(id)).toThrow(TypeError)
  expect(() => client.webhooks.delivery('wh_1', undefined as unknown as string)).toThrow('delivery_id')
  expect(seen).toHaveLength(1)
})

test('429 is tried again after the seconds that the service asked for', async () => {
  const { client, seen, waits } = await startService((_, response, n) =>
    n === 1
      ? answer(response, 429, refusal('rate_limited'), { 'retry-after': '7' })
      : answer(response, 200, { id: 'r' }),
  )
  expect(await client.runs.get('run_1')).toEqual({ id: 'r' })
  expect(waits).toEqual([7_000])
  expect(seen).toHaveLength(2)
})

test('a refusal that asks for more than a minute is told at once', async () => {
  const { client, waits } = await startService((_, response) =>
    answer(response, 429, refusal('quota_exceeded'), { 'retry-after': '864000' }),
  )
  expect(await failureOf(client.runs.get('run_1'))).toMatchObject({ code: 'quota_exceeded', retryAfterMs: 864_000_000 })
  expect(waits).toEqual([])
})

test('503 and then 200 is a success, with full jitter between', async () => {
  const { client, waits } = await startService((_, response, n) =>
    n < 3 ? answer(response, 503, refusal('unavailable')) : answer(response, 200, { id: 'r' }),
  )
  expect(await client.runs.get('run_1')).toEqual({ id: 'r' })
  expect(waits).toEqual([250, 500])
})

test('it gives up after the retries that it may make', async () => {
  const { client, seen } = await startService((_, response) => answer(response, 502, '<h1>Bad gateway</h1>'))
  expect(await failureOf(client.runs.get('run_1'))).toMatchObject({ status: 502, code: 'http_502', type: 'api_error' })
  expect(seen).toHaveLength(3)
  await failureOf(client.runs.get('run_1', { maxRetries: 0 }))
  expect(seen).toHaveLength(4)
})

test('an answer that breaks in the middle of its body is asked for again', async () => {
  const { client, seen } = await startService((_, response, n) => {
    if (n > 1) return answer(response, 200, { id: 'whole' })
    response.writeHead(200, { 'content-length': '100' }).write('{"id":"ha')
    response.socket?.destroy()
  })
  expect(await client.runs.get('run_1')).toEqual({ id: 'whole' })
  expect(seen).toHaveLength(2)
})

test('a retry of a create has the key and the bytes of the first try; the next call has another key', async () => {
  const { client, seen } = await startService((_, response, n) => {
    if (n === 1) return void response.socket?.destroy()
    if (n === 2) return answer(response, 500, refusal('internal_error'))
    answer(response, 200, { id: 'run_1' })
  })
  await client.runs.create({ agent_id: 'ag_1', input: { n: 1 } })
  await client.runs.create({ agent_id: 'ag_1', input: { n: 1 } })
  await client.runs.create({ agent_id: 'ag_1', input: { n: 1 } }, { idempotencyKey: 'my own' })
  const keys = seen.map(({ headers }) => headers['idempotency-key'])
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
  expect(keys.slice(0, 3)).toEqual([keys[0], keys[0], keys[0]])
  expect(keys[3]).not.toBe(keys[0])
  expect(keys[4]).toBe('my own')
  expect(new Set(seen.map(({ body }) => body)).size).toBe(1)
})

test('what cannot be repeated safely is not repeated, unless the service has done nothing yet', async () => {
  const { client, seen } = await startService((_, response, n) => {
    if (n === 1) return void response.socket?.destroy()
    if (n === 2) return answer(response, 500, refusal('internal_error'))
    if (n === 3) return answer(response, 429, refusal('rate_limited'))
    answer(response, 201, { id: 'dlv_1' })
  })
  expect(await failureOf(client.webhooks.redeliver('wh_1', 'dlv_1'))).toBeInstanceOf(ConnectionError)
  expect(await failureOf(client.webhooks.redeliver('wh_1', 'dlv_1'))).toBeInstanceOf(ApiError)
  expect(seen).toHaveLength(2)
  expect(await client.webhooks.redeliver('wh_1', 'dlv_1')).toEqual({ id: 'dlv_1' })
  expect(seen.every(({ headers }) => headers['idempotency-key'] === undefined)).toBe(true)
})

test('a service that hangs is a time-out, tried again and then told', async () => {
  const { client, seen } = await startService(() => undefined, { timeoutMs: 40, maxRetries: 1 })
  const error = await failureOf(client.runs.get('run_1'))
  expect(error).toBeInstanceOf(TimeoutError)
  expect(error).toBeInstanceOf(ConnectionError)
  expect(seen).toHaveLength(2)
})

test('a body that hangs is a time-out too', async () => {
  const { client } = await startService((_, response) => void response.writeHead(200).write('{'), {
    timeoutMs: 40,
    maxRetries: 0,
  })
  expect(await failureOf(client.runs.get('run_1'))).toBeInstanceOf(TimeoutError)
})

test('nobody there is a connection error with its cause', async () => {
  const client = new AgentRunService({ apiKey: 'k', baseUrl: 'https://localhost:1/v2', maxRetries: 0 })
  expect(await failureOf(client.runs.get('run_1'))).toMatchObject({
    name: 'ConnectionError',
    cause: expect.any(Error),
  })
})

test('a signal stops the call, and its reason is what is thrown', async () => {
  const stopping = new AbortController()
  const reason = new Error('enough')
  const { client, seen } = await startService(() => stopping.abort(reason))
  expect(await failureOf(client.runs.get('run_1', { signal: stopping.signal }))).toBe(reason)
  expect(await failureOf(client.runs.get('run_1', { signal: stopping.signal }))).toBe(reason)
  expect(seen).toHaveLength(1)
})

test.each([
  [400, 'invalid_request', InvalidRequestError],
  [401, 'unauthorized', AuthenticationError],
  [403, 'forbidden', PermissionError],
  [404, 'not_found', NotFoundError],
  [422, 'input_invalid', InvalidRequestError],
  [429, 'rate_limited', RateLimitError],
  [500, 'internal_error', ApiError],
])('%i %s is told as what it is, with all that the service said', async (status, code, Class) => {
  const body = refusal(code, { param: 'input.x', details: [{ path: 'x' }], type: 'some_error' })
  const { client } = await startService((_, response) => answer(response, status, body), { maxRetries: 0 })
  const error = await failureOf(client.runs.get('run_1'))
  expect(error).toBeInstanceOf(Class)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({
    status,
    code,
    type: 'some_error',
    message: `It is ${code}`,
    param: 'input.x',
    details: [{ path: 'x' }],
    requestId: 'req_1',
    docUrl: `https://example.com/${code}`,
  })
})

test('an answer of a proxy keeps the request id of its header', async () => {
  const { client } = await startService((_, response) => answer(response, 404, 'nothing', { 'x-request-id': 'req_9' }))
  expect(await failureOf(client.runs.get('run_1'))).toMatchObject({ code: 'http_404', requestId: 'req_9' })
})

test('a redirect is not followed, so the key goes nowhere else', async () => {
  const { client, seen } = await startService((_, response) => {
    response.writeHead(307, { location: '/elsewhere' }).end()
  })
  expect(await failureOf(client.runs.get('run_1'))).toMatchObject({ status: 307 })
  expect(seen).toHaveLength(1)
})

test('waiting for a result is asked for in the words of the contract', async () => {
  const { client, seen } = await startService((_, response) => answer(response, 202, { id: 'run_1' }))
  const run = { agent_id: 'ag_1', input: {} }
  await client.runs.create(run)
  await client.runs.create(run, { wait: 120 })
  await client.runs.create(run, { wait: false })
  expect(seen.map(({ headers }) => headers.prefer)).toEqual([undefined, 'wait=120', 'respond-async'])
})

test('what the client does not know is kept', async () => {
  const body = { id: 'run_1', status: 'a_status_of_tomorrow', new_field: { deep: [1] } }
  const { client } = await startService((_, response) => answer(response, 200, body))
  expect(await client.runs.get('run_1')).toEqual(body)
})

test('a client cannot be made without a key, nor with an address on which the key could be read', () => {
  const make = (options: ConstructorParameters<typeof AgentRunService>[0]) => () => new AgentRunService(options)
  expect(make({ apiKey: '' })).toThrow('ARS_API_KEY')
  expect(make({ apiKey: 'ars_live_secret\n' })).toThrow(expect.not.stringContaining('secret'))
  for (const baseUrl of [
    'http://agents.example.com/v2',
    'agents.example.com',
    'https://a:b@example.com',
    'ftp://x/v2',
  ]) {
    expect(make({ apiKey: 'k', baseUrl })).toThrow('baseUrl')
  }
  expect(new AgentRunService({ apiKey: 'k', baseUrl: 'https://agents.example.com/v2/' }).baseUrl).toBe(
    'https://agents.example.com/v2',
  )
  expect(JSON.stringify(new AgentRunService({ apiKey: 'ars_live_secret' }))).not.toContain('secret')
})
