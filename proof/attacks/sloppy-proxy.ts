import net from 'node:net'
import { connect, type TLSSocket } from 'node:tls'

/**
 * A proxy as they should not be: it passes on whatever it understands, by one reading of where a request ends, over one
 * connection that all its clients share. If the gateway read the same bytes in another way, the rest of one client's
 * request would become the beginning of the next client's, and the answers would go to the wrong ones.
 */
export type SloppyProxy = {
  port: number
  /** Connections made to the gateway so far. */
  connections(): number
  close(): Promise<void>
}

/** `length`: the first Content-Length decides. `chunks`: whatever looks like chunked decides. `blind`: X-Length does. */
export type Reading = 'length' | 'chunks' | 'blind'

type Upstream = {
  socket: TLSSocket
  /** What has come and belongs to no answer yet. */
  rest: string
  isClosed: boolean
  wake(): void
}

const patienceMs = 5_000

export const openSloppyProxy = async (
  gateway: { port: number; ca: Buffer },
  reading: Reading,
): Promise<SloppyProxy> => {
  let upstream: Upstream | undefined
  let connections = 0
  let turn: Promise<void> = Promise.resolve()
  const clients = new Set<net.Socket>()

  const serve = async (client: net.Socket, request: string): Promise<void> => {
    if (!upstream || upstream.isClosed) {
      upstream = await openUpstream(gateway)
      connections++
    }
    upstream.socket.write(request, 'latin1')
    client.end((await takeAnswer(upstream)) ?? '', 'latin1')
  }

  const server = net.createServer((client) => {
    clients.add(client)
    client.once('close', () => clients.delete(client))
    client.on('error', () => undefined)
    let text = ''
    let isTaken = false
    client.on('data', (piece) => {
      text += piece.toString('latin1')
      const end = endOfRequest(text, reading)
      if (isTaken || end === undefined) return
      isTaken = true
      // What follows would be another request in the proxy's own eyes, and that one is not our concern.
      turn = turn.then(() => serve(client, text.slice(0, end))).catch(() => void client.destroy())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as net.AddressInfo).port,
    connections: () => connections,
    close: async () => {
      upstream?.socket.destroy()
      for (const client of clients) client.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const openUpstream = ({ port, ca }: { port: number; ca: Buffer }): Promise<Upstream> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, ca, host: '127.0.0.1', servername: 'localhost', ALPNProtocols: ['http/1.1'] })
    const upstream: Upstream = { socket, rest: '', isClosed: false, wake: () => undefined }
    socket.on('data', (piece: Buffer) => {
      upstream.rest += piece.toString('latin1')
      upstream.wake()
    })
    socket.on('error', reject)
    socket.once('close', () => {
      upstream.isClosed = true
      upstream.wake()
    })
    socket.once('secureConnect', () => resolve(upstream))
  })

/** The next answer on the connection, for any client; null when the connection ends without one. */
const takeAnswer = async (upstream: Upstream): Promise<string | null> => {
  const deadline = performance.now() + patienceMs
  while (true) {
    const answer = wholeAnswer(upstream.rest)
    if (answer !== undefined) {
      upstream.rest = upstream.rest.slice(answer.length)
      // An answer that says so is the last one, and the proxy heeds it.
      if (/\r\nconnection: close\r\n/i.test(answer)) await ended(upstream)
      return answer
    }
    if (upstream.isClosed || performance.now() > deadline) return null
    await woken(upstream, 100)
  }
}

const ended = async (upstream: Upstream): Promise<void> => {
  const deadline = performance.now() + patienceMs
  while (!upstream.isClosed && performance.now() < deadline) await woken(upstream, 100)
}

const woken = (upstream: Upstream, mostMs: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, mostMs)
    upstream.wake = () => {
      clearTimeout(timer)
      resolve()
    }
  })

/** All answers of the gateway tell their length, but 100 Continue, which is not the answer yet. */
const wholeAnswer = (text: string): string | undefined => {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const from = headEnd + 4
  if (text.startsWith('HTTP/1.1 100 ')) {
    const next = wholeAnswer(text.slice(from))
    return next === undefined ? undefined : text.slice(0, from) + next
  }
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(text.slice(0, from))?.[1] ?? 0)
  return text.length >= from + length ? text.slice(0, from + length) : undefined
}

/** Where the proxy believes that the request ends; undefined while it waits for more. */
const endOfRequest = (text: string, reading: Reading): number | undefined => {
  const head = /\r?\n\r?\n/.exec(text)
  if (!head) return undefined
  const from = head.index + head[0].length
  const fields = text.slice(0, from)
  if (reading === 'blind') return from + Number(/\nx-length: *(\d+)/i.exec(fields)?.[1] ?? 0)
  const isChunked = /chunked/i.test(fields)
  const length = Number(/\n\s*content-length[^:\n]*:[^\d\n]*(\d+)/i.exec(fields)?.[1] ?? Number.NaN)
  const byLength = Number.isNaN(length) ? from : from + length
  const isByChunks = isChunked && (reading === 'chunks' || Number.isNaN(length))
  const end = isByChunks ? endOfChunks(text, from) : byLength
  return end === undefined || end > text.length ? undefined : end
}

/** Chunks as a careless reader takes them: the number at the beginning of a line, and any line break. */
const endOfChunks = (text: string, from: number): number | undefined => {
  // The last chunk, its trailers if there are any, and an empty line.
  const last = /0+[ \t]*(?:;[^\n]*)?\r?\n(?:[^\r\n]+\r?\n)*\r?\n$/.exec(text.slice(from))
  return last ? from + last.index + last[0].length : undefined
}
