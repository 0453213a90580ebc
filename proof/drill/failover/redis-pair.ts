import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { redis } from '@ars/tools/dev/parts/redis'
import { openMovingAddress } from './moving-address.ts'

/** A Redis and its replica behind one address. */
export type RedisPair = {
  start(): Promise<void>
  /** Kills the first one, makes the replica the master and moves the address to it. */
  loseMaster(): Promise<void>
  stop(): Promise<void>
}

export const redisPair = (options: {
  dir: string
  addressPort: number
  ports: readonly [number, number]
}): RedisPair => {
  const [first, second] = options.ports
  const [master, replica] = options.ports.map((port, at) => redis({ dir: join(options.dir, `redis-${at + 1}`), port }))
  let address: Awaited<ReturnType<typeof openMovingAddress>> | undefined
  return {
    start: async () => {
      await Promise.all([master?.start(), replica?.start()])
      await command(second, `REPLICAOF 127.0.0.1 ${first}`)
      address = await openMovingAddress(options.addressPort, first)
    },
    loseMaster: async () => {
      await master?.kill()
      await command(second, 'REPLICAOF NO ONE')
      address?.moveTo(second)
    },
    stop: async () => {
      await address?.close()
      await Promise.all([master?.stop(), replica?.stop()])
    },
  }
}

const command = async (port: number, words: string): Promise<void> => {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.write(`${words}\r\n`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  if (!answer.toString().startsWith('+OK')) throw new Error(`Redis refused ${words}: ${answer.toString()}`)
}
