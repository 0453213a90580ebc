import { readFileSync } from 'node:fs'
import http from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import { apiBasePath, contract, ErrorBody, errors, type Operation, type Scope, scopes } from '@ars/contract'
import { stackFacts } from '@ars/testkit/stack'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, startApp } from './app.ts'

const someRun = 'run_01h455vb4pex5vsknk084sn02q'
const someAgent = 'ag_01h455vb4pex5vsknk084sn02q'

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const operations = Object.entries(contract).flatMap(([resource, group]) =>
  Object.entries<Operation>(group).map(([name, operation]) => ({
    name: `${resource}.${name}`,
    method: operation.method,
    scope: operation.scope,
    path: apiBasePath + operation.path.replace('{id}', resource === 'runs' ? someRun : someAgent),
  })),
)

const guarded = operations.filter(({ scope }) => scope !== 'anyone')
const scoped = guarded.filter(({ scope }) => scope !== 'signed_in')

describe('every operation', () => {
  test.each(guarded)('[S3][S52] $name without a key is 401, in the one shape of errors', async ({ method, path }) => {
    const answer = await app.call(method, path, { key: null, ...(method === 'POST' ? { body: {} } : {}) })
    expect(answer.status).toBe(401)
    expect(ErrorBody.strict().safeParse(answer.body).error).toBeUndefined()
    expect(answer.body.error.type).toBe('authentication_error')
    expect(answer.headers['www-authenticate']).toBe('Bearer')
  })

  test.each(scoped)(
    '[S53] $name with a key that has every scope but its own is 403',
    async ({ method, path, scope }) => {
      const { key } = await app.addTenant({ scopes: scopes.filter((held: Scope) => held !== scope) })
      const answer = await app.call(method, path, { key, ...(method === 'POST' ? { body: {} } : {}) })
      expect([answer.status, answer.body.error.code]).toEqual([403, 'forbidden'])
    },
  )

  test('[S4][S81] lies under a base address that ends in v2', async () => {
    expect(operations.every(({ path }) => path.startsWith('/v2/'))).toBe(true)
    expect((await app.call('GET', '/v2/agents')).status).toBe(200)
    expect((await app.call('GET', '/agents')).status).toBe(404)
    expect((await app.call('GET', '/v1/agents')).status).toBe(404)
  })
})

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

describe('every answer', () => {
  test('[S1] is JSON, and so is what it asks for', async () => {
    const fine = await app.call('GET', '/v2/agents')
    expect(fine.headers['content-type']).toMatch(/^application\/json/)
    const refused = await app.call('POST', '/v2/runs', {
      raw: '<run/>',
      headers: { 'content-type': 'application/xml' },
    })
    expect([refused.status, refused.body.error.code]).toEqual([415, 'unsupported_media_type'])
    const broken = await app.call('POST', '/v2/runs', { raw: '{' })
    expect([broken.status, broken.body.error.code]).toEqual([400, 'invalid_request'])
  })

  test('[S81] carries the revision and a request id that the log knows', async () => {
    const answer = await app.call('GET', '/v2/agents')
    expect(answer.headers['x-api-revision']).toBe('v2.4')
    expect(answer.headers['x-request-id']).toMatch(/^req_/)
    expect(app.logLines.some((line) => line.includes(String(answer.headers['x-request-id'])))).toBe(true)
  })

  test('comes over HTTP/2 and over HTTP/1.1', async () => {
    expect(await overHttp1('/v2/agents')).toBe(401)
    expect(await overHttp2('/v2/agents')).toBe(401)
  })

  test('to an unknown path is 404, to a wrong method 405 with the right ones, to a bad id 404, to a large body 413', async () => {
    const big = { agent_id: app.tenant.agents['test-echo'], input: { query: 'x'.repeat(1_048_576) } }
    const wrongMethod = await app.call('PATCH', '/v2/runs', { body: {} })
    const answers = [
      (await app.call('GET', '/v2/nothing')).body.error.code,
      wrongMethod.body.error.code,
      (await app.call('GET', '/v2/runs/run_x')).body.error.code,
      (await app.call('POST', '/v2/runs', { body: big })).body.error.code,
    ]
    expect(answers).toEqual(['not_found', 'method_not_allowed', 'not_found', 'body_too_large'])
    expect(wrongMethod.headers.allow).toBe('POST, GET')
  })

  test('that refuses points to a page where the code is explained', async () => {
    const { body } = await app.call('GET', '/v2/nothing')
    const page = await app.call('GET', new URL(body.error.doc_url).pathname, { key: null })
    expect(page.status).toBe(200)
    for (const code of Object.keys(errors)) expect(page.text).toContain(`## ${code}`)
  })
})

describe('plain HTTP', () => {
  test('[S2] on the TLS port fails with words, and is not redirected', async () => {
    const answer = await new Promise<{ status: number; location: string | undefined; text: string }>(
      (resolve, reject) => {
        http
          .get(
            `http://localhost:${app.port}/v2/agents`,
            { headers: { authorization: `Bearer ${app.tenant.key}` } },
            (response) => {
              let text = ''
              response.on('data', (chunk) => {
                text += chunk
              })
              response.on('end', () =>
                resolve({ status: response.statusCode ?? 0, location: response.headers.location, text }),
              )
            },
          )
          .on('error', reject)
      },
    )
    expect(answer.status).toBe(400)
    expect(answer.location).toBeUndefined()
    expect(JSON.parse(answer.text).error.message).toContain('HTTPS')
  })
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
