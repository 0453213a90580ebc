import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { waitFor } from '../lab/condition.ts'
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

test('without toxics every byte passes, and the end of it too', async () => {
  const long = 'abc'.repeat(100_000)
  expect(await say(long)).toBe(`${long.toUpperCase()}BYE`)
  await waitFor('the close', () => proxy.lastClosed().up > 0, { timeoutMs: 2000, everyMs: 5 })
  expect(proxy.lastClosed()).toEqual({ up: 300_000, down: 300_003 })
})

test('a connection is cut after exactly the given number of bytes, in either direction', async () => {
  proxy.set({ cutDownAfterBytes: 5 })
  const heard: Buffer[] = []
  const socket = call()
  socket.on('data', (bytes) => heard.push(bytes))
  socket.write('hello world')
  await expect(once(socket, 'end')).rejects.toThrow('ECONNRESET')
  expect(Buffer.concat(heard).toString()).toBe('HELLO')

  proxy.set({ cutUpAfterBytes: 5 })
  const other = call()
  other.write('hello world')
  await expect(once(other, 'end')).rejects.toThrow('ECONNRESET')
})

test('a plan sets the behaviour of each connection', async () => {
  const fates = [{ cutDownAfterBytes: 0 }, {}]
  proxy.plan(() => fates.shift() ?? {})
  const doomed = call()
  doomed.write('a')
  await expect(once(doomed, 'end')).rejects.toThrow('ECONNRESET')
  expect(await say('b')).toBe('BBYE')
})

test('a black hole takes the connection and says nothing, and a hole one way leaves the other open', async () => {
  proxy.set({ blackhole: 'up' })
  const socket = call()
  let heard = ''
  socket.on('data', (bytes) => {
    heard += bytes
  })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write('lost')
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(heard).toBe('')
  expect(socket.destroyed).toBe(false)

  // Healed, a connection that has lost bytes is reset; a new one works.
  const closed = new Promise((resolve) => socket.once('close', resolve))
  proxy.set({})
  await closed
  expect(await say('found')).toBe('FOUNDBYE')
})

test('a connection that idled through a black hole lives on after it', async () => {
  const socket = call()
  await once(socket, 'connect')
  proxy.set({ blackhole: 'both' })
  proxy.set({})
  socket.end('still here')
  expect(await text(socket)).toBe('STILL HEREBYE')
})

test('callers are refused, and connections reset, on command', async () => {
  const socket = call()
  socket.write('x')
  await once(socket, 'data')
  proxy.reset()
  await expect(once(socket, 'end')).rejects.toThrow('ECONNRESET')

  proxy.set({ refuse: true })
  const refused = call()
  refused.write('x')
  await expect(once(refused, 'end')).rejects.toThrow('ECONNRESET')
})
