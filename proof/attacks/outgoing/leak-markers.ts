import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { markerAddresses, markerPorts, publicAddress } from './namespace.ts'

/** Listeners that nothing may ever reach. A connection is a hit, whatever is said on it. */
export type LeakMarkers = {
  count: number
  /** Hits since the last call, by `address port`. */
  takeHits(): Record<string, number>
  close(): void
}

export const startLeakMarkers = async (): Promise<LeakMarkers> => {
  const places = markerAddresses.flatMap((address) => markerPorts.map((port) => ({ address, port })))
  // The public host answers HTTPS; nobody may speak to it without.
  places.push({ address: publicAddress as never, port: 80 })
  let hits: Record<string, number> = {}
  const sockets = new Set<Socket>()
  const servers: Server[] = []
  for (const { address, port } of places) {
    const server = createServer((socket) => {
      const place = `${address} ${port}`
      hits[place] = (hits[place] ?? 0) + 1
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.once('close', () => sockets.delete(socket))
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\nconnection: close\r\n\r\nmarker')
    })
    servers.push(server.listen({ host: address, port, ipv6Only: true }))
    await once(server, 'listening')
  }
  return {
    count: places.length,
    takeHits: () => {
      const taken = hits
      hits = {}
      return taken
    },
    close: () => {
      for (const server of servers) server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
