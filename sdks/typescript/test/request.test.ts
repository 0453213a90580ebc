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

test('a call sends the key and the given parameters', async () => {
  const { client, seen } = await startService((_, response) =>
    answer(response, 200, { data: [], has_more: false, first_id: null, last_id: null }),
  )
  await client.runs.list({ status: ['failed', 'cancelled'], metadata: { team: 'a&b' }, agent_id: undefined, limit: 5 })
  expect(seen[0]).toMatchObject({
    method: 'GET',
    url: '/v2/runs?status=failed%2Ccancelled&metadata%5Bteam%5D=a%26b&limit=5',
    headers: { authorization: 'Bearer ars_live_test', accept: 'application/json' },
    body: '',
  })
  expect(seen[0]?.headers['user-agent']).toMatch(/^agent-run-service-sdk\/\d/)
})

test('ids cannot change the path', async () => {
  const { client, seen } = await startService((_, response) => answer(response, 200, {}))
  await client.runs.get('../agents?x=1#y')
  expect(seen[0]?.url).toBe('/v2/runs/..%2Fagents%3Fx%3D1%23y')
  for (const id of ['', '.', '..']) expect(() => client.runs.get(id)).toThrow(TypeError)
  expect(() => client.webhooks.delivery('wh_1', undefined as unknown as string)).toThrow('delivery_id')
  expect(seen).toHaveLength(1)
})

test('429 is retried after Retry-After', async () => {
  const { client, seen, waits } = await startService((_, response, n) =>
    n === 1
      ? answer(response, 429, refusal('rate_limited'), { 'retry-after': '7' })
      : answer(response, 200, { id: 'r' }),
  )
  expect(await client.runs.get('run_1')).toEqual({ id: 'r' })
  expect(waits).toEqual([7_000])
  expect(seen).toHaveLength(2)
})

test('a Retry-After of more than a minute is not waited for', async () => {
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

test('it gives up after the maximum number of retries', async () => {
  const { client, seen } = await startService((_, response) => answer(response, 502, '<h1>Bad gateway</h1>'))
  expect(await failureOf(client.runs.get('run_1'))).toMatchObject({ status: 502, code: 'http_502', type: 'api_error' })
  expect(seen).toHaveLength(3)
  await failureOf(client.runs.get('run_1', { maxRetries: 0 }))
  expect(seen).toHaveLength(4)
})

test('a response that breaks in its body is retried', async () => {
  const { client, seen } = await startService((_, response, n) => {
    if (n > 1) return answer(response, 200, { id: 'whole' })
    response.writeHead(200, { 'content-length': '100' }).write('{"id":"ha')
    response.socket?.destroy()
  })
  expect(await client.runs.get('run_1')).toEqual({ id: 'whole' })
  expect(seen).toHaveLength(2)
})

test('a retry of a create has the key and the bytes of the first attempt; the next call has another key', async () => {
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

test('a call that is not idempotent is retried only if the service has not processed it', async () => {
  const { client, seen } = await startService((_, response, n) => {
    if (n === 1) return void response.socket?.destroy()
    if (n === 2) return answer(response, 500, refusal('internal_error'))
    if (n === 3) return answer(response, 429, refusal('rate_limited'))
    answer(response, 200, { id: 'con_1' })
  })
  expect(await failureOf(client.connectors.refresh('con_1'))).toBeInstanceOf(ConnectionError)
  expect(await failureOf(client.connectors.refresh('con_1'))).toBeInstanceOf(ApiError)
  expect(seen).toHaveLength(2)
  expect(await client.connectors.refresh('con_1')).toEqual({ id: 'con_1' })
  expect(seen.every(({ headers }) => headers['idempotency-key'] === undefined)).toBe(true)
})

test('a hanging body is a timeout too', async () => {
  const { client } = await startService((_, response) => void response.writeHead(200).write('{'), {
    timeoutMs: 40,
    maxRetries: 0,
  })
  expect(await failureOf(client.runs.get('run_1'))).toBeInstanceOf(TimeoutError)
})

test('an unreachable service is a connection error with its cause', async () => {
  const client = new AgentRunService({ apiKey: 'k', baseUrl: 'https://localhost:1/v2', maxRetries: 0 })
  expect(await failureOf(client.runs.get('run_1'))).toMatchObject({
    name: 'ConnectionError',
    message: expect.stringMatching(/^The connection failed: GET https:\/\/localhost:1\/v2\/runs\/run_1 \(.+\)$/),
    cause: expect.any(Error),
  })
})

test('a signal aborts the call and throws its reason', async () => {
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
])('%i %s throws its error class with all fields of the service', async (status, code, Class) => {
  const body = refusal(code, { param: 'input.x', details: [{ path: 'x' }], type: 'some_error' })
  const { client } = await startService((_, response) => answer(response, status, body), { maxRetries: 0 })
  const error = await failureOf(client.runs.get('run_1'))
  expect(error).toBeInstanceOf(Class)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({
    status,
    code,
    type: 'some_error',
    message: `${status} ${code}: It is ${code} (req_1)`,
    serviceMessage: `It is ${code}`,
    param: 'input.x',
    details: [{ path: 'x' }],
    requestId: 'req_1',
    docUrl: `https://example.com/${code}`,
  })
})

test('an error of a proxy has the request id of its header', async () => {
  const { client } = await startService((_, response) => answer(response, 404, 'nothing', { 'x-request-id': 'req_9' }))
  expect(await failureOf(client.runs.get('run_1'))).toMatchObject({ code: 'http_404', requestId: 'req_9' })
})

test('a redirect is not followed, so the key is not sent elsewhere', async () => {
  const { client, seen } = await startService((_, response) => {
    response.writeHead(307, { location: '/elsewhere' }).end()
  })
  expect(await failureOf(client.runs.get('run_1'))).toMatchObject({ status: 307 })
  expect(seen).toHaveLength(1)
})

test('the option wait sends the Prefer header', async () => {
  const { client, seen } = await startService((_, response) => answer(response, 202, { id: 'run_1' }))
  const run = { agent_id: 'ag_1', input: {} }
  await client.runs.create(run)
  await client.runs.create(run, { wait: 120 })
  await client.runs.create(run, { wait: false })
  expect(seen.map(({ headers }) => headers.prefer)).toEqual([undefined, 'wait=120', 'respond-async'])
})

test('unknown fields are kept', async () => {
  const body = { id: 'run_1', status: 'a_status_of_tomorrow', new_field: { deep: [1] } }
  const { client } = await startService((_, response) => answer(response, 200, body))
  expect(await client.runs.get('run_1')).toEqual(body)
})

test('a client needs a key and an HTTPS base URL', () => {
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

test('any request is sent as the methods send theirs, and returns the body with the response', async () => {
  const { client, seen } = await startService((_, response, n) =>
    n === 1
      ? answer(response, 503, refusal('unavailable'))
      : answer(response, 200, { id: 'ag_1' }, { 'x-request-id': 'req_2' }),
  )
  const query = { limit: 2, status: ['a', 'b'], metadata: { team: 'blue' } }
  const { data, response, requestId } = await client
    .request<{ id: string }>({ method: 'GET', path: '/agents', query, headers: { 'X-Trace': 'a' } })
    .withResponse()
  expect([data.id, response.status, requestId]).toEqual(['ag_1', 200, 'req_2'])
  expect(seen.map(({ url }) => url)).toEqual(Array(2).fill('/v2/agents?limit=2&status=a%2Cb&metadata%5Bteam%5D=blue'))
  expect(seen[1]?.headers).toMatchObject({ authorization: 'Bearer ars_live_test', 'x-trace': 'a' })
  await client.request({ method: 'PATCH', path: '/agents/ag_1?view=full', query: { a: 1 }, body: { name: 'b' } })
  expect(seen[2]).toMatchObject({ method: 'PATCH', url: '/v2/agents/ag_1?view=full&a=1', body: '{"name":"b"}' })
  expect(seen[2]?.headers['content-type']).toBe('application/json')
})

test('any POST is retried after 503 only with an idempotency key', async () => {
  const { client, seen } = await startService((_, response) => answer(response, 503, refusal('unavailable')))
  const post = { method: 'POST', path: '/runs', body: {} } as const
  await expect(client.request(post)).rejects.toMatchObject({ code: 'unavailable' })
  expect(seen).toHaveLength(1)
  await expect(client.request({ ...post, idempotencyKey: 'order-1' })).rejects.toMatchObject({ status: 503 })
  expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined, ...Array(3).fill('order-1')])
})

test('any response is read: JSON, text or nothing; an error has the body and the headers', async () => {
  const { client } = await startService(({ url }, response) => {
    if (url === '/v2/text') response.writeHead(200, { 'content-type': 'text/markdown' }).end('# Title')
    else if (url === '/v2/empty') response.writeHead(204).end()
    else if (url === '/v2/broken') answer(response, 200, '{')
    else answer(response, 404, refusal('not_found'), { 'x-ratelimit-remaining': '9' })
  })
  const get = (path: string) => client.request({ method: 'GET', path, maxRetries: 0 })
  expect(await get('/text')).toBe('# Title')
  expect(await get('/empty')).toBeNull()
  await expect(get('/broken')).rejects.toBeInstanceOf(ConnectionError)
  const error = await get('/unknown').catch((caught: unknown) => caught as ApiError)
  expect(error).toBeInstanceOf(NotFoundError)
  expect((error as ApiError).headers.get('x-ratelimit-remaining')).toBe('9')
  expect((error as ApiError).body).toEqual(refusal('not_found'))
  expect(() => get('agents')).toThrow('path must begin with /')
})
