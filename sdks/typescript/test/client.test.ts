import { expect, test } from 'vitest'
import { AgentRunService, type Fetch, runStatuses } from '../src/index.ts'
import { answer, refusal, startService } from './service.ts'

const noList = { data: [], has_more: false, first_id: null, last_id: null }

test('withResponse gives the data, the response and the request id', async () => {
  const { client } = await startService((_, response) =>
    answer(response, 202, { id: 'run_1' }, { 'x-request-id': 'req_7', 'x-ratelimit-remaining': '41' }),
  )
  const { data, response, requestId } = await client.runs.create({ agent_id: 'ag_1', input: {} }).withResponse()
  expect(data).toEqual({ id: 'run_1' })
  expect(requestId).toBe('req_7')
  expect(response.status).toBe(202)
  expect(response.headers.get('x-ratelimit-remaining')).toBe('41')
})

test('withResponse of a list gives its first page', async () => {
  const { client, seen } = await startService((_, response) =>
    answer(response, 200, noList, { 'x-request-id': 'req_8' }),
  )
  const { data: page, requestId } = await client.runs.list().withResponse()
  expect(page.data).toEqual([])
  expect(requestId).toBe('req_8')
  expect(seen).toHaveLength(1)
})

test('a failed call fails once: nothing else is left unhandled', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  try {
    const { client } = await startService((_, response) => answer(response, 404, refusal('not_found')))
    await expect(client.runs.get('run_1').withResponse()).rejects.toMatchObject({ status: 404 })
    await expect(client.runs.list().withResponse()).rejects.toMatchObject({ status: 404 })
    await expect(client.runs.get('run_1')).rejects.toMatchObject({ status: 404 })
    await new Promise((resolve) => setImmediate(resolve))
    expect(unhandled).toEqual([])
  } finally {
    process.off('unhandledRejection', note)
  }
})

test('default headers are in every request; those of a call win, and the credential stays', async () => {
  const { client, seen } = await startService((_, response) => answer(response, 200, {}), {
    defaultHeaders: { 'X-Team': 'blue', 'x-trace': 'a', Authorization: 'Bearer other' },
  })
  await client.runs.get('run_1', { headers: { 'X-Trace': 'b' } })
  expect(seen[0]?.headers).toMatchObject({ 'x-team': 'blue', 'x-trace': 'b', authorization: 'Bearer ars_live_test' })
})

test('with the cookie no key is sent, and every write has a JSON content type', async () => {
  const inits: RequestInit[] = []
  const fetch: Fetch = async (_, init) => {
    inits.push(init)
    return new Response('{}')
  }
  const client = new AgentRunService({ auth: 'cookie', baseUrl: 'https://agents.example.com', fetch })
  await client.apiKeys.rotate('key_1')
  await client.runs.cancel('run_1')
  await client.auth.login({ email: 'ada@example.com', password: 'correct horse' })
  await client.auth.me()
  for (const { credentials, headers } of inits) {
    expect(credentials).toBe('include')
    expect(headers).not.toHaveProperty('authorization')
  }
  const types = inits.map(({ headers }) => (headers as Record<string, string>)['content-type'])
  expect(types).toEqual(['application/json', 'application/json', 'application/json', undefined])
})

test('without a path the version is added to the base URL', () => {
  const { baseUrl } = new AgentRunService({ apiKey: 'k', baseUrl: 'https://agents.example.com/' })
  expect(baseUrl).toBe('https://agents.example.com/v2')
})

test('the log has requests and retries, and neither keys nor parameters', async () => {
  const lines: unknown[] = []
  const take = (level: string) => (message: string, facts: object) => void lines.push([level, message, facts])
  const logger = { debug: take('debug'), info: take('info'), warn: take('warn'), error: take('error') }
  const { client } = await startService(
    (_, response, n) =>
      n === 1
        ? answer(response, 503, refusal('unavailable'))
        : answer(response, 200, noList, { 'x-request-id': 'req_1' }),
    { logger, logLevel: 'debug' },
  )
  await client.runs.list({ metadata: { secret: 'hunter2' } })
  expect(lines.map((line) => (line as string[])[1])).toEqual([
    'agent-run-service: request',
    'agent-run-service: response',
    'agent-run-service: retry',
    'agent-run-service: request',
    'agent-run-service: response',
  ])
  expect(lines[2]).toMatchObject(['info', expect.any(String), { path: '/runs', retry: 1, reason: 'unavailable' }])
  expect(lines[4]).toMatchObject(['debug', expect.any(String), { status: 200, requestId: 'req_1' }])
  expect(JSON.stringify(lines)).not.toMatch(/hunter2|ars_live_test/)
})

test('only messages of the level and above are logged, and none by default', async () => {
  const lines: string[] = []
  const note = (message: string): void => void lines.push(message)
  const logger = { debug: note, info: note, warn: note, error: note }
  const { client } = await startService((_, response) => answer(response, 200, {}), { logger })
  await client.runs.get('run_1')
  expect(lines).toEqual([])
})

test('dates are sent in ISO 8601, in queries and in bodies', async () => {
  const { client, seen } = await startService((_, response) => answer(response, 200, noList))
  const since = new Date('2026-01-15T09:30:00Z')
  await client.runs.list({ created_after: since })
  await client.webhooks.recover('wh_1', { since })
  expect(seen[0]?.url).toBe('/v2/runs?created_after=2026-01-15T09%3A30%3A00.000Z')
  expect(seen[1]?.body).toBe('{"since":"2026-01-15T09:30:00.000Z"}')
})

test('the values of enumerations can be listed', () => {
  expect(runStatuses).toContain('requires_action')
})
