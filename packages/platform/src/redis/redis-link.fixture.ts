import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A proxy to Redis that a test can interrupt, silence and restore. */
export type RedisLink = {
  readonly url: string
  /** `up`: forwards everything. `silent`: swallows all data. `down`: connections are reset and refused. */
  set(state: 'up' | 'silent' | 'down'): void
  /** Connections so far. */
  opened(): number
  close(): void
}

export const openRedisLink = async (redisUrl: string): Promise<RedisLink> => {
  const target = new URL(redisUrl)
  const pairs = new Set<{ caller: Socket; called: Socket; hasLost: boolean }>()
  let opened = 0
  let state: 'up' | 'silent' | 'down' = 'up'
  const server = createServer((caller) => {
    opened++
    if (state === 'down') return caller.resetAndDestroy()
    const pair = { caller, called: connect({ host: target.hostname, port: Number(target.port) }), hasLost: false }
    pairs.add(pair)
    const end = (): void => {
      pairs.delete(pair)
      caller.destroy()
      pair.called.destroy()
    }
    for (const [from, to] of [
      [caller, pair.called],
      [pair.called, caller],
    ] as const) {
      from.on('data', (bytes: Buffer) => {
        if (state === 'up') to.write(bytes)
        else pair.hasLost = true
      })
      from.on('error', end)
      from.on('close', end)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const reset = (isMeant: (pair: { hasLost: boolean }) => boolean): void => {
    for (const pair of [...pairs].filter(isMeant)) pair.caller.resetAndDestroy()
  }
  return {
    url: `redis://127.0.0.1:${port}${target.pathname}`,
    set: (next) => {
      state = next
      if (next === 'down') reset(() => true)
      // Swallowed data is lost, so the connection cannot continue consistently.
      if (next === 'up') reset(({ hasLost }) => hasLost)
    },
    opened: () => opened,
    close: () => {
      reset(() => true)
      server.close()
    },
  }
}
