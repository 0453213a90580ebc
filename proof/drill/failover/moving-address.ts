import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** Stands for the virtual address or the TCP balancer before a pair of servers: one port, which leads to one of them. */
export type MovingAddress = {
  /** New connections lead there from now on. Those that exist are closed: they lead to the server of before. */
  moveTo(port: number): void
  close(): Promise<void>
}

export const openMovingAddress = async (port: number, firstTarget: number): Promise<MovingAddress> => {
  const sockets = new Set<Socket>()
  let target = firstTarget
  const server = createServer({ noDelay: true }, (caller) => {
    const called = connect({ host: '127.0.0.1', port: target, noDelay: true })
    for (const [from, to] of [
      [caller, called],
      [called, caller],
    ] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy())
      from.once('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.pipe(to)
    }
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    moveTo: (next) => {
      target = next
      for (const socket of sockets) socket.destroy()
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
