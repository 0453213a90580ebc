import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { type Flow, pipeThrough, type Toxics } from './toxic-flow.ts'

/** One edge between two parts, with a switch. */
export type ToxicProxy = {
  readonly host: string
  readonly port: number
  /** From now on, for connections that are there and for those to come. An empty object heals. */
  set(toxics: Toxics): void
  /** Chosen anew for each connection to come, in place of what `set` said. Null goes back to that. */
  plan(choose: (() => Toxics) | null): void
  /** Every connection is reset, now. */
  reset(): void
  /** Bytes that the last connection to be closed carried. */
  lastClosed(): { up: number; down: number }
  close(): Promise<void>
}

export type Address = {
  host: string
  port: number
}

export const toxicProxy = async (options: { listen: Address; target: Address }): Promise<ToxicProxy> => {
  const connections = new Set<Connection>()
  let general: Toxics = {}
  let choose: (() => Toxics) | null = null
  let lastClosed = { up: 0, down: 0 }

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (caller) => {
    const chosen = choose?.()
    const connection = carry(caller, options.target, () => chosen ?? general)
    connections.add(connection)
    caller.once('close', () => {
      connections.delete(connection)
      lastClosed = connection.carried()
    })
  })
  server.listen({ ...options.listen, backlog: 1024 })
  await once(server, 'listening')
  return {
    host: options.listen.host,
    port: options.listen.port,
    set: (toxics) => {
      const healed = general.blackhole !== undefined && toxics.blackhole === undefined
      general = toxics
      // Swallowed bytes are lost, so a stream with a gap is broken. TCP would notice at its next retry.
      for (const connection of connections) if (healed && connection.hasLost()) connection.reset()
      for (const connection of connections) connection.wake()
    },
    plan: (next) => {
      choose = next
    },
    reset: () => {
      for (const connection of connections) connection.reset()
    },
    lastClosed: () => lastClosed,
    close: async () => {
      for (const connection of connections) connection.reset()
      server.close()
      await once(server, 'close')
    },
  }
}

type Connection = {
  carried(): { up: number; down: number }
  hasLost(): boolean
  wake(): void
  reset(): void
}

const carry = (caller: Socket, target: Address, toxics: () => Toxics): Connection => {
  if (toxics().refuse) {
    caller.resetAndDestroy()
    return { carried: () => ({ up: 0, down: 0 }), hasLost: () => false, wake: nothing, reset: nothing }
  }
  const called = connect({ ...target, allowHalfOpen: true, noDelay: true })
  let broken = false
  const reset = (): void => {
    caller.resetAndDestroy()
    called.resetAndDestroy()
  }
  const flows: readonly [Flow, Flow] = [
    pipeThrough(caller, called, { toxics, way: 'up', cut: reset }),
    pipeThrough(called, caller, { toxics, way: 'down', cut: reset }),
  ]
  for (const [socket, into] of [
    [caller, flows[1]],
    [called, flows[0]],
  ] as const) {
    // Behind a black hole nobody hears that the other side has gone; the healing tells.
    socket.on('error', () => {
      broken = true
      if (!toxics().blackhole) reset()
    })
    socket.once('close', () => into.stop())
  }
  return {
    carried: () => ({ up: flows[0].carried(), down: flows[1].carried() }),
    hasLost: () => broken || flows.some((flow) => flow.hasLost()),
    wake: () => {
      for (const flow of flows) flow.wake()
    },
    reset,
  }
}

const nothing = (): void => {
  // There is nobody to tell.
}
