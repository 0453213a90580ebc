import { execFile } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Part, PartError } from '@ars/tools/dev/parts/part'
import { managedProcess } from '@ars/tools/dev/parts/process'

const debianDir = '/usr/lib/rabbitmq/lib'

/** RabbitMQ of Debian on the loopback interface, with its default settings. It needs three ports. */
export const rabbitMq = ({ dir, port }: { dir: string; port: number }): Part & { readonly url: string } => {
  const [distribution, portMapper] = [port + 1, port + 2]
  const env = {
    ...process.env,
    HOME: dir,
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: String(portMapper),
    RABBITMQ_NODENAME: 'peer@localhost',
    RABBITMQ_MNESIA_BASE: join(dir, 'mnesia'),
    RABBITMQ_LOG_BASE: join(dir, 'log'),
    RABBITMQ_CONFIG_FILE: join(dir, 'rabbitmq.conf'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(dir, 'plugins'),
    RABBITMQ_DIST_PORT: String(distribution),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
  }
  const server = managedProcess({
    name: 'rabbitmq',
    dir,
    command: findServer() ?? 'rabbitmq-server',
    args: [],
    env,
    ports: [port, distribution, portMapper].map((each) => ({ port: each, what: 'rabbitmq' })),
    requireInstalled,
    prepare: () => writeFileSync(join(dir, 'rabbitmq.conf'), configuration(port)),
    isReady: () => canConnect(port),
    startTimeoutMs: 120_000,
  })
  return {
    ...server,
    url: `amqp://${user}:${user}@127.0.0.1:${port}`,
    stop: async () => {
      await server.stop()
      // The port mapper of Erlang is a daemon that outlives the server.
      await promisify(execFile)('epmd', ['-kill'], { env }).catch(() => undefined)
    },
  }
}

const user = 'outpost'

const configuration = (port: number): string => `listeners.tcp.1 = 127.0.0.1:${port}
default_user = ${user}
default_pass = ${user}
log.console.level = warning
`

const findServer = (): string | undefined => {
  const [version] = existsSync(debianDir) ? readdirSync(debianDir) : []
  return version === undefined ? undefined : join(debianDir, version, 'sbin/rabbitmq-server')
}

const requireInstalled = (): void => {
  if (!findServer()) throw new PartError('RabbitMQ is not installed: `apt-get install rabbitmq-server`')
}

const canConnect = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1000 })
    const answer = (isReady: boolean): void => {
      socket.destroy()
      resolve(isReady)
    }
    socket.once('connect', () => answer(true))
    socket.once('error', () => answer(false))
    socket.once('timeout', () => answer(false))
  })
