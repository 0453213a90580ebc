import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Part, PartError } from '@ars/tools/dev/parts/part'
import { managedProcess } from '@ars/tools/dev/parts/process'
import { redis } from '@ars/tools/dev/parts/redis'
import { command } from '@ars/tools/release/command'
import type { Watched } from '../../../lab/measure/cpu.ts'
import { startDatabase } from '../../../lab/peers/database.ts'
import { installOnce } from '../../../lab/peers/install.ts'
import { rabbitMq } from './rabbitmq.ts'

const version = 'v1.1.0'
const goModule = 'github.com/hookdeck/outpost'
const programs = ['outpost', 'outpost-server'] as const
export const topic = 'run.completed'

/** Outpost with a tenant for each endpoint. */
export type Outpost = {
  readonly version: string
  readonly settings: string
  readonly origin: string
  readonly apiKey: string
  readonly tenants: readonly string[]
  readonly watched: Watched
  stop(): Promise<void>
}

export const installOutpost = (cache: string, say: (words: string) => void): Promise<string> =>
  installOnce({ peer: 'outpost', wanted: `${goModule} ${version}`, cache, say }, async (dir, run) => {
    writeFileSync(join(dir, 'go.mod'), `module peer\n\ngo 1.26.0\n\nrequire ${goModule} ${version}\n`)
    mkdirSync(join(dir, 'bin'))
    await run('go', 'build', '-o', 'bin/', ...programs.map((program) => `${goModule}/cmd/${program}`))
  })

/** `requests`: how many deliveries are under way at once, as on our side. */
export const startOutpost = async (options: {
  dir: string
  base: number
  home: string
  urls: readonly string[]
  certFile: string
  requests: number
}): Promise<Outpost> => {
  const { dir, base, home, urls, certFile, requests } = options
  const ports = { api: base, rabbit: base + 1, redis: base + 4, postgres: base + 5 }
  const database = await startDatabase(dir, ports.postgres, 'outpost')
  const started: Part[] = []
  const stop = async (): Promise<void> => {
    for (const part of started.toReversed()) await part.stop()
    await database.remove()
  }
  const start = async <Started extends Part>(part: Started): Promise<Started> => {
    started.push(part)
    await part.start()
    return part
  }
  const placeOf = (name: string): string => {
    const place = join(dir, name)
    mkdirSync(place, { recursive: true })
    return place
  }
  try {
    const queue = await start(rabbitMq({ dir: placeOf('rabbitmq'), port: ports.rabbit }))
    const store = await start(redis({ dir: placeOf('redis'), port: ports.redis }))
    const apiKey = randomBytes(16).toString('hex')
    const env = {
      ...process.env,
      API_PORT: String(ports.api),
      API_KEY: apiKey,
      API_JWT_SECRET: randomBytes(16).toString('hex'),
      AES_ENCRYPTION_SECRET: randomBytes(16).toString('hex'),
      TOPICS: topic,
      REDIS_HOST: '127.0.0.1',
      REDIS_PORT: String(ports.redis),
      POSTGRES_URL: database.url,
      RABBITMQ_SERVER_URL: queue.url,
      DELIVERY_MAX_CONCURRENCY: String(requests),
      LOG_LEVEL: 'warn',
      DISABLE_TELEMETRY: 'true',
      SSL_CERT_FILE: certFile,
    }
    await command(join(home, 'bin/outpost'), ['migrate', 'apply', '--yes'], { cwd: dir, env })
    const origin = `http://127.0.0.1:${ports.api}`
    const server = await start(
      managedProcess({
        name: 'outpost',
        dir,
        command: join(home, 'bin/outpost-server'),
        args: [],
        env,
        ports: [{ port: ports.api, what: 'outpost' }],
        isReady: async () => (await fetch(`${origin}/healthz`, { signal: AbortSignal.timeout(2000) })).ok,
      }),
    )
    return {
      version: `${goModule} ${version}`,
      settings: `one process with API, delivery and log; \`DELIVERY_MAX_CONCURRENCY=${requests}\`, RabbitMQ of Debian with default settings, Redis without a disk, Postgres with our settings`,
      origin,
      apiKey,
      tenants: await plantTenants({ origin, apiKey, urls }),
      watched: {
        outpost: server.pid,
        rabbitmq: queue.pid,
        'redis of outpost': store.pid,
        'postgres of outpost': database.pid,
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** As our side: a different customer for each endpoint. */
const plantTenants = async ({
  origin,
  apiKey,
  urls,
}: Pick<Outpost, 'origin' | 'apiKey'> & { urls: readonly string[] }): Promise<string[]> => {
  const call = async (method: string, path: string, body: unknown): Promise<void> => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const answer = await fetch(`${origin}/api/v1${path}`, { method, headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new PartError(`outpost: ${method} ${path} answered ${answer.status} ${await answer.text()}`)
  }
  const tenants = urls.map((_, n) => `customer-${n + 1}`)
  for (const [n, tenant] of tenants.entries()) {
    await call('PUT', `/tenants/${tenant}`, {})
    await call('POST', `/tenants/${tenant}/destinations`, {
      type: 'webhook',
      topics: [topic],
      config: { url: urls[n] },
    })
  }
  return tenants
}
