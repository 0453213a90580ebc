import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { isSource } from '@ars/platform/release-files'
import { type CertificateFiles, keepCertificate } from './parts/certificate.ts'
import { PartError } from './parts/part.ts'
import { type Ports, portBlock } from './parts/ports.ts'
import { type PostgresPart, postgres } from './parts/postgres.ts'
import type { PostgresSettings } from './parts/postgres-cluster.ts'
import { noRedis, type RedisPart, redis } from './parts/redis.ts'
import { type RestateOptions, type RestatePart, restate } from './parts/restate.ts'
import { keepSecret } from './parts/secrets.ts'
import { programIn, repositoryDir, type ServerPart, type ServerRole, server } from './server.ts'

export type StackOptions = {
  /** Holds all state: data, logs, keys, certificate. */
  dir: string
  /** The first of the stack's block of ports. */
  base: number
  /** The checkout whose server runs, or a folder with a bundle; without it, this checkout. */
  checkout?: string
  postgresSettings?: PostgresSettings | 'stock'
  /** Without Redis: one server with both roles. */
  isAlone?: boolean
  restateSettings?: Pick<RestateOptions, 'partitions' | 'concurrentInvocations'>
}

export type Stack = {
  readonly dir: string
  readonly ports: Ports
  readonly tls: CertificateFiles
  readonly postgres: PostgresPart
  readonly redis: RedisPart
  readonly restate: RestatePart
  /** Starts Postgres, Redis and Restate side by side. If one fails, the others are stopped again. */
  start(): Promise<void>
  /** Stops the servers made by `server`, then the three parts. */
  stop(): Promise<void>
  /** The environment of an `ars-server` process; `index` tells the second gateway or worker from the first. */
  env(role: ServerRole, overrides?: NodeJS.ProcessEnv, index?: 1 | 2): NodeJS.ProcessEnv
  /** A server process of this stack, not yet started; of another checkout, if one is given. */
  server(options: { role: ServerRole; index?: 1 | 2; env?: NodeJS.ProcessEnv; checkout?: string }): ServerPart
  /** Runs `ars-server <args>`, of another checkout if one is given, to its end and answers what it printed. */
  command(args: readonly string[], overrides?: NodeJS.ProcessEnv, checkout?: string): Promise<string>
}

/** A command that hangs ends. All migrations take some seconds on a quiet computer, and minutes beside other work. */
const commandTimeoutMs = 600_000

/** Settings of the tools and of clients, which the server would refuse as unknown. */
const notForTheServer = {
  ARS_PORT_BASE: undefined,
  ARS_CI_PHASE_LIMIT_S: undefined,
  ARS_BASE_URL: undefined,
  ARS_API_KEY: undefined,
  ARS_CA_FILE: undefined,
  ARS_CONFIG: undefined,
}

export const createStack = (options: StackOptions): Stack => {
  const dir = resolve(options.dir)
  const checkout = resolve(options.checkout ?? repositoryDir)
  const ports = portBlock(options.base)
  const tls = keepCertificate(join(dir, 'tls'))
  const kekFile = join(dir, 'kek')
  keepSecret(kekFile, () => `dev:${randomBytes(32).toString('base64')}`)
  const parts = {
    postgres: postgres({
      dir: join(dir, 'postgres'),
      port: ports.postgres,
      ...(options.postgresSettings && { settings: options.postgresSettings }),
    }),
    redis: options.isAlone ? noRedis() : redis({ dir: join(dir, 'redis'), port: ports.redis }),
    restate: restate({
      dir: join(dir, 'restate'),
      ingressPort: ports.restateIngress,
      adminPort: ports.restateAdmin,
      nodePort: ports.restateNode,
      ...options.restateSettings,
    }),
  }
  const all = [parts.postgres, parts.redis, parts.restate]
  const servers: ServerPart[] = []

  const env: Stack['env'] = (role, overrides = {}, index = 1) => ({
    // A server that starts again does not compile again.
    NODE_COMPILE_CACHE: isSource ? join(repositoryDir, '.cache/compile') : join(dir, 'compiled'),
    ...process.env,
    ...notForTheServer,
    ...serverEnv({ ports, tls, kekFile, ...parts }, role, index),
    ...overrides,
  })

  return {
    dir,
    ports,
    tls,
    ...parts,
    env,
    async start() {
      const outcomes = await Promise.allSettled(all.map((part) => part.start()))
      const failures = outcomes.filter((outcome) => outcome.status === 'rejected').map((outcome) => outcome.reason)
      if (failures.length === 0) return
      await Promise.all(all.map((part) => part.stop()))
      throw failures.length === 1 ? failures[0] : new PartError(failures.map((failure) => failure.message).join('\n'))
    },
    async stop() {
      await Promise.all(servers.map((one) => one.stop()))
      await Promise.all(all.map((part) => part.stop()))
    },
    server({ role, index = 1, env: overrides = {}, checkout: other = checkout }) {
      const made = server({
        name: `${role}-${index}`,
        dir: join(dir, 'servers'),
        role,
        env: env(role, overrides, index),
        checkout: resolve(other),
      })
      servers.push(made)
      return made
    },
    async command(args, overrides = {}, from = checkout) {
      try {
        const options = {
          cwd: from,
          env: env('all', overrides),
          timeout: commandTimeoutMs,
          maxBuffer: 64 * 1024 * 1024,
        }
        return (await promisify(execFile)(process.execPath, [programIn(from), ...args], options)).stdout
      } catch (error) {
        const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
        throw new PartError(`ars-server ${args.join(' ')} failed:\n${stderr}${stdout}`, { cause: error })
      }
    },
  }
}

type Facts = Pick<Stack, 'ports' | 'tls' | 'postgres' | 'redis' | 'restate'> & { kekFile: string }

const serverEnv = (facts: Facts, role: ServerRole, index: 1 | 2): NodeJS.ProcessEnv => {
  const { ports, tls, kekFile, postgres, redis, restate } = facts
  const httpPort = ports.gateway[index - 1]
  const metricsPort = (role === 'worker' ? ports.workerMetrics : ports.gatewayMetrics)[index - 1]
  return {
    NODE_ENV: 'production',
    ARS_DATABASE_URL: postgres.url('ars_app'),
    ARS_DATABASE_AUTH_URL: postgres.url('ars_auth'),
    ARS_DATABASE_FEED_URL: postgres.url('ars_feed'),
    ARS_DATABASE_SYSTEM_URL: postgres.url('ars_system'),
    ARS_DATABASE_OWNER_URL: postgres.url('ars_owner'),
    ARS_REDIS_URL: redis.url(),
    ARS_ENGINE_INGRESS_URL: restate.ingressUrl,
    ARS_ENGINE_ADMIN_URL: restate.adminUrl,
    ARS_ENGINE_METRICS_URL: restate.metricsUrl,
    ARS_ENGINE_IDENTITY_KEY: restate.identityKey,
    ARS_WORKER_HOST: '127.0.0.1',
    ARS_WORKER_PORT: String(ports.worker),
    ARS_WORKER_URL: `http://127.0.0.1:${ports.worker}`,
    ARS_HTTP_HOST: '127.0.0.1',
    ARS_HTTP_PORT: String(httpPort),
    ARS_PUBLIC_URL: `https://localhost:${httpPort}`,
    // Here everybody comes from one address.
    ARS_CONNECTIONS_PER_ADDRESS: '18000',
    ARS_TLS_CERT_FILE: tls.certFile,
    ARS_TLS_KEY_FILE: tls.keyFile,
    ARS_KEK_FILE: kekFile,
    ARS_METRICS_HOST: '127.0.0.1',
    ARS_METRICS_PORT: String(metricsPort),
    ARS_LOG_LEVEL: process.env.ARS_LOG_LEVEL ?? 'info',
  }
}
