import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import net from 'node:net'
import type { Plan, PlanLimits, Scope } from '@ars/contract'
import { createAccess } from '@ars/core/access'
import { createAgents } from '@ars/core/agents'
import { builtInCatalogFolder, type CatalogService, createCatalog } from '@ars/core/catalog'
import { Config } from '@ars/core/config'
import { createModelList } from '@ars/core/models'
import { createValidator } from '@ars/core/schemas'
import { systemClock } from '@ars/platform/clock'
import { parseConfig } from '@ars/platform/config'
import { openDatabase } from '@ars/platform/db/database'
import { createIdMaker, fromUuid, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { createShutdown } from '@ars/platform/shutdown'
import { openPool } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { type Share, stackFacts, testEngine, testRedisUrl } from '@ars/testkit/stack'
import { Agent, request } from 'undici'
import type { Role } from '../src/parts.ts'
import { start } from '../src/serve.ts'
import { createServiceLog } from '../src/service-log.ts'
import { receiverAuthority } from './webhook-receiver.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tests assert the fields that they read
export type Reply = { status: number; headers: Headers; text: string; body: any }
type Headers = Record<string, string | string[] | undefined>

export type Tenant = { org: string; key: string; agents: Record<string, string> }

/** The whole service with real dependencies and a separate database, called as a customer calls it: over HTTPS. */
export type App = {
  url: string
  port: number
  metricsUrl: string
  database: TestDatabase
  tenant: Tenant
  logLines: string[]
  env: Record<string, string>
  call(method: string, path: string, options?: CallOptions): Promise<Reply>
  addTenant(options?: TenantOptions): Promise<Tenant>
  /** An agent of kind `llm` with the given configuration, in the app's first organisation by default. */
  addAgent(agent: NewAgent, tenant?: Tenant): Promise<string>
  /** Queries the database directly, bypassing all locks. */
  query<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>
  /** A second process of the same cell, run inside this one. */
  join(role: Role, env?: Record<string, string>): Promise<Process>
  stop(): Promise<void>
}

type Process = { url: string; port: number; metricsUrl: string; stop(): Promise<void> }

export type NewAgent = {
  config: Record<string, unknown>
  inputSchema?: Record<string, unknown>
  outputSchema?: Record<string, unknown>
  limits?: { timeout_seconds?: number; max_steps?: number; budget_usd?: number; budget_action?: 'fail' | 'park' }
}

export type TenantOptions = {
  scopes?: readonly Scope[]
  kind?: 'live' | 'demo'
  plan?: Plan
  /** Overrides of the plan's limits, for tests that reach a limit. */
  limits?: Partial<PlanLimits>
  /** Fewer than the plan allows, for tests of the queue. */
  concurrentRuns?: number
}

export type CallOptions = {
  key?: string | null
  body?: unknown
  raw?: string
  headers?: Record<string, string>
  url?: string
}

export type AppOptions = {
  env?: Record<string, string>
  role?: Role
  /** One address, and its login is a superuser's. By default an address for each role. */
  hasOneAddress?: boolean
}

/**
 * An app for this file alone. It costs about four seconds of CPU, so a file takes `sharedApp` unless it needs other
 * settings, a separate process, all rows of the database, or another time.
 */
export const startApp = async (options: AppOptions = {}): Promise<App> => {
  const service = await startService(options)
  return face(service, await service.addTenant(), { lines: service.logLines, stop: () => service.stop() })
}

let shared: Promise<Service> | undefined

/**
 * The app that all files of a test worker share, with an organisation and a log for the caller. It may call receivers on
 * this computer, also over plain HTTP, and stores secrets. `stop` ends what the caller joined, and the app goes on.
 */
export const sharedApp = async (options: TenantOptions = {}): Promise<App> => {
  shared ??= startShared()
  const service = await shared
  const lines: string[] = []
  const joined: { stop(): Promise<void> }[] = []
  const listen = (line: string): void => void lines.push(line)
  service.listeners.add(listen)
  const app = face(service, await service.addTenant(options), {
    lines,
    stop: async () => {
      for (const process of joined.toReversed()) await process.stop()
      service.listeners.delete(listen)
    },
  })
  return {
    ...app,
    join: async (role, env = {}) => {
      const process = await service.join(role, env)
      joined.push(process)
      return process
    },
  }
}

/** The shared app, called through a gateway with these settings. Its runs are executed with those of the shared app. */
export const sharedGateway = async (env: Record<string, string>): Promise<App> => {
  const app = await sharedApp()
  const { url, port, metricsUrl } = await app.join('gateway', env)
  return {
    ...app,
    url,
    port,
    metricsUrl,
    env: { ...app.env, ...env },
    call: (method, path, options = {}) => app.call(method, path, { url, ...options }),
    join: (role, more = {}) => app.join(role, { ...env, ...more }),
  }
}

/** The app for a test that is not about load: a call that a busy machine answers with 503 is sent again. */
export const patient = (app: App): App => ({
  ...app,
  call: (method, path, options) =>
    until(`an answer other than 503 of ${method} ${path}`, async () => {
      const reply = await app.call(method, path, options)
      return reply.status !== 503 && reply
    }),
})

/** Settings of a gateway that calls no receiver on this computer, as without any setting. */
export const strictEgress: Readonly<Record<string, string>> = {
  ARS_EGRESS_ALLOW_RANGES: '',
  ARS_EGRESS_ALLOW_PORTS: '',
  ARS_EGRESS_ALLOW_PLAIN_HTTP: '',
  ARS_EGRESS_CA_FILE: '',
}

const startShared = (): Promise<Service> => startService({ env: sharedSettings() }, 'shared')

const sharedSettings = (): Record<string, string> => ({
  ARS_EGRESS_ALLOW_RANGES: '127.0.0.0/8',
  ARS_EGRESS_ALLOW_PORTS: 'any',
  ARS_EGRESS_ALLOW_PLAIN_HTTP: 'true',
  ARS_EGRESS_CA_FILE: receiverAuthority().file,
  ARS_KEKS: `shared:${randomBytes(32).toString('base64')}`,
})

/** An app without a caller. */
type Service = Omit<App, 'tenant' | 'call' | 'addAgent'> & {
  agent: Agent
  listeners: Set<(line: string) => void>
}

const startService = async (options: AppOptions, share: Share = 'own'): Promise<Service> => {
  const database = await createTestDatabase()
  const engine = testEngine(share)
  const { tls } = stackFacts()
  const logLines: string[] = []
  const listeners = new Set([(line: string): void => void (share === 'own' && logLines.push(line))])
  const env: Record<string, string> = {
    ...(await addressesOf(database, options)),
    ARS_DATABASE_POOL_SIZE: '5',
    // A busy machine must not fail a test that is not about this bound.
    ARS_DATABASE_ACQUIRE_TIMEOUT_MS: '30000',
    ARS_REDIS_URL: testRedisUrl(share),
    ARS_ENGINE_INGRESS_URL: engine.ingressUrl,
    ARS_ENGINE_ADMIN_URL: engine.adminUrl,
    ARS_ENGINE_METRICS_URL: engine.metricsUrl,
    ARS_ENGINE_IDENTITY_KEY: engine.identityKey,
    ARS_HTTP_HOST: '127.0.0.1',
    ARS_TLS_CERT_FILE: tls.certFile,
    ARS_TLS_KEY_FILE: tls.keyFile,
    ARS_WORKER_PORT: String(await freePort()),
    ARS_DRAIN_DELAY_MS: '0',
    // All tests use one address, and many of them use invalid keys.
    ARS_UNAUTHORIZED_PER_MINUTE: '1000000',
    ARS_TEST_STACK: 'true',
    // No dashboard: its files may be built at this moment.
    ARS_DASHBOARD_DIR: '/nonexistent',
    ARS_DOCS_DIR: 'off',
    ...options.env,
  }
  env.ARS_WORKER_URL = `http://127.0.0.1:${env.ARS_WORKER_PORT}`
  const stops: (() => Promise<void>)[] = []

  const launch = async (role: Role, overrides: Record<string, string>) => {
    const ports = { http: await freePort(), metrics: await freePort() }
    const config = parseConfig(Config, {
      ...env,
      ARS_HTTP_PORT: String(ports.http),
      ARS_PUBLIC_URL: `https://localhost:${ports.http}`,
      ARS_METRICS_PORT: String(ports.metrics),
      ...overrides,
    })
    const write = (line: string): void => {
      for (const listener of listeners) listener(line)
    }
    const log = createServiceLog({ level: 'debug', role, write })
    const shutdown = createShutdown(log)
    await start({ role, config, environment: { ...env, ...overrides }, log, shutdown })
    const stop = () => shutdown.run('test ends')
    stops.push(stop)
    return {
      url: `https://localhost:${ports.http}`,
      port: ports.http,
      metricsUrl: `http://127.0.0.1:${ports.metrics}`,
      stop,
    }
  }
  const main = await launch(options.role ?? 'all', {})
  const pool = openPool(database.superuserUrl)
  const planter = createPlanter(database)
  const agent = new Agent({ connect: { ca: readFileSync(tls.certFile) } })
  return {
    ...main,
    agent,
    env,
    database,
    logLines,
    listeners,
    addTenant: (tenantOptions = {}) => planter.plant(tenantOptions),
    query: async <Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> =>
      (await pool.query(sql, [...values])).rows as Row[],
    join: (role, overrides = {}) => launch(role, overrides),
    stop: async () => {
      for (const stop of stops.toReversed()) await stop()
      await agent.close()
      await Promise.all([planter.close(), pool.end()])
      await database.drop()
    },
  }
}

/** The proof `one-address` plays tests of the gate with the environment variable. */
const addressesOf = async (
  database: TestDatabase,
  { hasOneAddress = process.env.ARS_TEST_ONE_ADDRESS === 'true' }: AppOptions,
): Promise<Record<string, string>> =>
  hasOneAddress
    ? { ARS_DATABASE_URL: await database.makeOneAddress() }
    : {
        ARS_DATABASE_URL: database.appUrl,
        ARS_DATABASE_AUTH_URL: database.authUrl,
        ARS_DATABASE_FEED_URL: database.feedUrl,
        ARS_DATABASE_SYSTEM_URL: database.systemUrl,
      }

/** A service as one organisation uses it. */
const face = (
  { agent, listeners: _, ...service }: Service,
  tenant: Tenant,
  { lines, stop }: { lines: string[]; stop(): Promise<void> },
): App => ({
  ...service,
  tenant,
  logLines: lines,
  stop,
  addAgent: async ({ config, inputSchema = null, outputSchema = null, limits = {} }, { org } = tenant) => {
    const id = toUuid(createIdMaker(systemClock)('ag'))
    const values = [id, org, config, inputSchema, outputSchema, limits]
    await service.query(
      `insert into agents (id, org_id, name, kind, source, config, input_schema, output_schema, limits)
         values ($1, $2, 'planted', 'llm', 'custom', $3, $4, $5, $6)`,
      values,
    )
    return fromUuid('ag', id)
  },
  call: async (method, path, { key = tenant.key, body, raw, headers = {}, url = service.url } = {}) => {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const answer = await request(url + path, {
      method: method as 'GET',
      dispatcher: agent,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload === undefined ? {} : { body: payload }),
    })
    const text = await answer.body.text()
    const [type] = String(answer.headers['content-type']).split(';')
    const isJson = text !== '' && type === 'application/json'
    return { status: answer.statusCode, headers: answer.headers, text, body: isJson ? JSON.parse(text) : undefined }
  },
})

/** Makes organisations with the test agents and a key by the service's own functions, over connections that it keeps. */
const createPlanter = (database: TestDatabase) => {
  const log = createLog({ level: 'silent' })
  const app = openDatabase({ url: database.appUrl, name: 'test', size: 1, acquireTimeoutMs: 30_000, log })
  const operator = openDatabase({ url: database.systemUrl, name: 'test', size: 1, acquireTimeoutMs: 30_000, log })
  const newId = createIdMaker(systemClock)
  const access = createAccess({ app, auth: app, operator, clock: systemClock, newId })
  const egress = { checkUrl: () => ({ ok: false, reason: 'Nothing is called here' }) as const }
  const agents = createAgents({
    app,
    newId,
    egress,
    keyring: undefined,
    catalog: ourCatalog(),
    models,
    schemas,
    templates: { check: async () => [] },
    modelsOf: async () => models,
  })
  return {
    plant: async ({ scopes, kind, plan, limits, concurrentRuns }: TenantOptions): Promise<Tenant> => {
      const { org } = await access.createOrganisation('Test', {
        ...(plan ? { plan } : {}),
        limits: { ...limits, ...(concurrentRuns === undefined ? {} : { concurrentRuns }) },
      })
      const seeded = await agents.seedTestFamily(org)
      const { key } = await access.createKey(org, {
        name: 'test',
        ...(scopes ? { scopes } : {}),
        ...(kind ? { kind } : {}),
      })
      return { org, key, agents: Object.fromEntries(seeded.map(({ id, name }) => [name, id])) }
    },
    close: async () => {
      await access.close()
      await Promise.all([app.close(), operator.close()])
    },
  }
}

const models = createModelList({ modelsFile: undefined })
// Only catalog agents are made here, whose schemas are checked with their files.
const schemas = { checkSchema: () => Promise.reject(new Error('No schema of a customer is checked here')) }

let catalog: CatalogService | undefined
const ourCatalog = (): CatalogService => {
  catalog ??= createCatalog({
    folders: [builtInCatalogFolder],
    models,
    validator: createValidator(),
    log: createLog({ level: 'silent' }),
  })
  return catalog
}

export type Frame = { id: string; event: string; data: Record<string, unknown> }

/** The frames in the text of an ended stream. */
export const framesOf = (text: string): Frame[] =>
  text
    .split('\n\n')
    .filter((block) => /^data:/m.test(block))
    .map((block) => {
      const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1] ?? ''
      return { id: field('id'), event: field('event'), data: JSON.parse(field('data')) }
    })

/** The streamed output without the withdrawn text. */
export const textLeftOf = (frames: readonly Frame[]): string => {
  const steps = new Map<unknown, string>()
  for (const { event, data } of frames) {
    if (event === 'run.output.delta') steps.set(data.step, (steps.get(data.step) ?? '') + String(data.delta))
    if (event === 'run.output.reset') steps.delete(data.step)
  }
  return [...steps.values()].join('')
}

// Below the ephemeral ports of the kernel, and a block for each test process: a port that was free a moment ago is then
// still free when the service binds it. Two concurrent test runs seldom begin at the same port.
let nextPort = 24_000 + (Number(process.env.VITEST_POOL_ID ?? 0) % 40) * 200 + (process.pid % 15) * 10

export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = nextPort++
    const server = net.createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}

/** Waits for a condition, never for a fixed time. */
export const until = async <T>(what: string, probe: () => Promise<T | false | null | undefined>): Promise<T> => {
  const deadline = Date.now() + 45_000
  for (;;) {
    const found = await probe()
    if (found !== false && found !== null && found !== undefined) return found
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
