import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { mcpSessionWorld, type Request } from '../../test/mcp-session-world.ts'

const { never, busyConnections, open, failureOf, startHostile, json, flood } = mcpSessionWorld()

test('a call without a response ends at its timeout and may have taken effect (connectorsBounds.call)', async () => {
  const hostile = await startHostile(({ method }) => (method === 'tools/call' ? undefined : 'go on'))
  const session = await open(hostile.url)
  const failure = await failureOf(session.call('act', {}, { key: 'k', signal: never }))
  expect(failure.message).toBe('Connector “Mail”: There was no whole answer within 2500 ms')
  expect(failure).toMatchObject({ reached: true, outcome: 'unknown', retryable: true })
})

const result = (id: number | undefined, value: unknown) => ({ jsonrpc: '2.0', id, result: value })
const sayList = (value: unknown) => (request: Request, response: ServerResponse) =>
  request.method === 'tools/list' ? json(response, result(request.id, value)) : 'go on'

test.for<[string, string, Parameters<typeof startHostile>[0]]>([
  ['never answers', 'did not list its tools within 3000 ms', () => undefined],
  [
    'answers one letter at a time',
    'did not list its tools within 3000 ms',
    (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const timer = setInterval(() => response.write('d'), 20)
      response.on('close', () => clearInterval(timer))
    },
  ],
  [
    'sends a gigabyte',
    'larger than 2097152 bytes',
    (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      flood(response, ' '.repeat(65_536))
    },
  ],
  [
    'is a web page',
    'does not speak MCP',
    (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
  ],
  [
    'redirects',
    'a redirect (302), which is never followed',
    (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  ],
  [
    'sends no JSON',
    'did not answer with valid JSON',
    (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc"'),
  ],
  ['sends other JSON', 'not answer in the form of JSON-RPC', (_, response) => json(response, { hello: 1 })],
  [
    'answers a question that was not asked',
    'something else than was asked',
    (_, response) => json(response, result(999, {})),
  ],
  [
    'lists 10,000 tools',
    'lists more than 1000 tools',
    sayList({
      resultType: 'complete',
      tools: Array.from({ length: 10_000 }, (_, n) => ({ name: `t${n}`, inputSchema: {} })),
    }),
  ],
  [
    'lists without end (connectorsBounds.listPages)',
    'more than 20 pages',
    sayList({ resultType: 'complete', tools: [], nextCursor: 'again' }),
  ],
  [
    'lists what are no tools',
    'did not answer as MCP says',
    sayList({ resultType: 'complete', tools: [{ name: 7 }, null] }),
  ],
  [
    'closes the connection',
    'closed the connection before its response was complete',
    (_, response) => void response.destroy(),
  ],
])('a server that %s fails with a message and in time', async ([, words, answer]) => {
  const hostile = await startHostile(answer)
  const began = performance.now()
  const failure = await failureOf(open(hostile.url))
  expect(performance.now() - began).toBeLessThan(30_000)
  expect(failure.message).toContain(words)
  expect(failure).toMatchObject({ reached: false, outcome: 'not_sent' })
  await expect.poll(busyConnections).toBe(0)
})
