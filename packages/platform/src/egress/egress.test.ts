import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EgressRefused } from './failure.ts'
import type { Peer } from './test/peers.ts'
import { at, certificate, closeAll, egressTo, failureOf, name, peers } from './test/receiver.ts'

afterAll(closeAll)

describe('a request', () => {
  test('reaches the host with its name, headers and body, and returns the whole response', async () => {
    const peer = await peers.https(certificate, (request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        response.setHeader('x-many', ['a', 'b'])
        response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }))
      })
    })
    const egress = egressTo([peer.port], { userAgent: 'test/1' })
    const answer = await egress.request({
      method: 'POST',
      url: at(peer, '/hook?a=1'),
      headers: { 'Content-Type': 'text/plain', 'Content-Length': '1' },
      body: 'grüß',
    })
    expect(answer).toMatchObject({ status: 200, truncated: false, remoteAddress: '127.0.0.1' })
    expect(answer.headers.get('x-many')).toBe('a, b')
    expect(answer.durationMs).toBeGreaterThan(0)
    expect(JSON.parse(answer.body.toString())).toMatchObject({
      method: 'POST',
      url: '/hook?a=1',
      headers: {
        host: `${name}:${peer.port}`,
        'content-type': 'text/plain',
        'content-length': '6',
        'user-agent': 'test/1',
        'accept-encoding': 'identity',
      },
      body: 'grüß',
    })
  })

  test.for(['host', 'Transfer-Encoding', 'connection', 'upgrade', 'proxy-authorization', 'expect', 'a b', 'é'])(
    'may not set the header %s',
    async (header) => {
      const call = egressTo([]).request({ url: `https://${name}/`, headers: { [header]: 'x' } })
      await expect(call).rejects.toBeInstanceOf(EgressRefused)
    },
  )

  test.for(['a\r\nhost: b', 'a\nb', 'a\u0000', '\u2028'])('cannot smuggle a header inside a value', async (value) => {
    const call = egressTo([]).request({ url: `https://${name}/`, headers: { 'x-a': value } })
    await expect(call).rejects.toBeInstanceOf(EgressRefused)
  })

  test.for(['CONNECT', 'TRACE', 'GET / HTTP/1.1\r\nx:', ''])('may not use the method %j', async (method) => {
    await expect(egressTo([]).request({ url: `https://${name}/`, method })).rejects.toBeInstanceOf(EgressRefused)
  })

  test('with a body above the limit is not sent (platformBounds.egressRequest)', async () => {
    const egress = egressTo([], { limits: { maxRequestBytes: 10 } })
    const call = egress.request({ url: `https://${name}/`, method: 'POST', body: 'x'.repeat(11) })
    expect(await failureOf(call)).toMatchObject({ kind: 'too_large', reached: false })
  })
})

describe('a redirect', () => {
  test.for([301, 302, 303, 307, 308])('%i is returned and never followed', async (status) => {
    const canary = await peers.canary()
    const peer = await peers.https(certificate, (_request, response) => {
      response.writeHead(status, { location: `http://127.0.0.1:${canary.port}/` }).end()
    })
    const egress = egressTo([peer.port, canary.port], { allowPlainHttp: true })
    const answer = await egress.request({ method: 'POST', url: at(peer), body: '{}' })
    const fetched = await egress.fetch(at(peer), { redirect: 'follow' })
    expect([answer.status, fetched.status, fetched.redirected]).toEqual([status, status, false])
    await expect(egress.fetch(at(peer), { redirect: 'error' })).rejects.toThrow('fetch failed')
    expect(canary.connections()).toBe(0)
  })
})

describe('a response that is too large', () => {
  let peer: Peer
  let sentBytes = 0
  let isHeldUp = false

  beforeAll(async () => {
    const pour = (socket: Socket): void => {
      const more = (): void => {
        do sentBytes += 65_536
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536, 'x')))
        isHeldUp = socket.writableNeedDrain
      }
      socket.on('drain', more)
      more()
    }
    peer = await peers.raw(certificate, (socket) => {
      socket.once('data', (head) => {
        const endless = head.toString().startsWith('GET /endless')
        socket.write(`HTTP/1.1 200 OK\r\n${endless ? 'connection: close' : 'content-length: 1073741824'}\r\n\r\n`)
        pour(socket)
      })
    })
  })

  test.for(['/gigabyte', '/endless'])('is truncated at the limit, and its connection is closed: %s', async (path) => {
    sentBytes = 0
    const egress = egressTo([peer.port])
    const answer = await egress.request({ url: at(peer, path), maxBodyBytes: 16_384 })
    expect([answer.body.length, answer.truncated, answer.status]).toEqual([16_384, true, 200])
    await expect.poll(() => peer.openSockets()).toBe(0)
    expect(egress.connections()).toEqual({ open: 0, idle: 0, waiting: 0, refused: 0 })
    // Only the buffers of the sockets on both sides.
    expect(sentBytes).toBeLessThan(20_000_000)
  })

  test('fails if the caller needs the whole body (platformBounds.egressBody)', async () => {
    const call = egressTo([peer.port]).request({ url: at(peer), maxBodyBytes: 16_384, whenTooLarge: 'fail' })
    expect(await failureOf(call)).toMatchObject({ kind: 'too_large', reached: true })
  })

  test('fails as a stream after the limit (platformBounds.egressStream)', async () => {
    const { body } = await egressTo([peer.port]).stream({ url: at(peer), maxBodyBytes: 1_000_000 })
    let bytes = 0
    const read = async (): Promise<void> => {
      for await (const chunk of body) bytes += chunk.byteLength
    }
    expect(await failureOf(read())).toMatchObject({ kind: 'too_large' })
    expect(bytes).toBeLessThanOrEqual(1_000_000)
  })

  test('is not read ahead of the reader, so memory stays constant', async () => {
    sentBytes = 0
    isHeldUp = false
    const { body } = await egressTo([peer.port]).stream({ url: at(peer) })
    const iterator = body[Symbol.asyncIterator]()
    await iterator.next()
    await expect.poll(() => isHeldUp).toBe(true)
    // Only the buffers of the sockets on both sides.
    expect(sentBytes).toBeLessThan(20_000_000)
    await iterator.return?.()
    await expect.poll(() => peer.openSockets()).toBe(0)
  })
})

describe('a misbehaving peer', () => {
  const answering = (bytes: string | Buffer) =>
    peers.raw(certificate, (socket) => {
      socket.once('data', () => socket.end(bytes))
    })

  test.for([
    ['no HTTP', 'hello\r\n\r\n', 'protocol'],
    ['HTTP/0.9', '<html>hello</html>', 'protocol'],
    ['a broken status line', 'HTTP/1.1 abc\r\n\r\n', 'protocol'],
    ['a broken header', 'HTTP/1.1 200 OK\r\nbad header\r\n\r\n', 'protocol'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', 'protocol'],
    [
      'a length and chunks',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      'protocol',
    ],
    ['a broken chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nab\r\n', 'protocol'],
    ['nothing', '', 'reset'],
    ['half a body', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', 'reset'],
    ['10,000 headers', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(10_000)}\r\n`, 'too_large'],
    ['300 headers', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(300)}content-length: 0\r\n\r\n`, 'too_large'],
    ['one huge header', `HTTP/1.1 200 OK\r\na: ${'b'.repeat(1_000_000)}\r\n\r\n`, 'too_large'],
  ] as const)('%s fails with a message', async ([, bytes, kind]) => {
    const peer = await answering(bytes)
    const egress = egressTo([peer.port])
    const failure = await failureOf(egress.request({ url: at(peer), deadlineMs: 5000 }))
    expect(failure).toMatchObject({ kind, reached: true, message: expect.stringMatching(/^The /) })
    expect(egress.connections().open).toBe(0)
  })

  test('headers above the configured limit fail (platformBounds.egressHeaders)', async () => {
    const peer = await answering(`HTTP/1.1 200 OK\r\na: ${'b'.repeat(2000)}\r\ncontent-length: 0\r\n\r\n`)
    const egress = egressTo([peer.port], { limits: { maxHeaderBytes: 1000 } })
    expect(await failureOf(egress.request({ url: at(peer) }))).toMatchObject({ kind: 'too_large' })
  })

  test('an unrequested upgrade fails', async () => {
    const peer = await answering('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')
    const failure = await failureOf(egressTo([peer.port]).request({ url: at(peer), deadlineMs: 3000 }))
    expect(failure.reached).toBe(true)
  })

  test('headers with names such as __proto__ are harmless', async () => {
    const peer = await answering('HTTP/1.1 200 OK\r\n__proto__: a\r\nconstructor: b\r\ncontent-length: 2\r\n\r\nok')
    const answer = await egressTo([peer.port]).request({ url: at(peer) })
    expect([answer.status, answer.headers.get('__proto__'), answer.body.toString()]).toEqual([200, 'a', 'ok'])
  })

  test.for([
    ['sends its headers byte by byte', 'HTTP/1.1 200 OK\r\nx-slow: '],
    ['sends its body byte by byte', 'HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n'],
    ['sends early hints for ever', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ] as const)('a peer that %s times out at the deadline', async ([, start]) => {
    const peer = await peers.raw(certificate, (socket) => {
      socket.once('data', () => {
        socket.write(start)
        const timer = setInterval(() => socket.write(start.includes('103') ? start : 'x'), 20)
        socket.on('close', () => clearInterval(timer))
      })
    })
    const deadlineMs = 400
    let failure: unknown
    void failureOf(egressTo([peer.port]).request({ url: at(peer), deadlineMs })).then((error) => {
      failure = error
    })
    // The peer never stops sending, so a deadline that bytes could extend would never come. The margin is for slow machines.
    await expect
      .poll(() => failure, { timeout: 25 * deadlineMs, interval: 5 })
      .toMatchObject({ kind: 'timeout', reached: true })
    await expect.poll(() => peer.openSockets()).toBe(0)
  })

  test('a peer that accepts and sends nothing times out at the deadline (platformBounds.egressCall)', async () => {
    const peer = await peers.plain((socket) => socket.resume())
    const failure = await failureOf(egressTo([peer.port]).request({ url: at(peer), deadlineMs: 300 }))
    expect(failure).toMatchObject({ kind: 'timeout', reached: false })
    await expect.poll(() => peer.openSockets()).toBe(0)
  })

  test('a peer that accepts and sends nothing times out at the connect timeout (platformBounds.egressConnect)', async () => {
    const peer = await peers.plain((socket) => socket.resume())
    const egress = egressTo([peer.port], { limits: { connectTimeoutMs: 300 } })
    const failure = await failureOf(egress.request({ url: at(peer), deadlineMs: 20_000 }))
    expect(failure).toMatchObject({ kind: 'timeout', reached: false })
    expect(failure.message).toBe('The server did not accept the connection in time')
    await expect.poll(() => peer.openSockets()).toBe(0)
  })

  test('a closed port fails at once', async () => {
    const peer = await peers.canary()
    const failure = await failureOf(egressTo([1]).request({ url: `https://${name}:1/` }))
    expect(failure).toMatchObject({ kind: 'connect', reached: false, message: 'The server refused the connection' })
    expect(peer.connections()).toBe(0)
  })
})

describe('an abort', () => {
  const talking = () =>
    peers.https(certificate, (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const timer = setInterval(() => response.write('data: word\n\n'), 10)
      response.on('close', () => clearInterval(timer))
    })

  test("of a stream closes the connection at once and rejects with the caller's reason", async () => {
    for (let round = 0; round < 20; round++) {
      const peer = await talking()
      const controller = new AbortController()
      const egress = egressTo([peer.port])
      const { body } = await egress.stream({ url: at(peer), signal: controller.signal })
      const iterator = body[Symbol.asyncIterator]()
      await iterator.next()
      const reason = new Error('cancelled by the customer')
      const pending = iterator.next().then(() => iterator.next())
      controller.abort(reason)
      await expect(pending).rejects.toBe(reason)
      // The peer never stops sending, and the deadline is an hour: only the abort closes the connection this early.
      await expect.poll(() => peer.openSockets(), { timeout: 10_000, interval: 1 }).toBe(0)
      expect(egress.connections().open).toBe(0)
    }
  })

  test('reaches a fetch whose body is being read', async () => {
    const peer = await talking()
    const controller = new AbortController()
    const response = await egressTo([peer.port]).fetch(at(peer), { signal: controller.signal })
    const reader = response.body?.getReader()
    await reader?.read()
    controller.abort()
    const rest = async (): Promise<void> => {
      while (!(await reader?.read())?.done);
    }
    await expect(rest()).rejects.toMatchObject({ name: 'AbortError' })
    await expect.poll(() => peer.openSockets()).toBe(0)
  })

  test('before the connection is established closes it too', async () => {
    const peer = await peers.plain((socket) => socket.resume())
    const controller = new AbortController()
    const call = egressTo([peer.port]).request({ url: at(peer), signal: controller.signal })
    await expect.poll(() => peer.openSockets()).toBe(1)
    controller.abort()
    await expect(call).rejects.toMatchObject({ name: 'AbortError' })
    await expect.poll(() => peer.openSockets(), { timeout: 10_000 }).toBe(0)
  })

  test('before the call sends nothing', async () => {
    const peer = await peers.canary()
    const call = egressTo([peer.port]).request({ url: at(peer), signal: AbortSignal.abort() })
    await expect(call).rejects.toMatchObject({ name: 'AbortError' })
    expect(peer.connections()).toBe(0)
  })

  test('also happens when the loop is left', async () => {
    const peer = await talking()
    const { body } = await egressTo([peer.port]).stream({ url: at(peer) })
    for await (const chunk of body) {
      expect(chunk.byteLength).toBeGreaterThan(0)
      break
    }
    await expect.poll(() => peer.openSockets(), { timeout: 10_000 }).toBe(0)
  })
})

test('an unread stream is closed after the idle timeout (platformBounds.egressStreamIdle)', async () => {
  const peer = await peers.https(certificate, (_request, response) => {
    response.write('first')
  })
  const egress = egressTo([peer.port])
  await egress.stream({ url: at(peer), idleTimeoutMs: 200 })
  await expect.poll(() => peer.openSockets(), { timeout: 10_000 }).toBe(0)
  expect(egress.connections().open).toBe(0)
})

test('a stopped egress client sends nothing more and ends requests in flight', async () => {
  const peer = await peers.https(certificate, () => undefined)
  const egress = egressTo([peer.port])
  const arrived = expect.poll(() => peer.connections()).toBe(1)
  const call = failureOf(egress.request({ url: at(peer) }))
  await arrived
  egress.close()
  expect(await call).toMatchObject({ message: 'The service is stopping' })
  expect(await failureOf(egress.request({ url: at(peer) }))).toMatchObject({ message: 'The service is stopping' })
})

test('a test stack may call plain http on any port of loopback, by address and by name', async () => {
  const peer = await peers.plain((socket) => {
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'))
  })
  const egress = egressTo([], { allowPlainHttp: true, allowPorts: 'any' })
  for (const host of ['127.0.0.1', name, 'model']) {
    const url = `http://${host}:${peer.port}/v1`
    const answer = await egress.request({ url })
    expect([answer.body.toString(), answer.remoteAddress]).toEqual(['ok', '127.0.0.1'])
    expect(await (await egress.fetch(url)).text()).toBe('ok')
  }
})
