import { once } from 'node:events'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { balancer } from './balancer.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

const backend = async (name: string) => {
  const state = { isReady: true }
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/readyz' && !state.isReady ? 503 : 200
    response.end(name)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const stop = (): void => {
    server.close()
    server.closeAllConnections()
  }
  closers.push(stop)
  return { state, stop, target: { name, host: '127.0.0.1', port, readyUrl: `http://127.0.0.1:${port}/readyz` } }
}

const start = async () => {
  const backends = [await backend('one'), await backend('two')] as const
  // A port that was free a moment ago.
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  const front = await balancer({ listen: { host: '127.0.0.1', port }, targets: backends.map(({ target }) => target) })
  closers.push(() => front.close())
  const ask = async (): Promise<string> => {
    const request = get({ host: front.host, port: front.port, agent: false })
    const [response] = await once(request, 'response')
    return text(response)
  }
  return { backends, front, ask }
}

test('new connections go to all that are ready, in turn', async () => {
  const { ask } = await start()
  const heard = [await ask(), await ask(), await ask(), await ask()]
  expect(heard.toSorted()).toEqual(['one', 'one', 'two', 'two'])
})

test('a target that is not ready gets no new connections, although it would still answer', async () => {
  const { backends, front, ask } = await start()
  backends[0].state.isReady = false
  await expect.poll(() => front.isReady('one')).toBe(false)
  expect([await ask(), await ask(), await ask()]).toEqual(['two', 'two', 'two'])
  expect(front.turns.at(-1)).toMatchObject({ name: 'one', isReady: false })
})

test('a target that refuses a connection is skipped before the health check notices', async () => {
  const { backends, ask } = await start()
  backends[1].stop()
  expect([await ask(), await ask(), await ask()]).toEqual(['one', 'one', 'one'])
})
