import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { limits } from '@ars/contract'
import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createEgress } from '@ars/platform/egress/egress'
import { createKeyring, parseKek } from '@ars/platform/envelope'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { testCaller, testRequest } from '@ars/testkit/caller'
import { fakeClock } from '@ars/testkit/clock'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addOrganisation } from '../../test/add-organisation.ts'
import { guardAgainst } from '../../test/test-guard.ts'
import { testAgents } from '../agents/agents.fixture.ts'
import type { NewAuth } from '../agents/remote-agent.ts'
import { createSecrets } from '../secrets/index.ts'
import { createRemoteStep, type RemoteDeps } from './remote-step.service.ts'
import type { FailedTry, StepOutcome } from './step.ts'
import type { StepChecks } from './step-check.service.ts'
import type { StepContext, StepRequest } from './step-context.service.ts'

const newId = createIdMaker(systemClock)
const keyring = createKeyring({ keks: [parseKek(`k1:${randomBytes(32).toString('base64')}`)], activeKekId: 'k1' })
const egress = createEgress({ allowRanges: ['127.0.0.0/8'], allowPorts: 'any', allowPlainHttp: true })
let database: TestDatabase
let app: Database
let org: string

beforeAll(async () => {
  database = await createTestDatabase()
  app = openDatabase({
    url: database.appUrl,
    name: 'app',
    size: 2,
    log: createLog({ level: 'silent' }),
    acquireTimeoutMs: 30_000,
  })
  org = await addOrganisation(database)
})
afterAll(async () => {
  egress.close()
  for (const { close } of endpoints) close()
  await app.close()
  await database.drop()
})

type Received = { headers: IncomingMessage['headers']; body: string; url: string | undefined }
type Serve = (response: ServerResponse, received: Received, calls: number) => void

const endpoints: { close(): void }[] = []

/** A customer's agent: it records its requests and the number of open connections. */
const startEndpoint = async (serve: Serve) => {
  const received: Received[] = []
  const sockets = new Set<Socket>()
  const server = createServer(async (request, response) => {
    request.on('error', () => undefined)
    response.on('error', () => undefined)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const call = { headers: request.headers, body: Buffer.concat(chunks).toString(), url: request.url }
    received.push(call)
    serve(response, call, received.length)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  endpoints.push({ close })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/agent?v=1`
  return { url, received, openSockets: () => sockets.size }
}

const json = (response: ServerResponse, body: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const frames = (response: ServerResponse, ...documents: unknown[]): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  for (const document of documents) response.write(`data: ${JSON.stringify(document)}\n\n`)
}

type Options = {
  auth?: NewAuth
  request?: Partial<StepRequest>
  deps?: Partial<RemoteDeps>
  outputSchema?: Record<string, unknown>
  messages?: readonly { number: number; text: string }[]
  /** The agent's state after the run was accepted. */
  changed?: Record<string, unknown>
}

/** Creates the agent, executes one step of it, and returns the outcome and the frames on the way. */
const takeStep = async (url: string, options: Options = {}) => {
  const { auth, request = {}, deps = {}, outputSchema = null, messages = [], changed } = options
  const asked = { name: 'Mine', kind: 'remote', config: { url, ...(auth && { auth }) } } as const
  const agents = testAgents({ app, newId, egress, keyring })
  const { body: made } = await agents.create(testRequest(org), asked)
  const agent = await agents.get(testCaller(org), made.id)
  if (changed) await agents.update(testRequest(org), { config: changed }, agent)
  const seen = {
    deltas: '',
    resets: 0,
    backOffs: [] as { untilMs: number; message: string }[],
    failedTries: [] as FailedTry[],
    waits: [] as number[],
  }
  const lines: string[] = []
  const clock = fakeClock()
  const context: StepContext = {
    history: () => Promise.resolve({ steps: [], messages, calls: [], decisions: [] }),
    delta: (text) => {
      seen.deltas += text
    },
    reset: () => {
      seen.deltas = ''
      seen.resets++
      return Promise.resolve()
    },
    startCall: () => Promise.reject(new Error('A remote agent calls no tools')),
    finishCall: () => Promise.reject(new Error('A remote agent calls no tools')),
    openHeld: () => Promise.reject(new Error('Nothing is held back')),
    failedTry: (info) => seen.failedTries.push(info),
    backOff: (info) => seen.backOffs.push(info),
  }
  const runId = newId('run')
  const take = createRemoteStep({
    egress,
    secrets: createSecrets({ app, keyring }),
    app,
    clock,
    checks: { output: async () => [], schema: async () => [], prompt: async () => ({ kind: 'rendered', text: '' }) },
    log: createLog({ level: 'debug', write: (line) => lines.push(line) }),
    random: () => 0.5,
    sleep: (ms) => {
      seen.waits.push(ms)
      return Promise.resolve()
    },
    ...deps,
  })
  const outcome = take({
    org,
    runId,
    step: 1,
    attempt: 1,
    claims: 1,
    agent: { id: agent.id, version: agent.version, kind: 'remote', config: agent.config, outputSchema, limits: {} },
    input: { query: 'Hello' },
    spentUsd: null,
    messages: messages.length,
    guard: null,
    signal: new AbortController().signal,
    context,
    ...request,
  })
  // The aborting test awaits it later.
  outcome.catch(() => undefined)
  return { outcome, made, runId, seen, clock, log: () => lines.join('') }
}

const outcomeOf = async (url: string, options?: Options): Promise<StepOutcome> => (await takeStep(url, options)).outcome

describe('a call of a remote agent', () => {
  test('carries the run, its input and its messages, and returns the output with its usage', async () => {
    const usage = { input_tokens: 7, output_tokens: 9 }
    const endpoint = await startEndpoint((response) => json(response, { output: { result: 'hi', n: 1 }, usage }))
    const messages = [
      { number: 1, text: 'first' },
      { number: 2, text: 'second' },
    ]
    const { outcome, made, runId, seen } = await takeStep(endpoint.url, { messages })
    expect(await outcome).toEqual({
      kind: 'completed',
      output: { result: 'hi', n: 1 },
      record: {
        kind: 'remote',
        content: { text: 'hi' },
        tokens: { input: 7, output: 9 },
        costUsd: null,
        messagesRead: 2,
      },
    })
    expect(seen).toMatchObject({ deltas: 'hi', resets: 0 })
    expect(endpoint.received).toHaveLength(1)
    expect(endpoint.received[0]?.url).toBe('/agent?v=1')
    expect(JSON.parse(endpoint.received[0]?.body ?? '')).toEqual({
      run_id: runId,
      agent_id: made.id,
      agent_version: 1,
      input: { query: 'Hello' },
      messages: ['first', 'second'],
    })
    expect(endpoint.received[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'idempotency-key': `${runId}/1`,
    })
    expect(endpoint.received[0]?.headers.authorization).toBeUndefined()
  })

  test('is signed with the secret that was shown at creation', async () => {
    const endpoint = await startEndpoint((response) => json(response, { output: {} }))
    const { outcome, made, runId, clock } = await takeStep(endpoint.url)
    await outcome
    const { headers, body } = endpoint.received[0] as Received
    // Computed from the standard's definition: base64 of HMAC-SHA256 over id.timestamp.body.
    const key = Buffer.from((made.signing_secret ?? '').replace(/^whsec_/, ''), 'base64')
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
    expect(headers['webhook-id']).toBe(`${runId}/1`)
    expect(Number(headers['webhook-timestamp'])).toBe(Math.floor(clock.now().getTime() / 1000))
  })

  test.for([
    [{ type: 'bearer', token: 'a-token' }, { authorization: 'Bearer a-token' }],
    [{ type: 'header', header: 'X-Api-Key', value: 'a-value' }, { 'x-api-key': 'a-value' }],
  ] as const)('sends the credential as %j', async ([auth, expected]) => {
    const endpoint = await startEndpoint((response) => json(response, { output: {} }))
    await outcomeOf(endpoint.url, { auth })
    expect(endpoint.received[0]?.headers).toMatchObject(expected)
  })

  test('keeps the address and credential of its version after the agent changes', async () => {
    const endpoint = await startEndpoint((response) => json(response, { output: {} }))
    const other = await startEndpoint((response) => json(response, { output: {} }))
    const outcome = await outcomeOf(endpoint.url, {
      auth: { type: 'bearer', token: 'the-first' },
      changed: { url: other.url, auth: { type: 'bearer', token: 'the-second' } },
    })
    expect(outcome.kind).toBe('completed')
    expect(endpoint.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer the-first'])
    expect(other.received).toEqual([])
  })

  test('keeps its own headers when the credential header has the same name', async () => {
    const endpoint = await startEndpoint((response) => json(response, { output: {} }))
    await outcomeOf(endpoint.url, { auth: { type: 'header', header: 'webhook-signature', value: 'v1,forged' } })
    expect(endpoint.received[0]?.headers['webhook-signature']).not.toContain('forged')
  })
})

describe('a stream', () => {
  test('is forwarded chunk by chunk, however the bytes are split, and ends with the output', async () => {
    const endpoint = await startEndpoint((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const text = [
        ': hello\r\n\r\ndata: {"delta":"Grü"}\r\n\r\n',
        'data: {"delta":"ße 🙂"}\n\n',
        'id: 7\nevent: done\n',
      ]
      const end = 'data: {"output":{"result":"Grüße 🙂"},\ndata: "usage":{"input_tokens":1,"output_tokens":2}}\n\n'
      const bytes = Buffer.from(text.join('') + end)
      const next = (at: number): void => {
        if (at >= bytes.length) response.end()
        else response.write(bytes.subarray(at, at + 1), () => next(at + 1))
      }
      next(0)
    })
    const { outcome, seen } = await takeStep(endpoint.url)
    expect(await outcome).toMatchObject({
      kind: 'completed',
      output: { result: 'Grüße 🙂' },
      record: { content: { text: 'Grüße 🙂' }, tokens: { input: 1, output: 2 } },
    })
    expect(seen).toMatchObject({ deltas: 'Grüße 🙂', resets: 0 })
  })

  test('is visible before it has ended', async () => {
    let finish = (): void => undefined
    const endpoint = await startEndpoint((response) => {
      frames(response, { delta: 'one ' })
      finish = () => response.end('data: {"delta":"two"}\n\n')
    })
    const { outcome, seen } = await takeStep(endpoint.url)
    await expect.poll(() => seen.deltas).toBe('one ')
    finish()
    expect(await outcome).toMatchObject({ kind: 'completed', output: { result: 'one two' } })
  })

  test('is closed as soon as the output has arrived', async () => {
    const endpoint = await startEndpoint((response) => frames(response, { delta: 'hi' }, { output: { result: 'hi' } }))
    expect(await outcomeOf(endpoint.url)).toMatchObject({ kind: 'completed', output: { result: 'hi' } })
    await expect.poll(endpoint.openSockets).toBe(0)
  })

  test('that differs from its output fails the run, with the streamed text', async () => {
    const endpoint = await startEndpoint((response) => frames(response, { delta: 'hi' }, { output: { result: 'Hi' } }))
    const { outcome, seen } = await takeStep(endpoint.url)
    expect(await outcome).toMatchObject({ kind: 'failed', code: 'output_invalid', output: { result: 'hi' } })
    expect(seen.deltas).toBe('hi')
  })

  test('beside an output that is not text is withdrawn', async () => {
    const endpoint = await startEndpoint((response) => frames(response, { delta: 'let me see' }, { output: { n: 1 } }))
    const { outcome, seen } = await takeStep(endpoint.url)
    expect(await outcome).toMatchObject({ kind: 'completed', output: { n: 1 } })
    expect(seen).toMatchObject({ deltas: '', resets: 1 })
  })

  test('with a schema becomes the object that it encodes, and other text is withdrawn', async () => {
    const outputSchema = { type: 'object' }
    const spelling = await startEndpoint((response) => {
      frames(response, { delta: '{"a"' }, { delta: ':1}' })
      response.end()
    })
    expect(await outcomeOf(spelling.url, { outputSchema })).toMatchObject({ kind: 'completed', output: { a: 1 } })
    const thinking = await startEndpoint((response) => frames(response, { delta: 'hm' }, { output: { a: 1 } }))
    const { outcome, seen } = await takeStep(thinking.url, { outputSchema })
    expect(await outcome).toMatchObject({ kind: 'completed', output: { a: 1 } })
    expect(seen).toMatchObject({ deltas: '{"a":1}', resets: 1 })
  })

  test('that reports an error keeps its text', async () => {
    const endpoint = await startEndpoint((response) =>
      frames(response, { delta: 'so far' }, { error: { message: 'oh no' } }),
    )
    expect(await outcomeOf(endpoint.url)).toMatchObject({
      kind: 'failed',
      code: 'agent_error',
      message: 'The remote agent failed: oh no',
      output: { result: 'so far' },
    })
  })

  test('with a truncated last frame is not treated as complete', async () => {
    const endpoint = await startEndpoint((response) => {
      frames(response, { delta: 'half' })
      response.end('data: {"output":{"resu')
    })
    expect(await outcomeOf(endpoint.url)).toMatchObject({ kind: 'failed', code: 'agent_error' })
  })

  test('is stopped by a guardrail before the forbidden word is visible', async () => {
    const request = { guard: guardAgainst([{ stage: 'output', word: 'secret' }]) }
    const endpoint = await startEndpoint((response) =>
      frames(response, { delta: 'the sec' }, { delta: `ret is${' out'.repeat(200)}` }),
    )
    const { outcome, seen } = await takeStep(endpoint.url, { request })
    expect(await outcome).toMatchObject({ kind: 'failed', code: 'guardrail_blocked', details: { check: 'keywords' } })
    expect(seen.deltas).not.toContain('s')
    await expect.poll(endpoint.openSockets).toBe(0)
    const whole = await startEndpoint((response) => json(response, { output: { note: 'a secret' } }))
    expect(await outcomeOf(whole.url, { request })).toMatchObject({ code: 'guardrail_blocked' })
  })
})

describe('a failing agent', () => {
  test('is retried with the same key, after its requested delay', async () => {
    const endpoint = await startEndpoint((response, _, calls) => {
      if (calls === 1) response.writeHead(429, { 'retry-after': '4' }).end()
      else if (calls === 2) json(response, { error: { message: 'broken' } }, 500)
      else if (calls === 3) response.socket?.destroy()
      else json(response, { output: { result: 'at last' } })
    })
    const { outcome, seen, runId, clock } = await takeStep(endpoint.url)
    expect(await outcome).toMatchObject({ kind: 'completed', output: { result: 'at last' } })
    expect(endpoint.received.map(({ headers }) => headers['idempotency-key'])).toEqual(Array(4).fill(`${runId}/1`))
    expect(seen.waits).toEqual([4500, 1000, 2000])
    expect(seen.backOffs).toHaveLength(3)
    expect(seen.backOffs[0]).toEqual({
      untilMs: clock.now().getTime() + 4500,
      message: 'The remote agent answered 429, too many requests',
    })
    expect(seen.failedTries.map(({ code, message }) => [code, message])).toEqual([
      ['agent_error', 'The remote agent answered 429, too many requests'],
      ['agent_error', expect.stringContaining('broken')],
      ['agent_error', expect.any(String)],
    ])
  })

  test('that keeps failing fails the run as retryable', async () => {
    const endpoint = await startEndpoint((response) => json(response, { error: { message: 'no room' } }, 503))
    const { outcome, seen, log } = await takeStep(endpoint.url)
    expect(await outcome).toMatchObject({
      kind: 'failed',
      code: 'agent_error',
      message: 'The remote agent answered 503: no room (tried 5 times)',
      retryable: true,
      details: { status: 503 },
    })
    expect(endpoint.received).toHaveLength(5)
    expect(seen.waits).toHaveLength(4)
    expect(log()).toContain('"status":503')
    expect(log()).not.toContain('no room')
  })

  test('that asks for too long a delay is not retried', async () => {
    const endpoint = await startEndpoint((response) => response.writeHead(503, { 'retry-after': '3600' }).end())
    expect(await outcomeOf(endpoint.url)).toMatchObject({
      code: 'agent_error',
      retryable: true,
      details: { status: 503, retry_after_seconds: 3600 },
    })
    expect(endpoint.received).toHaveLength(1)
  })

  test('in the middle of a stream has its text withdrawn before the retry', async () => {
    const endpoint = await startEndpoint((response, _, calls) => {
      frames(response, { delta: calls === 1 ? 'broken ' : 'whole' })
      if (calls === 1) setImmediate(() => response.socket?.destroy())
      else response.end('data: {"output":{"result":"whole"}}\n\n')
    })
    const { outcome, seen } = await takeStep(endpoint.url)
    expect(await outcome).toMatchObject({ kind: 'completed', output: { result: 'whole' } })
    expect(seen).toMatchObject({ deltas: 'whole', resets: 1 })
  })

  test('that is unreachable is tried five times', async () => {
    const endpoint = await startEndpoint(() => undefined)
    endpoints.at(-1)?.close()
    const { outcome, seen } = await takeStep(endpoint.url)
    expect(await outcome).toMatchObject({ kind: 'failed', code: 'agent_error', retryable: true })
    expect(seen.waits).toHaveLength(4)
  })

  test.for([
    [400, { error: { message: 'bad input' } }, 'answered 400: bad input'],
    [401, {}, 'does not accept the credential'],
    [200, { error: { message: 'it broke' } }, 'The remote agent failed: it broke'],
    [200, { error: 'it broke' }, 'The remote agent failed: it broke'],
  ] as const)('that answers %i with %j fails the run at once, with a message', async ([status, body, words]) => {
    const endpoint = await startEndpoint((response) => json(response, body, status))
    const outcome = await outcomeOf(endpoint.url)
    expect(outcome).toMatchObject({ kind: 'failed', code: 'agent_error', retryable: false })
    expect((outcome as { message: string }).message).toContain(words)
    expect(endpoint.received).toHaveLength(1)
  })

  test('that echoes its credential does not leak it into the error or the log', async () => {
    const auth = { type: 'bearer', token: 'topsecret-credential' } as const
    const endpoint = await startEndpoint((response, { headers }) =>
      json(response, { error: { message: `who is ${headers.authorization}?` } }, 401),
    )
    const { outcome, log } = await takeStep(endpoint.url, { auth })
    expect(await outcome).toMatchObject({
      message: 'The remote agent answered 401, it does not accept the credential: who is Bearer …?',
    })
    expect(log()).not.toContain(auth.token)
  })

  test('whose output violates its schema fails the run with the violations', async () => {
    const endpoint = await startEndpoint((response) =>
      json(response, { output: { a: 'x' }, usage: { input_tokens: 5, output_tokens: 6 } }),
    )
    const checks: StepChecks = {
      output: async () => ['a must be a number'],
      schema: async () => [],
      prompt: async () => ({ kind: 'rendered', text: '' }),
    }
    expect(await outcomeOf(endpoint.url, { outputSchema: {}, deps: { checks } })).toMatchObject({
      kind: 'failed',
      code: 'output_invalid',
      details: { problems: ['a must be a number'] },
      record: { tokens: { input: 5, output: 6 } },
    })
  })
})

describe('a hostile answer', () => {
  /** Writes until the reader stops reading. */
  const pour = (response: ServerResponse, piece: string): void => {
    const more = (): void => {
      while (!response.destroyed && response.write(piece));
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  }
  const text = 'x'.repeat(65_536)

  test.for([
    ['one endless JSON text', 'application/json', '{"output":{"result":"', text],
    ['one endless line', 'text/event-stream', 'data: {"delta":"', text],
    ['endless lines of one frame', 'text/event-stream', '', `data: ${text}\n`],
    ['endless deltas', 'text/event-stream', '', `data: {"delta":"${text}"}\n\n`],
    ['endless comments', 'text/event-stream', '', ': still here\n\n'.repeat(5000)],
  ] as const)(
    'of %s ends as too large, and its connection is closed (stepsBounds.remoteStream, stepsBounds.remoteDocument)',
    async ([, type, start, piece]) => {
      const endpoint = await startEndpoint((response) => {
        response.writeHead(200, { 'content-type': type }).write(start)
        pour(response, piece)
      })
      expect(await outcomeOf(endpoint.url)).toMatchObject({
        kind: 'failed',
        code: 'output_too_large',
        retryable: false,
      })
      await expect.poll(endpoint.openSockets).toBe(0)
    },
  )

  test('of empty frames is closed (stepsBounds.remoteSilentFrames)', async () => {
    const endpoint = await startEndpoint((response) => {
      frames(response)
      pour(response, 'data: {}\n\n'.repeat(1000))
    })
    expect(await outcomeOf(endpoint.url)).toMatchObject({ kind: 'failed', code: 'agent_error', retryable: false })
    await expect.poll(endpoint.openSockets).toBe(0)
  })

  test('of many characters in few bytes is measured by its stored size', async () => {
    const result = '\u0001'.repeat(limits.outputBytes / 6)
    const endpoint = await startEndpoint((response) => {
      frames(response, { delta: result })
      response.end()
    })
    expect(await outcomeOf(endpoint.url)).toMatchObject({ kind: 'failed', code: 'output_too_large' })
  })

  const bodies: readonly (readonly [string, string, string | Buffer])[] = [
    ['not JSON', 'application/json', '<html>'],
    ['no output', 'application/json', '{}'],
    ['nothing', 'application/json', ''],
    ['a list', 'application/json', '[]'],
    ['an output that is a text', 'application/json', '{"output":"hi"}'],
    ['a key given twice', 'application/json', '{"output":{"a":1,"a":2}}'],
    ['a prototype', 'application/json', '{"output":{"__proto__":{"admin":true}}}'],
    ['a character that cannot be stored', 'application/json', '{"output":{"result":"\\u0000"}}'],
    ['a number that cannot be kept', 'application/json', '{"output":{"n":12345678901234567890}}'],
    ['deep nesting', 'application/json', `{"output":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_001)}`],
    ['broken UTF-8', 'application/json', Buffer.from([0x22, 0xff, 0x22])],
    ['broken UTF-8 in a stream', 'text/event-stream', Buffer.from([0x64, 0xff, 0x0a])],
    ['half a character in a stream', 'text/event-stream', 'data: {"delta":"\\ud83d"}\n\n'],
    ['a delta that is no text', 'text/event-stream', 'data: {"delta":7}\n\n'],
    ['a frame that is not JSON', 'text/event-stream', 'data: hello\n\n'],
    ['an empty stream', 'text/event-stream', ''],
    ['another type', 'text/html', '<p>hello</p>'],
  ]
  test.for(bodies)(
    'of %s fails the run with a message and not as an internal error (stepsBounds.remoteDepth)',
    async ([, type, body]) => {
      const endpoint = await startEndpoint((response) => response.writeHead(200, { 'content-type': type }).end(body))
      const { outcome, log } = await takeStep(endpoint.url)
      const ended = await outcome
      expect(ended).toMatchObject({ kind: 'failed', code: 'agent_error', retryable: false })
      expect((ended as { message: string }).message).toMatch(/^The remote agent’s answer cannot be used: ./)
      expect(endpoint.received).toHaveLength(1)
      expect(log()).not.toMatch(/<html>|<p>|hello|admin/)
    },
  )

  test('that is compressed is not decompressed', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const endpoint = await startEndpoint((response) => response.writeHead(200, headers).end('…'))
    expect(await outcomeOf(endpoint.url)).toMatchObject({ kind: 'failed', code: 'agent_error' })
  })

  test('that redirects is not followed', async () => {
    const target = await startEndpoint((response) => json(response, { output: {} }))
    const endpoint = await startEndpoint((response) => response.writeHead(307, { location: target.url }).end())
    const outcome = await outcomeOf(endpoint.url)
    expect(outcome).toMatchObject({ kind: 'failed', code: 'agent_error', retryable: false, details: { status: 307 } })
    expect((outcome as { message: string }).message).toContain('redirect')
    expect(target.received).toHaveLength(0)
  })

  test('with an endless error body is not read to the end (stepsBounds.remoteRefusal)', async () => {
    const endpoint = await startEndpoint((response) => {
      response.writeHead(400, { 'content-type': 'application/json' }).write('{"error":')
    })
    expect(await outcomeOf(endpoint.url, { deps: { refusalMs: 100 } })).toMatchObject({
      kind: 'failed',
      code: 'agent_error',
      details: { status: 400 },
    })
    const pouring = await startEndpoint((response) => {
      response.writeHead(400, { 'content-type': 'text/plain' })
      pour(response, text)
    })
    expect(await outcomeOf(pouring.url)).toMatchObject({
      kind: 'failed',
      code: 'agent_error',
      details: { status: 400 },
    })
    await expect.poll(() => endpoint.openSockets() + pouring.openSockets()).toBe(0)
  })

  test('from an address that is now forbidden is never requested', async () => {
    const endpoint = await startEndpoint((response) => json(response, { output: {} }))
    const guarded = createEgress()
    const outcome = await outcomeOf(endpoint.url, { deps: { egress: guarded } })
    guarded.close()
    expect(outcome).toMatchObject({ kind: 'failed', code: 'agent_error', retryable: false })
    expect((outcome as { message: string }).message).toContain('may not be called')
    expect(endpoint.received).toHaveLength(0)
  })
})

describe('a run that is cancelled or timed out', () => {
  const serving: readonly (readonly [string, Serve])[] = [
    ['before the first byte', () => undefined],
    ['in the middle of a stream', (response) => frames(response, { delta: 'one' })],
    ['in the middle of JSON', (response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{')],
  ]
  test.for(serving)('closes the connection at once: %s', async ([, serve]) => {
    const endpoint = await startEndpoint(serve)
    const cancel = new AbortController()
    const { outcome } = await takeStep(endpoint.url, { request: { signal: cancel.signal } })
    await expect.poll(() => endpoint.received.length).toBe(1)
    const reason = new Error('cancelled')
    cancel.abort(reason)
    await expect(outcome).rejects.toBe(reason)
    await expect.poll(endpoint.openSockets, { timeout: 10_000, interval: 5 }).toBe(0)
  })

  test('does not wait for its next attempt', async () => {
    const endpoint = await startEndpoint((response) => response.writeHead(503, { 'retry-after': '30' }).end())
    const cancel = new AbortController()
    const real = await takeStep(endpoint.url, {
      request: { signal: cancel.signal },
      deps: { sleep: undefined as never },
    })
    await expect.poll(() => real.seen.backOffs.length).toBe(1)
    cancel.abort(new Error('cancelled'))
    await expect(real.outcome).rejects.toThrow('cancelled')
    expect(endpoint.received).toHaveLength(1)
  })
})

describe('an agent that cannot be called', () => {
  test('without readable secrets fails its runs and logs an error for the operator', async () => {
    const endpoint = await startEndpoint((response) => json(response, { output: {} }))
    const secrets = createSecrets({
      app,
      keyring: createKeyring({ keks: [parseKek(`k2:${randomBytes(32).toString('base64')}`)], activeKekId: 'k2' }),
    })
    const { outcome, log } = await takeStep(endpoint.url, { deps: { secrets } })
    expect(await outcome).toMatchObject({ kind: 'failed', code: 'agent_error' })
    expect(log()).toContain('agent secrets do not open')
    expect(endpoint.received).toHaveLength(0)
  })

  test('without an address fails its runs', async () => {
    const agent = {
      id: toUuid(newId('ag')),
      version: 1,
      kind: 'remote',
      config: {},
      outputSchema: null,
      limits: {},
    } as const
    expect(await outcomeOf('http://127.0.0.1:9/', { request: { agent } })).toMatchObject({
      kind: 'failed',
      code: 'agent_error',
    })
  })

  test('beyond its call limit ends the run', async () => {
    const endpoint = await startEndpoint((response) => json(response, { output: {} }))
    expect(await outcomeOf(endpoint.url, { request: { step: limits.stepsDefault + 1 } })).toMatchObject({
      kind: 'failed',
      code: 'max_steps_exceeded',
    })
    expect(endpoint.received).toHaveLength(0)
  })
})
