import type { TcpNetConnectOpts } from 'node:net'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import type { Target } from './attack.ts'

/** An encrypted connection whose bytes are ours to choose. */
export type Wire = {
  socket: TLSSocket
  /** The beginning of what has come. */
  text(): string
  isClosed(): boolean
  onClose(listener: (text: string) => void): void
}

// More than the head of any answer; the rest of a stream of answers is of no interest.
const keptChars = 4_096

/** Null: it was closed before the handshake was over. `from`: one of this computer's own addresses. */
export const openWire = (
  { port, ca }: Pick<Target, 'port' | 'ca'>,
  { from = '127.0.0.1', protocol = 'http/1.1' }: { from?: string; protocol?: 'http/1.1' | 'h2' } = {},
): Promise<Wire | null> =>
  new Promise((resolve) => {
    const options: ConnectionOptions & TcpNetConnectOpts = {
      port,
      ca,
      host: '127.0.0.1',
      localAddress: from,
      servername: 'localhost',
      ALPNProtocols: [protocol],
    }
    const socket = connect(options)
    let text = ''
    const listeners: ((text: string) => void)[] = []
    socket.on('data', (piece: Buffer) => {
      if (text.length < keptChars) text += piece.toString('latin1')
    })
    // A server that closes while we write breaks the connection; `close` follows.
    socket.on('error', () => undefined)
    socket.once('close', () => {
      resolve(null)
      for (const tell of listeners) tell(text)
    })
    socket.once('secureConnect', () =>
      resolve({
        socket,
        text: () => text,
        isClosed: () => socket.destroyed,
        onClose: (listener) => listeners.push(listener),
      }),
    )
  })

/** The status of the first answer, or the word for none. */
export const statusOf = (text: string): string => /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 'closed'

/** Runs all tasks, a fixed number at a time. */
export const inParallel = async <Item>(
  items: Iterable<Item>,
  most: number,
  act: (item: Item) => Promise<void>,
): Promise<void> => {
  const left = items[Symbol.iterator]()
  const work = async (): Promise<void> => {
    for (let next = left.next(); !next.done; next = left.next()) await act(next.value)
  }
  await Promise.all(Array.from({ length: most }, work))
}
