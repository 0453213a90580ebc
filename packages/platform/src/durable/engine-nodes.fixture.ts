import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { expect, onTestFinished } from 'vitest'
import { openEngineNodes } from './engine-nodes.ts'

/** A node over a real socket, whose behaviour a test can change. */
export const startNode = async (name: string) => {
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

export const open = (urls: readonly string[]) => {
  const clock = { ms: 0, now: () => new Date(0), monotonicMs: () => clock.ms }
  const nodes = openEngineNodes({ urls, connections: 2, timeoutMs: 1_000, clock })
  onTestFinished(() => nodes.close())
  const ask = async () => (await nodes.request({ method: 'GET', path: '/' })).text
  return { clock, ask }
}

/** A node with the fault is passed over while it is asked again after 10 seconds. */
export const expectSkipped = async (fault: RequestListener): Promise<void> => {
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
}
