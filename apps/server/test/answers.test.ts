import { apiBasePath, contract, ErrorBody, type Operation } from '@ars/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sharedApp } from './app.ts'
import { readRefusal, sendRaw } from './raw-socket.ts'

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

describe('every response', () => {
  const operations = Object.entries(contract).flatMap(([resource, group]) =>
    Object.entries<Operation>(group).map(([name, { method, path, streams }]) => ({
      name: `${resource}.${name}`,
      method,
      // An accepted stream has no end, so this one is refused.
      path: `${apiBasePath}${path.replaceAll(/\{\w+\}/g, 'x')}${streams && method === 'GET' ? '?after=x' : ''}`,
    })),
  )
  const requests: { name: string; method: string; path: string; key?: null }[] = [
    ...operations,
    { name: 'an unknown path', method: 'GET', path: '/v2/nothing' },
    { name: 'a stranger', method: 'GET', path: '/v2/agents', key: null },
    { name: 'a list', method: 'GET', path: '/v2/agents' },
    { name: 'a broken path', method: 'GET', path: '/v2/runs/%' },
    { name: 'a probe', method: 'GET', path: '/livez' },
    { name: 'another probe', method: 'GET', path: '/readyz' },
  ]
  test.each(requests)('to $name has the security headers', async ({ method, path, ...rest }) => {
    const answer = await app.call(method, path, rest)
    expect(answer.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'strict-transport-security': 'max-age=31536000',
      'x-request-id': expect.stringMatching(/^req_/),
      'x-api-revision': 'v2.4',
    })
    if (String(answer.headers['content-type']).startsWith('application/json')) {
      expect(answer.headers['cache-control']).toBe('no-store')
    }
    expect(Object.keys(answer.headers)).not.toContain('server')
    expect(Object.keys(answer.headers)).not.toContain('x-powered-by')
    expect(Object.keys(answer.headers)).not.toContain('access-control-allow-origin')
  })

  test('to bytes that are not HTTP has them too', async () => {
    const { head } = readRefusal(await sendRaw(app.port, 'nonsense\r\n\r\n'))
    expect(head).toContain('x-content-type-options: nosniff')
    expect(head).toMatch(/x-request-id: req_/)
  })
})

/** Patterns that reveal internals: stack traces, statements, files, component names. */
const insides =
  /\bat .+:\d+|node:internal|node_modules|\.(ts|js|sql)\b|\/(work|home|usr|app|tmp)\/|\bselect\b.+\bfrom\b|\binsert into\b|relation "|column "|syntax error|postgres|pg_|redis|restate|fastify|zod|ECONNREFUSED/i

describe('an internal error', () => {
  // T19: each table that the operations use is renamed, so that every operation fails in its own statement.
  test('[S76] shows its request id and no internals, 50 times over', async () => {
    const ofPeople = ['members', 'invitations', 'audit_log']
    const tables = ['runs', 'run_heads', 'agents', 'connectors', 'api_keys', 'webhooks', 'events', ...ofPeople]
    // Cached callers expire, and authentication must keep working.
    for (const table of tables) await app.query(`alter table ${table} rename to ${table}_away`)
    const someId = '01h455vb4pex5vsknk084sn02q'
    const prefixes: Record<string, string> = {
      runs: 'run',
      agents: 'ag',
      connectors: 'con',
      webhooks: 'wh',
      events: 'evt',
      apiKeys: 'key',
      members: 'mem',
      sessions: 'ses',
    }
    const failed: { name: string; status: number; text: string }[] = []
    try {
      for (let round = 0; failed.length < 50 && round < 10; round++) {
        for (const [resource, group] of Object.entries(contract)) {
          for (const [name, { method, path }] of Object.entries<Operation>(group)) {
            const prefix = path.includes('invitations/') ? 'inv' : (prefixes[resource] ?? 'run')
            const url = apiBasePath + path.replaceAll(/\{\w+\}/g, `${prefix}_${someId}`)
            const answer = await app.call(method, url, samples[`${resource}.${name}`] ?? {})
            if (answer.status >= 500) failed.push({ name: `${resource}.${name}`, ...answer })
          }
        }
      }
    } finally {
      for (const table of tables) await app.query(`alter table ${table}_away rename to ${table}`)
    }
    expect(failed.length).toBeGreaterThanOrEqual(50)
    for (const { name, text } of failed) {
      const { error } = ErrorBody.strict().parse(JSON.parse(text))
      expect([name, error.type, error.details]).toEqual([name, 'api_error', []])
      expect(text.replace(error.doc_url, '')).not.toMatch(insides)
      const recorded = app.logLines.filter((line) => line.includes(error.request_id) && line.includes('request failed'))
      expect([name, recorded.length]).toEqual([name, 1])
    }
    expect((await app.call('GET', '/v2/agents')).status).toBe(200)
  })

  const samples: Record<string, { body?: unknown }> = {
    'runs.create': { body: { agent_id: 'ag_01h455vb4pex5vsknk084sn02q', input: {} } },
    'runs.stream': { body: { agent_id: 'ag_01h455vb4pex5vsknk084sn02q', input: {} } },
    'runs.act': { body: { type: 'approve' } },
    'members.invite': { body: { email: 'a@example.com', role: 'viewer' } },
    'members.update': { body: { role: 'viewer' } },
    'apiKeys.create': { body: { name: 'x', scopes: ['runs:read'] } },
    'apiKeys.update': { body: { name: 'x' } },
  }
})

describe('a refusal', () => {
  test.each<[string, string, unknown]>([
    ['POST', '/v2/runs', { agent_id: "ag_' or 1=1 --", input: {} }],
    ['POST', '/v2/runs', { agent_id: 'ag_01h455vb4pex5vsknk084sn02q', input: {} }],
    ['POST', '/v2/runs', { input: 7 }],
    ['GET', '/v2/runs?limit=x', undefined],
    ['GET', '/v2/runs?after=run_x', undefined],
    ['GET', '/v2/runs?created_after=never', undefined],
    ['GET', '/v2/runs/run_x', undefined],
    ['DELETE', '/v2/runs/run_x', undefined],
    ['GET', '/v2/%', undefined],
    ['GET', '/v2/runs/%E0%A4%A', undefined],
  ])('of %s %s shows no internals', async (method, path, body) => {
    const answer = await app.call(method, path, body === undefined ? {} : { body })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
    expect(answer.text.replace(answer.body.error.doc_url, '')).not.toMatch(insides)
  })
})
