import { apiBasePath, limits, scopes } from '@ars/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serverBounds } from '../src/bounds.ts'
import { readRows } from './access-matrix/operations.ts'
import { type JsonSchema, sampleOf } from './access-matrix/sample.ts'
import { type App, sharedApp } from './app.ts'

let app: App
let agent: string
beforeAll(async () => {
  app = await sharedApp()
  agent = app.tenant.agents['test-echo'] ?? ''
})
afterAll(() => app.stop())

type Body = Record<string, unknown>

const refusalOf = async (method: string, path: string, options: Parameters<App['call']>[2] = {}) => {
  const { status, body } = await app.call(method, apiBasePath + path, options)
  return { status, ...(body.error as { code: string; message: string; param: string | null; details: Body[] }) }
}

describe('an error message says what to change', () => {
  test.each<[string, Body, string, string]>([
    ['a missing field', {}, 'input is required and must be a JSON object.', 'input'],
    ['a wrong type', { input: 'x' }, 'input must be a JSON object.', 'input'],
    ['a misspelt field', { imput: {} }, 'Unknown field "imput". Did you mean "input"?', 'imput'],
    ['an unknown field', { input: {}, zzz: 1 }, 'Unknown field "zzz".', 'zzz'],
    ['a wrong number', { input: {}, timeout_seconds: 0 }, 'timeout_seconds must be at least 1.', 'timeout_seconds'],
  ])('%s of a body', async (_what, body, message, param) => {
    const error = await refusalOf('POST', '/runs', { body: { agent_id: agent, ...body } })
    expect(error).toMatchObject({ status: 400, code: 'invalid_request', message, param })
    expect(error.details[0]).toEqual({ param, message })
  })

  test('a missing id and a malformed id name the kind of id', async () => {
    for (const [body, message] of [
      [{ input: {} }, 'agent_id is required and must be the id of an agent, ag_….'],
      [{ agent_id: 7, input: {} }, 'agent_id must be the id of an agent, ag_….'],
      [{ agent_id: 'x', input: {} }, 'agent_id must be the id of an agent, ag_….'],
    ] as const) {
      expect((await refusalOf('POST', '/runs', { body })).message).toBe(message)
    }
  })

  test.each([
    [
      'created_after=yesterday',
      'created_after must be a date and time in ISO 8601 with a time zone, for example 2026-03-14T09:30:00Z.',
    ],
    ['limit=many', `limit must be an integer from 1 to ${limits.pageSizeMax}.`],
    ['limit=0', `limit must be an integer from 1 to ${limits.pageSizeMax}.`],
    ['stauts=failed', 'Unknown query parameter "stauts". Did you mean "status"?'],
    ['limit=1&limit=2', 'limit must be sent only once.'],
  ])('the query %s has one fault with one message', async (query, message) => {
    const error = await refusalOf('GET', `/runs?${query}`)
    expect([error.status, error.message, error.details]).toEqual([400, message, [{ param: error.param, message }]])
  })

  test('a value outside a list names the allowed values', async () => {
    const role = await refusalOf('POST', '/members/invitations', { body: { email: 'ada@example.com', role: 'boss' } })
    expect(role.message).toBe('role must be one of owner, admin, developer, viewer.')
    const scope = await refusalOf('POST', '/api-keys', { body: { name: 'x', scopes: ['runs:raed'] } })
    expect([scope.status, scope.code]).toEqual([422, 'scope_unknown'])
    expect(scope.message).toBe(`Unknown scope runs:raed. The scopes are ${scopes.join(', ')}.`)
  })

  test.each([
    [{}, 'none'],
    [{ 'content-type': 'application/x-www-form-urlencoded' }, 'application/x-www-form-urlencoded'],
    [{ 'content-type': 'text/plain; charset=utf-8' }, 'text/plain; charset=utf-8'],
    [{ 'content-type': 'x'.repeat(500) }, 'x'.repeat(serverBounds.contentTypeTold.chars)],
  ] as const)('a body with the headers %j is 415 and names the type to send', async (headers, received) => {
    const response = await app.call('POST', `${apiBasePath}/runs`, {
      raw: JSON.stringify({ agent_id: agent, input: {} }),
      headers: { 'content-type': '', ...headers },
    })
    expect([response.status, response.body.error.code, response.body.error.message]).toEqual([
      415,
      'unsupported_media_type',
      `Send Content-Type: application/json (received ${received}).`,
    ])
  })

  test('a request without a credential gets instructions; an invalid credential gets no details', async () => {
    const missing = await refusalOf('GET', '/runs', { key: null })
    expect([missing.status, missing.code]).toEqual([401, 'unauthorized'])
    expect(missing.message).toBe('No credential was sent. Use Authorization: Bearer <API key>.')
    const invalid = await refusalOf('GET', '/runs', { key: 'ars_live_wrong' })
    expect([invalid.status, invalid.code]).toEqual([401, 'unauthorized'])
    expect(invalid.message).toBe('The API key is missing or invalid')
  })

  test.each([
    ['/runs', 'No route matches GET /runs. Did you mean /v2/runs?'],
    ['/runs/run_x', 'No route matches GET /runs/run_x. Did you mean /v2/runs/run_x?'],
    ['/nothing', 'No route matches GET /nothing.'],
    ['/v2/nothing', 'No route matches GET /v2/nothing.'],
    ['/v2/runs/', 'The id in the path is empty.'],
    ['/v2/runs/run_nope', 'run_nope does not exist.'],
  ])('GET %s is 404: %s', async (path, message) => {
    const { status, body } = await app.call('GET', path)
    expect([status, body.error.code, body.error.message]).toEqual([404, 'not_found', message])
  })

  test('a fault of the input names the field inside the input', async () => {
    const inputSchema = {
      type: 'object',
      required: ['labels'],
      properties: { labels: { type: 'array', items: { type: 'string' } }, text: { type: 'string' } },
      additionalProperties: false,
    }
    const agent_id = await app.addAgent({ config: { model: 'simulated/echo' }, inputSchema })
    const missing = await refusalOf('POST', '/runs', { body: { agent_id, input: { text: 1, more: 1 } } })
    expect([missing.status, missing.code, missing.param]).toEqual([422, 'input_invalid', 'input.labels'])
    expect(missing.message).toBe('input.labels is required.')
    expect(missing.details).toEqual([
      { param: 'input.labels', message: 'input.labels is required.' },
      { param: 'input.text', message: 'input.text must be a string.' },
      { param: 'input.more', message: 'input.more is not a known field.' },
    ])
    const item = await refusalOf('POST', '/runs', { body: { agent_id, input: { labels: ['a', 7] } } })
    expect([item.param, item.message]).toEqual(['input.labels.1', 'input.labels.1 must be a string.'])
  })

  test('a fault of a script names the field inside the script', async () => {
    const config = { model: 'simulated/script', script: [{ txt: 'a' }] }
    const error = await refusalOf('POST', '/agents/custom', { body: { name: 'x', config } })
    expect([error.code, error.param]).toEqual(['config_invalid', 'config.script.0.txt'])
    expect(error.message).toContain('is not a known field; did you mean 0.text?')
  })
})

/** Phrases of the validation library. */
const libraryPhrases =
  /Invalid input|Invalid option|Invalid ISO|Invalid string|Invalid key|Invalid UUID|Invalid URL|Unrecognized key|Too small|Too big|expected .*received|undefined/

describe('no message contains text of the validation library', () => {
  const rows = readRows()
  let key: string
  beforeAll(async () => {
    key = (await app.addTenant({ limits: { requestsPerMinute: 1_000_000, burst: 1_000_000 } })).key
  })

  test.each(rows.map((row) => [row.name, row] as const))('%s', async (_name, { operation, schema }) => {
    const sample = sampleOf(schema, sampleId) as Body
    const path = fillPath(operation.path, sample)
    const isOutsidePath = ([field]: [string, unknown]): boolean => !isInPath(operation.path, field)
    const fields = Object.entries(schema.properties ?? {}).filter(isOutsidePath)
    const readsQuery = operation.method === 'GET' || operation.method === 'DELETE'
    const valid = Object.fromEntries(Object.entries(sample).filter(isOutsidePath))
    const messages = new Set<string>()
    const codes = new Set<string>()
    const bodies = [{}, { ...valid, zzz: 1 }, ...brokenBodies(fields)]
    // A stream without a fault would not end.
    for (const body of operation.streams ? bodies.map((each) => ({ ...each, zzz: 1 })) : bodies) {
      const query = readsQuery ? `?${new URLSearchParams(toStrings(body))}` : ''
      const { body: answer } = await app.call(operation.method, `${apiBasePath}${path}${query}`, {
        key,
        ...(readsQuery ? {} : { body }),
      })
      if (answer?.error === undefined) continue
      const { code, message, details } = answer.error as {
        code: string
        message: string
        details: { message: string }[]
      }
      codes.add(code)
      for (const text of [message, ...details.map((detail) => detail.message)]) messages.add(text)
    }
    expect(codes).not.toContain('internal_error')
    expect(codes).not.toContain('rate_limited')
    expect([...messages].filter((message) => libraryPhrases.test(message))).toEqual([])
    expect([...codes]).toContain(operation.session === 'required' ? 'forbidden' : 'invalid_request')
  })

  const sampleId = (prefix: string): string => `${prefix}_01kf3xw0fqe1vrr9m8sdv2wbx4`

  const isInPath = (path: string, field: string): boolean => path.includes(`{${field}}`)

  const fillPath = (path: string, sample: Body): string =>
    path.replaceAll(/\{(\w+)\}/g, (_, field) => String(sample[field]))

  /** All fields are broken in the same way at once, because the details of one response list every fault. */
  const brokenBodies = (fields: [string, JsonSchema][]): Body[] => [
    ...wrongValues.map((value) => Object.fromEntries(fields.map(([field]) => [field, value]))),
    ...['zzz', -1, []].map((value) =>
      Object.fromEntries(
        fields.map(([field, part]) => [
          field,
          Object.fromEntries(Object.keys(formOf(part).properties ?? {}).map((name) => [name, value])),
        ]),
      ),
    ),
  ]

  const formOf = (part: JsonSchema): JsonSchema =>
    (part.anyOf ?? part.oneOf)?.find(({ properties }) => properties !== undefined) ?? part

  /** Values of the wrong type, the wrong size and the wrong shape. */
  const wrongValues: unknown[] = [
    null,
    7.5,
    -1,
    1e12,
    true,
    '',
    'zzz',
    'x'.repeat(20_000),
    [7],
    [{ zzz: 1 }],
    Array(2_000).fill('x'),
    {},
    { zzz: 1 },
    { type: 'zzz' },
    { ['k'.repeat(2_000)]: 'x' },
  ]

  // A query has at most 16 KB, so long values are cut.
  const toStrings = (body: Body): Record<string, string> =>
    Object.fromEntries(
      Object.entries(body).map(([name, value]) => [
        name,
        (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 300),
      ]),
    )
})
