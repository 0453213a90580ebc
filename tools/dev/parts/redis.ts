import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { findBinary } from './binary.ts'
import { type Part, PartError } from './part.ts'
import { type ManagedProcess, managedProcess } from './process.ts'

export type RedisPart = Part & {
  url(database?: number): string
  freeze(): void
  thaw(): void
  onUnexpectedEnd: ManagedProcess['onUnexpectedEnd']
}

/** Redis on loopback. It keeps nothing on disk, because nothing that we put there may be needed after a crash. */
export const redis = ({ dir, port }: { dir: string; port: number }): RedisPart => {
  const configFile = join(dir, 'redis.conf')
  const server = managedProcess({
    name: 'redis',
    dir,
    command: findBinary(programs) ?? 'redis-server',
    args: [configFile],
    ports: [{ port, what: 'redis' }],
    requireInstalled,
    prepare: () => writeFileSync(configFile, configuration(dir, port)),
    isReady: () => answersPing(port),
    startTimeoutMs: 20_000,
    stopTimeoutMs: 10_000,
  })
  return {
    ...server,
    url: (database = 0) => `redis://127.0.0.1:${port}/${database}`,
  }
}

/** For a stack without Redis, whose one server counts and notifies within its process. */
export const noRedis = (): RedisPart => {
  const nothing = async (): Promise<void> => undefined
  const never = (): void => undefined
  return {
    name: 'redis',
    check: nothing,
    start: nothing,
    stop: nothing,
    kill: nothing,
    pid: () => undefined,
    // An empty setting counts as not set.
    url: () => '',
    freeze: never,
    thaw: never,
    onUnexpectedEnd: never,
  }
}

export const isRedisInstalled = (): boolean => findBinary(programs) !== undefined

const programs = ['redis-server', 'valkey-server']

const requireInstalled = (): void => {
  if (isRedisInstalled()) return
  throw new PartError('Redis 7 is not installed: `apt-get install redis-server`, or `brew install redis`')
}

const configuration = (dir: string, port: number): string => {
  // With its title unchanged the process can be recognised by its command line.
  const lines = ['bind 127.0.0.1', `port ${port}`, `dir "${dir}"`, 'save ""', 'appendonly no', 'set-proc-title no']
  return `${lines.join('\n')}\n`
}

const answersPing = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1000 }, () => socket.write('PING\r\n'))
    const answer = (isReady: boolean): void => {
      socket.destroy()
      resolve(isReady)
    }
    socket.once('data', (bytes) => answer(bytes.toString().startsWith('+PONG')))
    socket.once('error', () => answer(false))
    socket.once('timeout', () => answer(false))
    socket.once('close', () => answer(false))
  })
