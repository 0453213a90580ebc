import { readFileSync } from 'node:fs'
import http from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import { apiBasePath, contract, ErrorBody, errors, limits, type Operation, type Scope, scopes } from '@ars/contract'
import { stackFacts } from '@ars/testkit/stack'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sharedApp } from './app.ts'

const someRun = 'run_01h455vb4pex5vsknk084sn02q'
const someAgent = 'ag_01h455vb4pex5vsknk084sn02q'

/** The published API document. */
const document = JSON.parse(
  readFileSync(new URL('../../../packages/contract/openapi.json', import.meta.url), 'utf8'),
) as { info: { version: string }; servers: { url: string }[]; paths: Record<string, Record<string, unknown>> }

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

const operations = Object.entries(contract).flatMap(([resource, group]) =>
  Object.entries<Operation>(group).map(([name, operation]) => ({
    name: `${resource}.${name}`,
    method: operation.method,
    scope: operation.scope,
    // Scopes of which one suffices; the body decides which.
    either: [
      operation.scope,
      ...(operation.conditionalScopes ?? []).flatMap((other) => (other.instead ? other.scope : [])),
    ],
    path: apiBasePath + operation.path.replace('{id}', resource === 'runs' ? someRun : someAgent),
  })),
)

const guarded = operations.filter(({ scope }) => scope !== 'anyone')
const scoped = guarded.filter(({ scope }) => scope !== 'signed_in')

describe('every operation', () => {
  test.each(guarded)('[S3][S52] $name without a key is 401, in the common error format', async ({ method, path }) => {
    const answer = await app.call(method, path, { key: null, ...(method === 'POST' ? { body: {} } : {}) })
    expect(answer.status).toBe(401)
    expect(ErrorBody.strict().safeParse(answer.body).error).toBeUndefined()
    expect(answer.body.error.type).toBe('authentication_error')
    expect(answer.headers['www-authenticate']).toBe('Bearer')
  })

  test.each(scoped)(
    '[S53] $name with a key that has every scope but the required one is 403',
    async ({ method, path, either }) => {
      const key = await keyWithout(either)
      const answer = await app.call(method, path, { key, ...(method === 'POST' ? { body: {} } : {}) })
      expect([answer.status, answer.body.error.code]).toEqual([403, 'forbidden'])
    },
  )

  test('[S4][S81] is served under the base address of the document, whose last segment is v2, and nowhere else', async () => {
    const [server] = document.servers
    expect(new URL(server?.url.replace('{host}', 'host') ?? '').pathname).toBe('/v2')
    const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
    )
    expect(routes).toHaveLength(operations.length)
    /** Whether a route exists: without a credential it is refused for that, or for an empty body. */
    const isServed = async (base: string, { method, path }: (typeof routes)[number]): Promise<boolean> => {
      const filled = path.replaceAll(/\{(\w+)\}/g, '1')
      const answer = await app.call(method, base + filled, { key: null, ...(method === 'POST' ? { body: {} } : {}) })
      expect([400, 401, 404]).toContain(answer.status)
      return answer.status !== 404
    }
    const served = async (base: string) => {
      const found = await Promise.all(routes.map(async (route) => ((await isServed(base, route)) ? [route] : [])))
      return found.flat().map(({ method, path }) => `${method} ${path}`)
    }
    expect(await served('/v2')).toEqual(routes.map(({ method, path }) => `${method} ${path}`))
    // The specification names the login address, which has no base.
    expect((await served('')).toSorted()).toEqual([
      'GET /api/auth/me',
      'PATCH /api/auth/me',
      'POST /api/auth/login',
      'POST /api/auth/logout',
    ])
    for (const base of ['/v1', '/v3', '/V2', '/v2.4', '/api/v2']) expect([base, await served(base)]).toEqual([base, []])
  })
})

const keys = new Map<string, Promise<string>>()

const keyWithout = (missing: readonly string[]): Promise<string> => {
  const make = async (): Promise<string> =>
    (await app.addTenant({ scopes: scopes.filter((held: Scope) => !missing.includes(held)) })).key
  const made = keys.get(missing.join()) ?? make()
  keys.set(missing.join(), made)
  return made
}

describe('a key', () => {
  test('[S45] authenticates as Authorization: Bearer', async () => {
    const answer = await app.call('GET', '/v2/agents')
    expect(answer.status).toBe(200)
    expect(answer.body.data.map(({ name }: { name: string }) => name)).toContain('test-echo')
  })

  test.each([
    ['with a wrong letter', (key: string) => key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')],
    ['of the right form that was never issued', () => 'ars_live_00000000000000000000000000000000000000'],
    ['that is empty', () => ''],
    ['with something behind it', (key: string) => `${key} x`],
  ])('[S52] %s is 401', async (_what, change) => {
    const answer = await app.call('GET', '/v2/agents', { key: change(app.tenant.key) })
    expect([answer.status, answer.body.error.code]).toEqual([401, 'unauthorized'])
  })

  test('never reaches the log', () => {
    expect(app.logLines.length).toBeGreaterThan(0)
    expect(app.logLines.join('')).not.toContain(app.tenant.key)
  })
})

describe('every response', () => {
  test('[S81] has the revision that the document names, whatever its kind', async () => {
    const { version } = document.info
    expect(version).toMatch(/^2\.4\.\d+$/)
    const revision = `v${version.split('.').slice(0, 2).join('.')}`
    expect(revision).toBe('v2.4')
    const token = { authorization: `Bearer ${app.tenant.key}` }
    const big = { agent_id: app.tenant.agents['test-echo'], input: { query: 'x'.repeat(1_048_576) } }
    const run = { agent_id: app.tenant.agents['test-echo'], input: {} }
    const preflight = { origin: 'https://shop.example', 'access-control-request-method': 'GET' }
    const answers = {
      success: await app.call('GET', '/v2/agents'),
      creation: await app.call('POST', '/v2/agents/test-echo/deploy', { body: {} }),
      'at the root': await app.call('GET', '/api/auth/me'),
      stream: await app.call('POST', '/v2/runs/stream', { body: run }),
      'malformed request': await app.call('GET', '/v2/agents?limit=x'),
      'no key': await app.call('GET', '/v2/agents', { key: null }),
      'unknown thing': await app.call('GET', `/v2/runs/${someRun}`),
      'unknown path': await app.call('GET', '/v2/nothing'),
      'path outside the base': await app.call('GET', '/nothing', { key: null }),
      'path that cannot be read': await app.call('GET', '/v2/agents/%E0%A4%A'),
      'wrong method': await app.call('PATCH', '/v2/runs', { body: {} }),
      'unacceptable form': await app.call('GET', '/v2/agents', { headers: { accept: 'text/html' } }),
      'large body': await app.call('POST', '/v2/runs', { body: big }),
      'long address': await app.call('GET', `/v2/agents?q=${'x'.repeat(limits.urlBytes)}`),
      'other media type': await app.call('POST', '/v2/runs', { raw: '{}', headers: { 'content-type': 'text/plain' } }),
      preflight: await app.call('OPTIONS', `/v2/runs/${someRun}`, { key: null, headers: preflight }),
      'page of errors': await app.call('GET', '/docs/errors', { key: null }),
      probe: await app.call('GET', '/livez', { key: null }),
      'plain HTTP': await overPlainHttp('/v2/agents', token),
    }
    const revisions = Object.entries(answers).map(([kind, { headers }]) => [kind, headers['x-api-revision']])
    expect(revisions).toEqual(Object.keys(answers).map((kind) => [kind, revision]))
    expect(Object.values(answers).map(({ status }) => status)).toEqual([
      200, 201, 200, 200, 400, 401, 404, 404, 404, 400, 405, 406, 413, 414, 415, 204, 200, 200, 400,
    ])
  })

  test('carries a request id that is in the log', async () => {
    const answer = await app.call('GET', '/v2/agents')
    expect(answer.headers['x-request-id']).toMatch(/^req_/)
    expect(app.logLines.some((line) => line.includes(String(answer.headers['x-request-id'])))).toBe(true)
  })

  test('is served over HTTP/2 and over HTTP/1.1', async () => {
    expect(await overHttp1('/v2/agents')).toBe(401)
    expect(await overHttp2('/v2/agents')).toBe(401)
  })

  test('to an unknown path is 404, to a wrong method 405 with the allowed ones, to a bad id 404, to a large body 413', async () => {
    const big = { agent_id: app.tenant.agents['test-echo'], input: { query: 'x'.repeat(1_048_576) } }
    const wrongMethod = await app.call('PATCH', '/v2/runs', { body: {} })
    const answers = [
      (await app.call('GET', '/v2/nothing')).body.error.code,
      wrongMethod.body.error.code,
      (await app.call('GET', '/v2/runs/run_x')).body.error.code,
      (await app.call('POST', '/v2/runs', { body: big })).body.error.code,
    ]
    expect(answers).toEqual(['not_found', 'method_not_allowed', 'not_found', 'body_too_large'])
    expect(wrongMethod.headers.allow).toBe('POST, GET, HEAD')
  })

  test('that is an error links to a page that explains the code', async () => {
    const { body } = await app.call('GET', '/v2/nothing')
    const page = await app.call('GET', new URL(body.error.doc_url).pathname, { key: null })
    expect(page.status).toBe(200)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    for (const code of Object.keys(errors)) expect(page.text).toContain(`id="${code}"`)
  })
})

describe('plain HTTP', () => {
  test('[S2] on the TLS port fails with a message and is not redirected', async () => {
    const { status, headers, text } = await overPlainHttp('/v2/agents', { authorization: `Bearer ${app.tenant.key}` })
    expect(status).toBe(400)
    expect(headers.location).toBeUndefined()
    expect(JSON.parse(text).error.message).toContain('HTTPS')
  })
})

const overPlainHttp = (path: string, sent: Record<string, string>) =>
  new Promise<{ status: number; headers: http.IncomingHttpHeaders; text: string }>((resolve, reject) => {
    http
      .get(`http://localhost:${app.port}${path}`, { headers: sent }, (response) => {
        let text = ''
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
      })
      .on('error', reject)
  })

const ca = () => readFileSync(stackFacts().tls.certFile)

const overHttp1 = (path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    https
      .get(app.url + path, { ca: ca() }, (response) => {
        response.resume()
        resolve(response.httpVersion === '1.1' ? (response.statusCode ?? 0) : -1)
      })
      .on('error', reject)
  })

const overHttp2 = (path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const session = http2.connect(app.url, { ca: ca() })
    session.on('error', reject)
    const stream = session.request({ ':path': path })
    stream.on('response', (headers) => {
      resolve(Number(headers[':status']))
      session.close()
    })
    stream.resume()
  })
