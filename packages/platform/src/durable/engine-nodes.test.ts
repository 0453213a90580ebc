import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { openEngineNodes } from './engine-nodes.ts'

/** A node over a real socket, whose behaviour a test can change. */
const startNode = async (name: string) => {
  const answer: RequestListener = (_, response) => response.end(name)
  const node = { url: '', asked: 0, behave: answer, answer }
  const server = createServer((request, response) => {
    node.asked++
    node.behave(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  node.url = `http://127.0.0.1:${port}`
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return node
}

const refused = 'http://127.0.0.1:1'
const hang: RequestListener = () => undefined
const noLeader: RequestListener = (_, response) => response.writeHead(503).end('no leader')
const endlessBody: RequestListener = (_, response) => response.write('half')

const open = (urls: readonly string[]) => {
  const clock = { ms: 0, now: () => new Date(0), monotonicMs: () => clock.ms }
  const nodes = openEngineNodes({ urls, connections: 2, timeoutMs: 1_000, clock })
  onTestFinished(() => nodes.close())
  const ask = async () => (await nodes.request({ method: 'GET', path: '/' })).text
  return { clock, ask }
}

test('requests go to the first node of the list', async () => {
  const [first, second] = [await startNode('first'), await startNode('second')]
  const { ask } = open([first.url, second.url])
  expect([await ask(), await ask(), second.asked]).toEqual(['first', 'first', 0])
})

test('a node that refuses connections is skipped', async () => {
  const second = await startNode('second')
  const { ask } = open([refused, second.url])
  expect(await ask()).toBe('second')
})

test.each([
  ['does not answer', hang],
  ['does not finish its answer', endlessBody],
  ['has no leader', noLeader],
])('a node that %s is skipped for 10 seconds, then one request tries it again', async (_, fault) => {
  const [first, second] = [await startNode('first'), await startNode('second')]
  first.behave = fault
  const { clock, ask } = open([first.url, second.url])
  expect([await ask(), await ask(), first.asked]).toEqual(['second', 'second', 1])
  clock.ms = 10_000
  const both = [ask(), ask()]
  expect([await Promise.all(both), first.asked]).toEqual([['second', 'second'], 2])
  first.behave = first.answer
  expect(await ask()).toBe('second')
  clock.ms = 30_000
  expect([await ask(), await ask()]).toEqual(['first', 'first'])
})

test('an error of the request is not an error of the node', async () => {
  const [first, second] = [await startNode('first'), await startNode('second')]
  first.behave = (_, response) => response.writeHead(404).end('unknown')
  const { ask } = open([first.url, second.url])
  expect([await ask(), second.asked]).toEqual(['unknown', 0])
})

test('a single node is tried by every request', async () => {
  const only = await startNode('only')
  only.behave = noLeader
  const { ask } = open([only.url])
  await expect(ask()).rejects.toThrow('The engine answered 503: no leader')
  only.behave = only.answer
  expect(await ask()).toBe('only')
})

test('if every node has failed, the one that failed first is tried', async () => {
  const [first, second] = [await startNode('first'), await startNode('second')]
  first.behave = noLeader
  second.behave = noLeader
  const { clock, ask } = open([first.url, second.url])
  await expect(ask()).rejects.toThrow('503')
  clock.ms = 1_000
  first.behave = first.answer
  expect([await ask(), second.asked]).toEqual(['first', 1])
})
