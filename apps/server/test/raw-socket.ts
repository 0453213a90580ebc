import { readFileSync } from 'node:fs'
import net from 'node:net'
import tls from 'node:tls'
import { ErrorBody } from '@ars/contract'
import { stackFacts } from '@ars/testkit/stack'

/** A connection for bytes that no client library would send. */
export type RawSocket = {
  socket: net.Socket
  write(bytes: string): void
  /** Everything received so far. */
  text(): string
  isClosed(): boolean
  /** Everything received until the server closes. */
  closed(): Promise<string>
}

/** `from`: another local address to connect from. Default: 127.0.0.1. */
type RawOptions = { plain?: boolean; from?: string }

export const openRaw = async (port: number, { plain, from = '127.0.0.1' }: RawOptions = {}): Promise<RawSocket> => {
  const address = { port, host: '127.0.0.1', localAddress: from }
  const socket = plain
    ? net.connect(address)
    : tls.connect({ ...address, servername: 'localhost', ca: readFileSync(stackFacts().tls.certFile) })
  let text = ''
  let isClosed = false
  const closed = new Promise<string>((resolve) => {
    socket.on('close', () => {
      isClosed = true
      resolve(text)
    })
  })
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  // A server that closes while the test writes breaks the connection; its earlier response counts.
  socket.on('error', () => undefined)
  await new Promise<void>((resolve) => {
    socket.once(plain ? 'connect' : 'secureConnect', () => resolve())
    socket.once('close', () => resolve())
  })
  return {
    socket,
    write: (bytes) => void socket.write(bytes, 'latin1'),
    text: () => text,
    isClosed: () => isClosed,
    closed: () => closed,
  }
}

/** Sends these bytes and returns everything until the server closes. */
export const sendRaw = async (port: number, bytes: string, options: RawOptions = {}): Promise<string> => {
  const raw = await openRaw(port, options)
  raw.write(bytes)
  return raw.closed()
}

/** Status and error of a refusal on a raw connection. It must be the only response. */
export const readRefusal = (text: string): { status: number; code: string; head: string } => {
  const [head = '', body = '', ...rest] = text.split('\r\n\r\n')
  if (rest.length > 0 || body.includes('HTTP/1.1')) throw new Error(`more than one answer: ${text}`)
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1])
  const { error } = ErrorBody.strict().parse(JSON.parse(body))
  return { status, code: error.code, head: head.toLowerCase() }
}
