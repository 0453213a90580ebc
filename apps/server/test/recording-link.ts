import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'

/** Passes bytes on to a port of this computer, and keeps all of them as text. */
export type RecordingLink = { port: number; recorded(): string; close(): Promise<void> }

export const openRecordingLink = async (to: number): Promise<RecordingLink> => {
  const chunks: Buffer[] = []
  const sockets = new Set<net.Socket>()
  const join = (from: net.Socket, other: net.Socket): void => {
    sockets.add(from)
    from.on('data', (chunk) => chunks.push(chunk))
    from.on('error', () => other.destroy())
    from.on('close', () => {
      sockets.delete(from)
      other.destroy()
    })
    from.pipe(other)
  }
  const server = net.createServer((near) => {
    const far = net.connect(to, '127.0.0.1')
    join(near, far)
    join(far, near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    recorded: () => Buffer.concat(chunks).toString('latin1'),
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
