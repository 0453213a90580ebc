import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reserveFreeBlock } from '@ars/tools/dev/parts/ports'
import { removePostgresHome } from '@ars/tools/dev/parts/postgres-home'
import { type RestatePart, restate } from '@ars/tools/dev/parts/restate'
import { createStack, type Stack } from '@ars/tools/dev/stack'
import { type Organisation, organisationOf } from '../../lab/stack/organisation.ts'
import { disposable, type Seed } from '../../lab/stack/temporary-stack.ts'
import { type PostgresPair, postgresPair } from './postgres-pair.ts'
import { type RedisPair, redisPair } from './redis-pair.ts'

/**
 * The example of `docs/operate/high-availability.md`: two gateways, two workers, a primary with a standby, three nodes of the
 * engine, Redis with a replica.
 */
export type HaStack = {
  stack: Stack
  database: PostgresPair
  redis: RedisPair
  engine: readonly RestatePart[]
  organisation: Organisation
  /** A free port for the drill itself. */
  sparePort: number
  dispose(options: { keepFiles: boolean }): Promise<void>
}

const engineNodes = 3

export const startHaStack = async (options: { env: NodeJS.ProcessEnv; isSynchronous: boolean }): Promise<HaStack> => {
  const blocks = [await reserveFreeBlock(), await reserveFreeBlock()] as const
  const dir = mkdtempSync(join(tmpdir(), 'ars-drill-failover-'))
  // As root, Postgres runs as a separate user, which must be able to enter the directory.
  chmodSync(dir, 0o711)
  const stack = createStack({ dir, base: blocks[0].base })
  const port = (at: number): number => blocks[1].base + at
  // The addresses have the ports that the servers' settings name.
  const { postgres: databasePort, redis: redisPort } = stack.ports
  const database = postgresPair({
    dir,
    password: stack.postgres.password,
    addressPort: databasePort,
    ports: [port(0), port(1)],
    isSynchronous: options.isSynchronous,
  })
  const redis = redisPair({ dir, addressPort: redisPort, ports: [port(2), port(3)] })
  const engine = engineCluster(dir, port(4))
  const dispose = disposable(async ({ keepFiles }) => {
    await stack.stop()
    await Promise.all([database.stop(), redis.stop(), ...engine.map((node) => node.stop())])
    await Promise.all(blocks.map((block) => block.release()))
    if (keepFiles) return console.log(`The files stay in ${dir}`)
    for (const name of ['postgres-1', 'postgres-2']) removePostgresHome(join(dir, name))
    rmSync(dir, { recursive: true, force: true })
  })
  try {
    await database.start()
    await stack.command(['migrate'])
    const seed = JSON.parse(await stack.command(['admin', 'seed', '--json'])) as Seed
    await database.attachStandby()
    await Promise.all([redis.start(), ...engine.map((node) => node.start())])
    const env = { ...engineEnv(engine), ...options.env }
    const servers = (['worker', 'gateway'] as const).flatMap((role) =>
      ([1, 2] as const).map((index) => stack.server({ role, index, env })),
    )
    await Promise.all(servers.map((server) => server.start()))
    return { stack, database, redis, engine, organisation: organisationOf('drill', seed), sparePort: port(18), dispose }
  } catch (error) {
    await dispose({ keepFiles: false })
    throw error
  }
}

const engineCluster = (dir: string, firstPort: number): RestatePart[] => {
  const nodes = Array.from({ length: engineNodes }, (_, at) => firstPort + 3 * at)
  const addresses = nodes.map((from) => `http://127.0.0.1:${from + 2}/`)
  return nodes.map((from, at) =>
    restate({
      dir: join(dir, `restate-${at + 1}`),
      ingressPort: from,
      adminPort: from + 1,
      nodePort: from + 2,
      node: { number: at + 1, addresses, identityFile: join(dir, 'identity.pem') },
    }),
  )
}

const engineEnv = (engine: readonly RestatePart[]): NodeJS.ProcessEnv => ({
  ARS_ENGINE_INGRESS_URL: engine.map(({ ingressUrl }) => ingressUrl).join(','),
  ARS_ENGINE_ADMIN_URL: engine.map(({ adminUrl }) => adminUrl).join(','),
  ARS_ENGINE_METRICS_URL: engine[0]?.metricsUrl,
  ARS_ENGINE_IDENTITY_KEY: engine[0]?.identityKey,
})
