import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import net, { type AddressInfo } from 'node:net'

export type Heard = { headers: IncomingHttpHeaders; body: Buffer }

/** A local program under development, on plain HTTP. */
export type LocalProgram = {
  url: string
  port: number
  heard: Heard[]
  /** Its response from now on. */
  answers(status: number): void
  close(): Promise<void>
}

export const startLocalProgram = async (port = 0): Promise<LocalProgram> => {
  const heard: Heard[] = []
  let status = 200
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      heard.push({ headers: request.headers, body: Buffer.concat(chunks) })
      response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end('seen')
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const { port: taken } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${taken}/hook`,
    port: taken,
    heard,
    answers: (next) => {
      status = next
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A proxy to the service that can drop all open connections. */
export const startWay = async (to: number) => {
  const sockets = new Set<net.Socket>()
  const server = net.createServer((near) => {
    const far = net.connect(to, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.pipe(far).pipe(near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `https://localhost:${port}`,
    cut: () => {
      for (const socket of sockets) socket.resetAndDestroy()
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
