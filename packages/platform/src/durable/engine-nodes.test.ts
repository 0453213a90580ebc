import type { RequestListener } from 'node:http'
import { expect, test } from 'vitest'
import { expectSkipped, open, startNode } from './engine-nodes.fixture.ts'

const refused = 'http://127.0.0.1:1'
const noLeader: RequestListener = (_, response) => response.writeHead(503).end('no leader')

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

test.each([['has no leader', noLeader]])(
  'a node that %s is skipped for 10 seconds, then one request tries it again',
  (_, fault) => expectSkipped(fault),
)

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
