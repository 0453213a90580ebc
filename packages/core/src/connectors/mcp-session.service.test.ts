import { createEgress } from '@ars/platform/egress/egress'
import { expect, test } from 'vitest'
import { mcpSessionWorld } from '../../test/mcp-session-world.ts'
import { openMcpSession } from './mcp-session.service.ts'

const world = mcpSessionWorld()
const { egress, credential, stops, never, open, failureOf, startMcp, startHostile, json, flood } = world

for (const revision of ['current', 'older'] as const) {
  test(`a server of the ${revision} revision lists its tools and answers calls, each with its key`, async () => {
    const mcp = await startMcp({ revision, credential: { header: 'authorization', value: `Bearer ${credential}` } })
    const session = await open(mcp.url)
    expect(session.listed.map(({ name }) => name)).toContain('send_email')
    expect(session.listed.find(({ name }) => name === 'lookup')?.annotations?.readOnlyHint).toBe(true)

    const sent = await session.call('send_email', { to: 'ada' }, { key: 'run_1/3/call_7', signal: never })
    expect(sent).toEqual({ result: { sent: true, to: 'ada' }, isError: false })
    expect(await session.call('echo', { text: 'hé' }, { key: 'k', signal: never })).toEqual({
      result: 'hé',
      isError: false,
    })
    expect(mcp.calls()[0]).toMatchObject({
      tool: 'send_email',
      arguments: { to: 'ada' },
      key: 'run_1/3/call_7',
      header_key: 'run_1/3/call_7',
    })
    await session.close()
  })

  test(`an aborted call stops at a server of the ${revision} revision`, async () => {
    let stopped = false
    const mcp = await startMcp({
      revision,
      tools: [],
      extend: (server) =>
        server.registerTool('wait', {}, async ({ mcpReq }) => {
          await new Promise((resolve) => mcpReq.signal.addEventListener('abort', resolve, { once: true }))
          stopped = true
          return { content: [] }
        }),
    })
    const session = await open(mcp.url)
    const controller = new AbortController()
    const calling = failureOf(session.call('wait', {}, { key: 'k', signal: controller.signal }))
    await expect.poll(() => mcp.requests()).toContain('POST tools/call')
    controller.abort(new Error('cancelled'))
    expect(await calling).toMatchObject({ outcome: 'unknown', reached: true })
    await expect.poll(() => stopped).toBe(true)
    await session.close()
  })
}

test('a server of an older revision receives the end of its session', async () => {
  const mcp = await startMcp({ revision: 'older' })
  await (await open(mcp.url)).close()
  expect(mcp.requests().at(-1)).toBe('DELETE')
})

test('a failure reported by a tool and a call refused by the server are both results', async () => {
  const session = await open((await startMcp()).url)
  const call = (name: string, args: Record<string, unknown>) => session.call(name, args, { key: 'k', signal: never })
  expect(await call('fail', { reason: 'no such mailbox' })).toEqual({ result: 'no such mailbox', isError: true })
  expect(await call('send_email', {})).toMatchObject({
    isError: true,
    result: expect.stringContaining('Invalid arguments'),
  })
  expect(await call('unheard_of', {})).toMatchObject({ isError: true, result: expect.stringContaining('not found') })
})

test('a credential echoed by a server does not appear in a result', async () => {
  const session = await open((await startMcp()).url)
  const { result } = await session.call('headers', {}, { key: 'k', signal: never })
  expect(result).toContain('Bearer [credential]')
  expect(result).not.toContain(credential)
})

test('tools that are known are not listed, and their arguments are still sent as headers where the schema says so', async () => {
  let region: unknown
  const server = await startHostile(({ id, method }, response, incoming) => {
    if (method !== 'tools/call') return null
    region = incoming.headers['mcp-param-region']
    json(response, { jsonrpc: '2.0', id, result: { resultType: 'complete', content: [{ type: 'text', text: 'ok' }] } })
    return undefined
  })
  const inputSchema = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } }
  const target = { org: 'org', name: 'Known', url: server.url, headers: {}, credential: null }
  const session = await openMcpSession({ egress, limits: world.limits }, target, never, [{ name: 'act', inputSchema }])
  expect(await session.call('act', { region: 'eu' }, { key: 'k', signal: never })).toMatchObject({ result: 'ok' })
  expect(region).toBe('eu')
  expect(server.methods).not.toContain('tools/list')
  await session.close()
})

test('an idempotency key that is not a valid header value is sent in an encoded form', async () => {
  const mcp = await startMcp()
  const session = await open(mcp.url)
  await session.call('echo', {}, { key: 'run/1/ähm\n', signal: never })
  expect(mcp.calls()[0]?.header_key).toMatch(/^[\w-]{43}$/)
  expect(mcp.calls()[0]?.key).toBe(mcp.calls()[0]?.header_key)
})

test('a wrong credential is reported as such, and no tool is called', async () => {
  const mcp = await startMcp({ credential: { header: 'authorization', value: 'Bearer other' } })
  const failure = await failureOf(open(mcp.url))
  expect(failure.message).toBe('Connector “Mail”: The server refused the credential (401)')
  expect(failure).toMatchObject({ reached: false, outcome: 'not_sent', retryable: false })
})

test('an unavailable server is reported as not reached, at session start and at a call', async () => {
  const mcp = await startMcp()
  const session = await open(mcp.url)
  await mcp.stop()
  stops.pop()
  await expect.poll(() => egress.connections().open).toBe(0)
  const call = await failureOf(session.call('send_email', { to: 'ada' }, { key: 'k', signal: never }))
  expect(call).toMatchObject({ reached: false, outcome: 'not_sent', retryable: true })
  const opening = await failureOf(open(mcp.url))
  expect(opening.message).toBe('Connector “Mail”: The server refused the connection')
  expect(opening).toMatchObject({ reached: false, retryable: true })
})

test('a call that is cut off after sending may have taken effect', async () => {
  const hostile = await startHostile(({ method }, response) =>
    method === 'tools/call' ? void response.destroy() : 'go on',
  )
  const session = await open(hostile.url)
  const failure = await failureOf(session.call('act', {}, { key: 'k', signal: never }))
  expect(failure).toMatchObject({ reached: true, outcome: 'unknown', retryable: true })
  expect(hostile.methods.filter((method) => method === 'tools/call')).toHaveLength(1)
})

test('a call that is aborted before it begins is not sent', async () => {
  const mcp = await startMcp()
  const session = await open(mcp.url)
  const failure = await failureOf(session.call('send_email', { to: 'ada' }, { key: 'k', signal: AbortSignal.abort() }))
  expect(failure).toMatchObject({ reached: false, outcome: 'not_sent' })
  expect(mcp.calls()).toEqual([])
})

test('a call answered with 3xx or 4xx did not take effect; one answered with 5xx may have', async () => {
  for (const [status, outcome] of [
    [429, 'refused'],
    [403, 'refused'],
    [302, 'refused'],
    [502, 'unknown'],
    [503, 'unknown'],
  ] as const) {
    const hostile = await startHostile(({ method }, response) =>
      method === 'tools/call'
        ? void response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(credential)
        : 'go on',
    )
    const session = await open(hostile.url)
    const failure = await failureOf(session.call('act', {}, { key: 'k', signal: never }))
    expect({ status, outcome: failure.outcome, reached: failure.reached }).toEqual({ status, outcome, reached: true })
  }
})

test('an endless response is cut off: the model receives an error and the connection is closed (connectorsBounds.result)', async () => {
  const hostile = await startHostile(({ method, id }, response) => {
    if (method !== 'tools/call') return 'go on'
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`)
    return flood(response, 'x'.repeat(65_536))
  })
  const session = await open(hostile.url)
  const answer = await session.call('act', {}, { key: 'k', signal: never })
  expect(answer).toMatchObject({ isError: true, result: expect.stringContaining('larger than 1048576 bytes') })
  await expect.poll(hostile.openSockets).toBe(0)
})

test('an endless stream, and a stream of server requests only, ends after a bounded number of calls (connectorsBounds.serverRequests)', async () => {
  const ping = `data: ${JSON.stringify({ jsonrpc: '2.0', id: 'p', method: 'ping' })}\n\n`
  const hostile = await startHostile(({ method }, response) => {
    if (method === 'tools/call') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return flood(response, ping.repeat(100))
    }
    return 'go on'
  })
  const session = await open(hostile.url)
  expect(await session.call('act', {}, { key: 'k', signal: never })).toMatchObject({ isError: true })
  await session.close()
  // The handshake, the list, the call and at most sixteen responses.
  expect(hostile.methods.length).toBeLessThanOrEqual(3 + 16)
})

test('a forbidden address is refused before any byte is sent', async () => {
  const strict = createEgress({ allowPlainHttp: true, allowPorts: 'any' })
  const server = { org: 'org', name: 'Inside', url: 'http://127.0.0.1:6379/', headers: {}, credential: null }
  const failure = await failureOf(openMcpSession({ egress: strict, limits: world.limits }, server, never))
  expect(failure.message).toContain('127.0.0.1 is a loopback address')
  expect(failure).toMatchObject({ reached: false, retryable: false })
  strict.close()
})
