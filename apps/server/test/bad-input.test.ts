import { readFileSync } from 'node:fs'
import tls from 'node:tls'
import { ErrorBody, limits } from '@ars/contract'
import { stackFacts } from '@ars/testkit/stack'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sharedApp } from './app.ts'

/** A row of the list of bad inputs. To add one, add a line to a table below. */
type BadInput = {
  what: string
  /** Short for POST /v2/runs. */
  to?: (facts: Facts) => readonly [method: string, path: string]
  headers?: Record<string, string | string[]>
  body?: (facts: Facts) => string | Buffer
  status: number
  /** The field that the response names, where it matters. */
  param?: string
}

type Facts = { agent: string; foreignAgent: string; archivedAgent: string; run: string; foreignRun: string }

const codes: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  404: 'not_found',
  413: 'body_too_large',
  415: 'unsupported_media_type',
  422: 'input_invalid',
}

const withInput = (input: string) => (facts: Facts) => `{"agent_id":"${facts.agent}","input":${input}}`
const withAgent = (agent: unknown) => () => JSON.stringify({ agent_id: agent, input: {} })
const withBytes =
  (...bytes: number[]) =>
  (facts: Facts) =>
    Buffer.concat([
      Buffer.from(`{"agent_id":"${facts.agent}","input":{"query":"`),
      Buffer.from(bytes),
      Buffer.from('"}}'),
    ])
const exactly = (bytes: number) => (facts: Facts) => {
  const frame = withInput('{"query":""}')(facts)
  return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`)
}
const keys = (count: number): string => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}`
const list = (count: number): string => `[${'1,'.repeat(count - 1)}1]`
const nested = (levels: number): string => `{"a":${'['.repeat(levels - 3)}[]${']'.repeat(levels - 3)}}`

const documents: BadInput[] = [
  { what: 'no type', headers: { 'content-type': [] }, body: withInput('{}'), status: 415 },
  { what: 'JSON as text', headers: { 'content-type': 'text/plain' }, body: withInput('{}'), status: 415 },
  { what: 'a form', headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: () => '--x--', status: 415 },
  {
    what: 'UTF-16',
    headers: { 'content-type': 'application/json; charset=utf-16' },
    body: withInput('{}'),
    status: 415,
  },
  { what: 'a compressed body', headers: { 'content-encoding': 'gzip' }, body: withInput('{}'), status: 415 },
  { what: 'an empty body', body: () => '', status: 400 },
  { what: 'no body', headers: { 'content-type': [] }, status: 400 },
  { what: 'null', body: () => 'null', status: 400 },
  { what: 'a list', body: () => '[]', status: 400 },
  { what: 'a string', body: () => '"x"', status: 400 },
  { what: 'half an object', body: () => '{', status: 400 },
  { what: 'a trailing comma', body: withInput('{"a":1,}'), status: 400 },
  { what: 'NaN', body: withInput('{"a":NaN}'), status: 400 },
  { what: 'a byte order mark', body: (facts) => `\ufeff${withInput('{}')(facts)}`, status: 400 },
  { what: 'two documents', body: (facts) => withInput('{}')(facts).repeat(2), status: 400 },
  { what: 'invalid UTF-8', body: withBytes(0xff), status: 400 },
  { what: 'a letter cut in two', body: withBytes(0xc3), status: 400 },
  { what: 'overlong UTF-8', body: withBytes(0xc0, 0xaf), status: 400 },
  { what: 'a surrogate in UTF-8', body: withBytes(0xed, 0xa0, 0x80), status: 400 },
  { what: 'one level too deep', body: withInput(nested(limits.bodyDepth + 1)), status: 400 },
  { what: '10,000 levels', body: withInput(nested(10_000)), status: 400 },
  { what: 'a million levels', body: () => '['.repeat(1_000_000), status: 400 },
  { what: 'NUL', body: withInput('{"query":"a\\u0000b"}'), status: 422, param: 'input.query' },
  { what: 'NUL in a key', body: withInput('{"a\\u0000":1}'), status: 422 },
  { what: 'a lone surrogate', body: withInput('{"query":["\\ud800"]}'), status: 422, param: 'input.query.0' },
  { what: '1e400', body: withInput('{"n":1e400}'), status: 422, param: 'input.n' },
  { what: '1e131071', body: withInput('{"n":1e131071}'), status: 422 },
  { what: '1e131072', body: withInput('{"n":1e131072}'), status: 422 },
  { what: '9007199254740993', body: withInput('{"n":9007199254740993}'), status: 422, param: 'input.n' },
  { what: '-0', body: withInput('{"n":-0}'), status: 422 },
  { what: 'a long decimal', body: withInput('{"n":0.1000000000000000055}'), status: 422 },
  { what: 'an agent twice', body: ({ agent }) => `{"agent_id":"x","agent_id":"${agent}","input":{}}`, status: 400 },
  { what: 'a key twice', body: withInput('{"a":{"b":1,"b":1}}'), status: 400, param: 'input.a.b' },
  { what: '__proto__ in the input', body: withInput('{"__proto__":{"admin":true}}'), status: 400 },
  {
    what: '__proto__ as a field',
    body: ({ agent }) => `{"agent_id":"${agent}","__proto__":{"input":{}}}`,
    status: 400,
  },
  { what: 'toString as a field', body: ({ agent }) => `{"agent_id":"${agent}","input":{},"toString":1}`, status: 400 },
  { what: 'an empty field', body: ({ agent }) => `{"agent_id":"${agent}","input":{},"":1}`, status: 400 },
  {
    what: 'a field of a megabyte',
    body: ({ agent }) => `{"agent_id":"${agent}","input":{},"${'k'.repeat(1e6)}":1}`,
    status: 400,
  },
  { what: 'a byte too much', body: exactly(limits.bodyBytes + 1), status: 413 },
  { what: 'a million items', body: withInput(`{"list":${list(1_000_000)}}`), status: 413 },
  { what: 'one key too many', body: withInput(keys(limits.bodyKeys + 1)), status: 400, param: 'input' },
  { what: '90,000 keys', body: withInput(keys(90_000)), status: 400, param: 'input' },
  { what: '200,000 keys', body: withInput(keys(200_000)), status: 413 },
]

const fields: BadInput[] = [
  { what: 'no agent', body: () => '{"input":{}}', status: 400, param: 'agent_id' },
  { what: 'null for an agent', body: withAgent(null), status: 400, param: 'agent_id' },
  { what: 'a number for an agent', body: withAgent(7), status: 400, param: 'agent_id' },
  { what: 'a prefix for an agent', body: withAgent('ag_'), status: 400, param: 'agent_id' },
  { what: 'a path for an agent', body: withAgent('ag_../x'), status: 400, param: 'agent_id' },
  { what: 'capitals', body: ({ agent }) => withAgent(agent.toUpperCase())(), status: 400, param: 'agent_id' },
  { what: 'a quote for SQL', body: withAgent("ag_' or '1'='1"), status: 400, param: 'agent_id' },
  { what: '300 characters for an agent', body: withAgent(`ag_${'0'.repeat(297)}`), status: 400, param: 'agent_id' },
  { what: 'a homoglyph', body: ({ agent }) => withAgent(agent.replace('a', 'а'))(), status: 400, param: 'agent_id' },
  {
    what: 'a line break behind the agent',
    body: ({ agent }) => withAgent(`${agent}\n`)(),
    status: 400,
    param: 'agent_id',
  },
  { what: 'an unknown agent', body: withAgent('ag_01h455vb4pex5vsknk084sn02q'), status: 404 },
  { what: 'the agent of another organisation', body: ({ foreignAgent }) => withAgent(foreignAgent)(), status: 404 },
  { what: 'no input', body: ({ agent }) => JSON.stringify({ agent_id: agent }), status: 400, param: 'input' },
  { what: 'a list as input', body: withInput('[]'), status: 400, param: 'input' },
  { what: 'a string as input', body: withInput('"x"'), status: 400, param: 'input' },
  { what: 'null as input', body: withInput('null'), status: 400, param: 'input' },
  ...['org_id', 'status', 'webhook', 'priority', 'tokens_used', 'created_at', 'id'].map((field) => ({
    what: `the field ${field}, which is not the caller’s to give`,
    body: ({ agent }: Facts) => JSON.stringify({ agent_id: agent, input: {}, [field]: 'x' }),
    status: 400,
    param: field,
  })),
]

const idempotencyKeys: BadInput[] = [
  ['empty', ''],
  ['of 256 characters', 'x'.repeat(limits.idempotencyKeyChars + 1)],
  ['sent twice', ['a', 'b']],
  ['not ASCII', 'schlüssel'],
  ['quoted', '"abc"'],
].map(([what, key]) => ({
  what: `an idempotency key that is ${what}`,
  headers: { 'idempotency-key': key as string },
  body: withInput('{}'),
  status: 400,
  param: 'Idempotency-Key',
}))

const reads: BadInput[] = [
  { what: 'a prefix for a run', to: () => ['GET', '/v2/runs/run_'], status: 404 },
  { what: 'another prefix', to: ({ run }) => ['GET', `/v2/runs/${run.replace('run_', 'ag_')}`], status: 404 },
  { what: 'an id of 10 KB', to: () => ['GET', `/v2/runs/run_${'0'.repeat(10_000)}`], status: 404 },
  { what: 'a line break behind the id', to: ({ run }) => ['GET', `/v2/runs/${run}%0a`], status: 404 },
  { what: 'NUL behind the id', to: ({ run }) => ['GET', `/v2/runs/${run}%00`], status: 404 },
  { what: 'a percent sign alone', to: ({ run }) => ['GET', `/v2/runs/${run}%`], status: 400 },
  { what: 'the run of another organisation', to: ({ foreignRun }) => ['GET', `/v2/runs/${foreignRun}`], status: 404 },
  {
    what: 'a field that is not there',
    to: ({ run }) => ['GET', `/v2/runs/${run}?fields=id`],
    status: 400,
    param: 'fields',
  },
  { what: 'the id in the query too', to: ({ run }) => ['GET', `/v2/runs/${run}?id=${run}`], status: 400, param: 'id' },
  { what: 'a prototype in the query', to: () => ['GET', '/v2/agents?__proto__=x'], status: 400 },
  {
    what: 'an operator in the query',
    to: () => ['GET', '/v2/agents?status[$ne]=x'],
    status: 400,
    param: 'status[$ne]',
  },
  { what: 'a list in the query', to: () => ['GET', '/v2/agents?status[]=active'], status: 400, param: 'status[]' },
  { what: 'NUL in the query', to: () => ['GET', '/v2/agents?status=%00'], status: 400, param: 'status' },
  ...['0', '-1', '1e2', '1e9', '1000000000', '101', 'abc', '', ' 5', '5.0', '٥'].map((limit) => ({
    what: `a limit of "${limit}"`,
    to: () => ['GET', `/v2/agents?limit=${encodeURIComponent(limit)}`] as const,
    status: 400,
    param: 'limit',
  })),
  {
    what: 'a limit given 50 times',
    to: () => ['GET', `/v2/agents?${'limit=1&'.repeat(50)}`],
    status: 400,
    param: 'limit',
  },
]

let app: App
let otherOrg: string
let client: Agent
let facts: Facts
beforeAll(async () => {
  app = await sharedApp()
  // HTTP/1.1, where a header can be sent twice; over HTTP/2 this client joins the two.
  client = new Agent({ allowH2: false, connect: { ca: readFileSync(stackFacts().tls.certFile) } })
  const other = await app.addTenant()
  otherOrg = other.org
  const agent = app.tenant.agents['test-echo'] ?? ''
  const foreignAgent = other.agents['test-echo'] ?? ''
  const mine = await app.call('POST', '/v2/runs', { body: { agent_id: agent, input: { query: 'mine' } } })
  const theirs = await app.call('POST', '/v2/runs', { body: { agent_id: foreignAgent, input: {} }, key: other.key })
  await app.query("update agents set status = 'archived' where org_id = $1 and name = 'test-slow'", [app.tenant.org])
  facts = {
    agent,
    foreignAgent,
    archivedAgent: app.tenant.agents['test-slow'] ?? '',
    run: mine.body.id,
    foreignRun: theirs.body.id,
  }
})
afterAll(async () => {
  await client.close()
  await app.stop()
})

describe('bad input is refused with a message, leaves nothing behind and stops nothing', () => {
  test.each([...documents, ...fields, ...idempotencyKeys, ...reads])('[S72] $what is $status', async (row) => {
    const runsBefore = await countRuns()
    const { status, text } = await send(row)
    const { error } = ErrorBody.strict().parse(JSON.parse(text))
    expect([status, error.code]).toEqual([row.status, codes[row.status]])
    expect(error.request_id).toMatch(/^req_/)
    expect(error.message.length).toBeGreaterThan(10)
    expect(text.length).toBeLessThan(2_000)
    if (row.param !== undefined) expect(error.param).toBe(row.param)
    expect(await countRuns()).toBe(runsBefore)
    expect((await app.call('GET', '/livez')).status).toBe(200)
  })

  test('an archived agent accepts no run: 422', async () => {
    const runsBefore = await countRuns()
    const answer = await app.call('POST', '/v2/runs', { body: { agent_id: facts.archivedAgent, input: {} } })
    expect([answer.status, answer.body.error.code]).toEqual([422, 'agent_archived'])
    expect(await countRuns()).toBe(runsBefore)
  })

  test('the refusal names the position and the reason', async () => {
    const messages = await Promise.all(
      ['{"query":"\\u0000"}', '{"n":1e400}', '{"a":1,"a":2}', '{"a":1,}'].map(async (input) => {
        const { text } = await send({ what: '', body: withInput(input), status: 0 })
        return JSON.parse(text).error.message as string
      }),
    )
    expect(messages).toEqual([
      'input.query contains the character U+0000, which cannot be stored',
      'input.n is the number 1e400, which cannot be stored exactly; send it as a string',
      'input.a must not be sent twice',
      expect.stringMatching(/^The body is not valid JSON: expected a key in double quotes at line 1, column \d+/),
    ])
  })

  test.each([
    ['a bare line feed', 'a\nX-Other: b'],
    ['a bare carriage return', 'a\rb'],
    ['NUL', 'a\0b'],
  ])('an idempotency key with %s in it is refused and the connection is closed', async (_what, key) => {
    const runsBefore = await countRuns()
    const answer = await sendRaw(
      [
        'POST /v2/runs HTTP/1.1',
        'Host: localhost',
        `Authorization: Bearer ${app.tenant.key}`,
        `Idempotency-Key: ${key}`,
        'Content-Type: application/json',
        'Content-Length: 2',
        '',
        '{}',
      ].join('\r\n'),
    )
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(await countRuns()).toBe(runsBefore)
  })
})

describe('unusual but valid input is stored unchanged', () => {
  test.each([
    ['a byte less than the most', exactly(limits.bodyBytes - 1)],
    ['as many bytes as there may be', exactly(limits.bodyBytes)],
    ['as many keys as there may be', withInput(keys(limits.bodyKeys))],
    ['as deep as it may be', withInput(nested(limits.bodyDepth))],
    ['500,000 items', withInput(`{"list":${list(500_000)}}`)],
    ['a key of nearly a megabyte', withInput(`{"${'k'.repeat(1_000_000)}":1}`)],
    ['keys that objects have by themselves', withInput('{"constructor":{"prototype":{"a":1}},"toString":1,"":2}')],
    ['numbers spelt in other ways', withInput('{"list":[1.0,1e2,0.1,-1.5,9007199254740991,1e300]}')],
    ['letters outside of the basic plane, raw and escaped', withInput('{"query":"🐝 \\ud83d\\udc1d \\u2028"}')],
  ])('%s is 200', async (_what, body) => {
    const sent = body(facts)
    const { status, text } = await send({ what: '', body: () => sent, status: 200 })
    expect(status).toBe(200)
    const run = JSON.parse(text)
    expect(run.input).toEqual(JSON.parse(sent).input)
    const read = await app.call('GET', `/v2/runs/${run.id}`)
    expect(read.body.input).toEqual(run.input)
  })

  test('a charset parameter of UTF-8', async () => {
    const headers = { 'content-type': 'Application/JSON; charset="UTF-8"' }
    expect((await send({ what: '', headers, body: withInput('{}'), status: 200 })).status).toBe(200)
  })
})

test('a used idempotency key is refused for a different request, of any agent, and is free in another organisation', async () => {
  const other = await app.addTenant()
  const headers = { 'idempotency-key': 'bad-input' }
  const steps = app.tenant.agents['test-steps']
  const call = (agent_id: string | undefined, query: string, key = app.tenant.key) =>
    app.call('POST', '/v2/runs', { body: { agent_id, input: { query } }, headers, key })
  const first = await call(facts.agent, 'one')
  const refused = [await call(facts.agent, 'two'), await call(steps, 'one')]
  expect(refused.map(({ body }) => body.error.code)).toEqual(['idempotency_key_reused', 'idempotency_key_reused'])
  const theirs = await call(other.agents['test-echo'], 'one', other.key)
  expect(theirs.status).toBe(200)
  expect(theirs.body.id).not.toBe(first.body.id)
})

test('a caller who disconnects before the response has one run or none, and a retry with the key shows which', async () => {
  const leave = async (turns: number): Promise<void> => {
    const controller = new AbortController()
    const body = withInput('{"query":"gone"}')(facts)
    const headers = { 'idempotency-key': `gone-${turns}` }
    const gone = send({ what: '', headers, body: () => body, status: 200 }, controller.signal)
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
    controller.abort()
    await gone.catch(() => undefined)
  }
  const callers = Array.from({ length: 60 }, (_, at) => at * 3)
  const runsBefore = await countRuns()
  for (const turns of callers) await leave(turns)
  const again = await Promise.all(
    callers.map((turns) =>
      app.call('POST', '/v2/runs', {
        body: { agent_id: facts.agent, input: { query: 'gone' } },
        headers: { 'idempotency-key': `gone-${turns}` },
      }),
    ),
  )
  expect(again.map(({ status }) => status)).toEqual(callers.map(() => 200))
  expect(again.every(({ body }) => body.output.result === 'gone')).toBe(true)
  expect((await countRuns()) - runsBefore).toBe(callers.length)
})

const send = async (row: BadInput, signal?: AbortSignal): Promise<{ status: number; text: string }> => {
  const [method, path] = row.to?.(facts) ?? ['POST', '/v2/runs']
  const body = row.body?.(facts)
  const answer = await request(app.url + path, {
    method: method as 'GET',
    dispatcher: client,
    headers: {
      authorization: `Bearer ${app.tenant.key}`,
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      ...row.headers,
    },
    ...(body === undefined ? {} : { body }),
    ...(signal ? { signal } : {}),
  })
  return { status: answer.statusCode, text: await answer.body.text() }
}

/** Sends raw bytes that no client library would send. Returns everything until the server closes. */
const sendRaw = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = tls.connect({ port: app.port, host: 'localhost', ca: readFileSync(stackFacts().tls.certFile) })
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
    socket.write(bytes, 'latin1')
  })

const countRuns = async (): Promise<number> => {
  const orgs = [app.tenant.org, otherOrg]
  const [row] = await app.query<{ n: number }>('select count(*)::int as n from runs where org_id = any ($1)', [orgs])
  return row?.n ?? -1
}
