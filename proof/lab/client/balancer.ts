import { once } from 'node:events'
import { get } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'

/** Where a server listens. */
type Address = { host: string; port: number }

/** What stands before the gateways in a real installation: it knows nothing of HTTP, and asks who is ready. */
export type Balancer = {
  readonly host: string
  readonly port: number
  /** When whose readiness changed, in the order in which it was seen. */
  readonly turns: readonly { name: string; isReady: boolean; atMs: number }[]
  isReady(name: string): boolean
  close(): Promise<void>
}

export type Target = Address & {
  name: string
  /** Answers 200 when the target may be sent somebody. */
  readyUrl: string
}

const askEveryMs = 200
const maxAskMs = 1000
/** As common proxies do: a connection on which nothing passes for so long is ended. */
const idleMs = 60_000

/** New connections go to ready targets in turn. Open connections stay. */
export const balancer = async ({
  listen,
  targets,
}: {
  listen: Address
  targets: readonly Target[]
}): Promise<Balancer> => {
  const turns: { name: string; isReady: boolean; atMs: number }[] = []
  const ready = new Set<string>()
  const sockets = new Set<Socket>()
  let next = 0

  const ask = async (target: Target): Promise<void> => {
    const isReady = await isOk(target.readyUrl)
    if (isReady === ready.has(target.name)) return
    turns.push({ name: target.name, isReady, atMs: performance.now() })
    if (isReady) ready.add(target.name)
    else ready.delete(target.name)
  }
  await Promise.all(targets.map(ask))
  const timer = setInterval(() => {
    for (const target of targets) void ask(target)
  }, askEveryMs)

  const server = createServer({ noDelay: true, pauseOnConnect: true }, (caller) => {
    next++
    const order = targets.map((_, at) => targets[(at + next) % targets.length] as Target)
    // Nothing has been sent yet, so the next target is tried when one refuses the connection.
    void lead(caller, [...order.filter(({ name }) => ready.has(name)), ...order], sockets)
  })
  server.listen({ ...listen, backlog: 1024 })
  await once(server, 'listening')
  return {
    host: listen.host,
    port: listen.port,
    turns,
    isReady: (name) => ready.has(name),
    close: async () => {
      clearInterval(timer)
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const lead = async (caller: Socket, targets: readonly Target[], sockets: Set<Socket>): Promise<void> => {
  sockets.add(caller)
  caller.once('close', () => sockets.delete(caller))
  caller.on('error', () => caller.destroy())
  for (const { host, port } of targets) {
    const called = connect({ host, port, noDelay: true })
    const isTaken = await Promise.race([
      once(called, 'connect').then(() => true),
      once(called, 'close').then(() => false),
    ]).catch(() => false)
    if (!isTaken) continue
    sockets.add(called)
    join(caller, called)
    called.once('close', () => sockets.delete(called))
    return
  }
  caller.destroy()
}

/** Until one of them ends; then the other hears the rest and ends too. */
const join = (caller: Socket, called: Socket): void => {
  for (const [from, to] of [
    [caller, called],
    [called, caller],
  ] as const) {
    from.on('error', () => to.destroy())
    from.once('close', () => to.end())
    from.setTimeout(idleMs, () => from.destroy())
    from.pipe(to)
  }
}

const isOk = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const request = get(url, { timeout: maxAskMs, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.once('error', () => resolve(false))
    request.once('timeout', () => request.destroy(new Error('timed out waiting for the answer')))
  })
