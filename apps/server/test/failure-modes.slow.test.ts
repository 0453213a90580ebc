import { type Link, openLink } from '@ars/testkit/slow/link'
import { testEngine, testRedisUrl } from '@ars/testkit/stack'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, startApp, type Tenant, until } from './app.ts'
import { callByName } from './failure-modes/name-look-up.ts'
import { agentFor, type Outside, startOutside } from './failure-modes/outside.slow.ts'
import { type Fault, failureModes, faults, type Part, runTimeoutSeconds, waitSeconds } from './failure-modes/table.ts'

/** What a busy machine may add to a bound. Without a bound it is minutes. */
const slackMs = 15_000
const patience = { timeout: 120_000 }
const databases = ['ARS_DATABASE_URL', 'ARS_DATABASE_AUTH_URL', 'ARS_DATABASE_FEED_URL'] as const

let app: App
let outside: Outside
let tenant: Tenant
const inside: Record<'Postgres' | 'Redis' | 'engine', Link[]> = { Postgres: [], Redis: [], engine: [] }
/** A gateway that reaches its database over links. */
let linked: { url: string }

const through = async (part: keyof typeof inside, url: string): Promise<string> => {
  const link = await openLink(url)
  inside[part].push(link)
  return link.url
}

beforeAll(async () => {
  outside = await startOutside()
  const engine = testEngine()
  app = await startApp({
    env: {
      ...outside.env,
      ARS_REDIS_URL: await through('Redis', testRedisUrl()),
      ARS_ENGINE_INGRESS_URL: await through('engine', engine.ingressUrl),
      ARS_ENGINE_ADMIN_URL: await through('engine', engine.adminUrl),
    },
  })
  const env: Record<string, string> = { ARS_DATABASE_ACQUIRE_TIMEOUT_MS: '500' }
  for (const name of databases) env[name] = await through('Postgres', app.env[name] ?? '')
  linked = await app.join('gateway', env)
  tenant = await app.addTenant({ plan: 'enterprise' })
}, 120_000)
afterAll(async () => {
  for (const links of Object.values(inside)) for (const link of links) link.set('up')
  await app.stop()
  for (const links of Object.values(inside)) for (const link of links) link.close()
  await outside.close()
})

type Asked = { agent?: string; wait?: number; timeout?: number; key?: string; url?: string }

/** A run, as a caller who waits for it sees it. */
const run = async ({ agent = tenant.agents['test-echo'] ?? '', wait = waitSeconds, timeout, key, url }: Asked) => {
  const { status, headers, body } = await app.call('POST', '/v2/runs', {
    key: tenant.key,
    body: { agent_id: agent, input: { query: 'hello' }, ...(timeout !== undefined && { timeout_seconds: timeout }) },
    headers: { prefer: `wait=${wait}`, ...(key !== undefined && { 'idempotency-key': key }) },
    ...(url !== undefined && { url }),
  })
  if (status === 503) expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  const words = status < 300 ? [body.status, body.error?.code] : [body.error.code]
  return [status, ...words].filter((word) => word !== undefined).join(' ')
}

type Observed = { answer: string; tookMs: number }

const timed = async (ask: () => Promise<string>): Promise<Observed> => {
  const begunMs = performance.now()
  const answer = await ask()
  return { answer, tookMs: performance.now() - begunMs }
}

const expectMode = (part: Part, fault: Fault, { answer, tookMs }: Observed): void => {
  const mode = failureModes.find((each) => each.part === part && each.fault === fault)
  expect(mode?.answers).toContain(answer)
  expect(tookMs).toBeLessThan((mode?.withinMs ?? 0) + slackMs)
}

describe.each(['Redis', 'engine', 'Postgres'] as const)('%s', (part) => {
  const url = () => (part === 'Postgres' ? linked.url : app.url)
  const healed = (key: string) =>
    until('the run to complete', async () => (await run({ key, url: url() })) === '200 completed')

  test.each(faults)(
    '%s: the caller sees what the page says, and the run completes afterwards',
    patience,
    async (fault) => {
      const asked = { key: `${part}-${fault}`, url: url() }
      // Connections that are in use before the fault, for each pool.
      expect(await run({ ...asked, key: `${part}-${fault}-before` })).toBe('200 completed')
      for (const link of inside[part]) link.set(fault)
      try {
        expectMode(part, fault, await timed(() => run(asked)))
      } finally {
        for (const link of inside[part]) link.set('up')
      }
      await healed(asked.key)
    },
  )
})

// Each fault has its own server, so they are played at the same time.
describe.concurrent('outside', () => {
  describe.each(['model provider', 'MCP server', 'remote agent'] as const)('%s', (part) => {
    const kind = ({ 'model provider': 'provider', 'MCP server': 'tools', 'remote agent': 'remote' } as const)[part]
    const timeout = (fault: Fault) => (part === 'MCP server' || fault === 'refused' ? undefined : runTimeoutSeconds)

    test.each(faults)('%s: the run ends as the page says', patience, async (fault) => {
      const link = outside.links[kind][fault]
      const agent = await agentFor[part](app, tenant, fault, link)
      const seconds = timeout(fault)
      const asked = { agent, wait: 55, ...(seconds !== undefined && { timeout: seconds }) }
      if (fault === 'half-open') expect(await run(asked)).toBe('200 completed')
      link.set(fault)
      expectMode(part, fault, await timed(() => run(asked)))
    })
  })

  describe('webhook receiver', () => {
    test.each(faults)('%s: the delivery goes as the page says, and the run completes', patience, async (fault) => {
      const link = outside.links.receiver[fault]
      const own = await app.addTenant()
      const call = async (method: string, path: string, body?: unknown) =>
        (await app.call(method, path, { key: own.key, ...(body !== undefined && { body }) })).body
      const webhook = await call('POST', '/v2/webhooks', { url: link.url, events: ['run.completed'] })
      let events = 0
      const deliver = async (): Promise<string> => {
        const made = await call('POST', '/v2/runs', { agent_id: own.agents['test-echo'], input: { query: 'hello' } })
        expect(made.status).toBe('completed')
        events++
        return until('an attempt', async () => {
          const { data } = await call('GET', `/v2/webhooks/${webhook.id}/deliveries`)
          const [newest] = data as { attempts: { error: string | null; http_status: number | null }[] }[]
          const [attempt] = data.length < events ? [] : (newest?.attempts ?? [])
          if (attempt?.error != null) return 'attempt failed'
          return attempt?.http_status != null && 'delivered'
        })
      }
      if (fault === 'half-open') expect(await deliver()).toBe('delivered')
      link.set(fault)
      expectMode('webhook receiver', fault, await timed(deliver))
    })
  })

  test.each(faults)('DNS: %s: a call by name goes as the page says', patience, async (fault) => {
    expectMode('DNS', fault, await timed(() => callByName(fault)))
  })
})
