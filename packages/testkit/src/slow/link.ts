import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A TCP proxy to one part, with a switch. */
export type Link = {
  /** The address of the part, through this link. */
  readonly url: string
  set(state: LinkState): void
  /** Connections so far. */
  opened(): number
  lastOpenedMs(): number
  /** The last bytes that were lost, as text. */
  lost(): string
  close(): void
}

/**
 * `refused`: connections are reset. `hung`: connections are accepted, and all bytes are swallowed. `half-open`: the same
 * for connections that exist; new ones work. `slow`: all bytes arrive late.
 */
export type LinkState = 'up' | Fault
export type Fault = 'refused' | 'hung' | 'slow' | 'half-open'

const slowMs = 250
const maxLostChars = 65_536

type Pair = { caller: Socket; called: Socket; isDead: boolean; hasLost: boolean }

export const openLink = async (targetUrl: string): Promise<Link> => {
  const target = new URL(targetUrl)
  const pairs = new Set<Pair>()
  let opened = 0
  let lastOpenedMs = Number.NaN
  let lost = ''
  let state: LinkState = 'up'

  const carry = (pair: Pair, to: Socket, bytes: Buffer): void => {
    if (state === 'hung' || pair.isDead) {
      pair.hasLost = true
      lost = (lost + bytes.toString('latin1')).slice(-maxLostChars)
    } else if (state === 'slow') setTimeout(() => to.writable && to.write(bytes), slowMs)
    else to.write(bytes)
  }

  const server = createServer({ noDelay: true }, (caller) => {
    opened++
    lastOpenedMs = performance.now()
    if (state === 'refused') return caller.resetAndDestroy()
    const called = connect({ host: target.hostname, port: Number(target.port), noDelay: true })
    const pair: Pair = { caller, called, isDead: false, hasLost: false }
    pairs.add(pair)
    const end = (): void => {
      pairs.delete(pair)
      caller.destroy()
      called.destroy()
    }
    for (const [from, to] of [
      [caller, called],
      [called, caller],
    ] as const) {
      from.on('data', (bytes: Buffer) => carry(pair, to, bytes))
      from.on('error', end)
      from.on('close', end)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const reset = (isMeant: (pair: Pair) => boolean): void => {
    for (const pair of [...pairs].filter(isMeant)) pair.caller.resetAndDestroy()
  }
  const through = new URL(targetUrl)
  through.hostname = '127.0.0.1'
  through.port = String(port)
  return {
    url: through.href.replace(/\/$/, ''),
    set: (next) => {
      state = next
      if (next === 'refused') reset(() => true)
      // Swallowed bytes are lost, so the connection cannot continue consistently.
      if (next === 'up') reset(({ hasLost }) => hasLost)
      for (const pair of pairs) pair.isDead = next === 'half-open'
    },
    opened: () => opened,
    lastOpenedMs: () => lastOpenedMs,
    lost: () => lost,
    close: () => {
      reset(() => true)
      server.close()
    },
  }
}
