import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ToxicProxy, toxicProxy } from './toxic-proxy.ts'

let echo: Server
let proxy: ToxicProxy
const sockets: Socket[] = []

beforeEach(async () => {
  // It answers with what it hears, in capitals, and says goodbye when its caller does.
  echo = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    socket.on('data', (bytes) => socket.write(bytes.toString().toUpperCase()))
    socket.on('end', () => socket.end('BYE'))
  })
  echo.listen(0, '127.0.0.1')
  await once(echo, 'listening')
  const { port } = echo.address() as { port: number }
  proxy = await toxicProxy({ listen: { host: '127.0.0.9', port }, target: { host: '127.0.0.1', port } })
})

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await proxy.close()
  echo.close()
})

const call = (): Socket => {
  const socket = connect({ host: proxy.host, port: proxy.port })
  sockets.push(socket)
  return socket
}

const say = async (words: string): Promise<string> => {
  const socket = call()
  socket.end(words)
  return text(socket)
}

test('latency delays each way, and bandwidth spreads the bytes over time', async () => {
  proxy.set({ latencyMs: 60, jitterMs: 10 })
  let begun = performance.now()
  expect(await say('late')).toBe('LATEBYE')
  expect(performance.now() - begun).toBeGreaterThan(95)

  proxy.set({ bytesPerSecond: 20_000 })
  begun = performance.now()
  expect(await say('x'.repeat(8_000))).toBe(`${'X'.repeat(8_000)}BYE`)
  expect(performance.now() - begun).toBeGreaterThan(300)
})
