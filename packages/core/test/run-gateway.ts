import { contract, type Handlers, type Operation } from '@ars/contract'
import { systemClock } from '@ars/platform/clock'
import { openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { openPubSub } from '@ars/platform/redis/pub-sub'
import { asClient } from '@ars/testkit/client'
import type { TestDatabase } from '@ars/testkit/database'
import { testRedisUrl } from '@ars/testkit/stack'
import { createRunShares } from '../src/access/run-share.service.ts'
import { testAgents } from '../src/agents/agents.fixture.ts'
import type { Ctx } from '../src/ctx.ts'
import { createResolve } from '../src/named.ts'
import type { GatewayParts } from '../src/parts.ts'
import { createRunGateway } from '../src/runs/index.ts'
import { testSchemas } from '../src/schemas/schemas.fixture.ts'
import { unguarded } from './test-guard.ts'

const log = createLog({ level: 'silent' })
export const newId = createIdMaker(systemClock)

/**
 * The gateway's part of runs on a real database and a real Redis, with an engine that accepts every order and does
 * nothing.
 */
export const openRunGateway = async (database: TestDatabase) => {
  const app = openDatabase({ url: database.appUrl, name: 'app', size: 4, acquireTimeoutMs: 30_000, log })
  const feedReads = openDatabase({ url: database.feedUrl, name: 'feed', size: 1, acquireTimeoutMs: 30_000, log })
  const pubSub = await openPubSub({ url: testRedisUrl(), log })
  const config = { relayAfterMs: 60_000, cellSlots: 10, cancelGraceMs: 1000 }
  const engine = { send: () => Promise.resolve() }
  const parts = { app, feedReads, pubSub, engine, config, clock: systemClock, newId, log } as unknown as GatewayParts
  const agents = testAgents({ app, newId })
  const shares = createRunShares({ app, newId, forget: () => undefined, publicUrl: '' })
  const gateway = createRunGateway(parts, {
    agents,
    schemas: testSchemas(),
    ...unguarded(app),
    shares,
    onEnded: () => undefined,
  })
  const resolve = createResolve({
    agent: agents.get,
    run: gateway.get,
    agents: agents.allowedAgents,
    deployment: () => Promise.reject(new Error('There are no deployments here')),
  })
  return {
    ...gateway,
    api: resolving(gateway.api, resolve),
    resolve,
    agents,
    app,
    close: async () => {
      gateway.close()
      pubSub.close()
      await Promise.all([app.close(), feedReads.close()])
    },
  }
}

type RunOperations = typeof contract.runs
type RunHandlers = Handlers<RunOperations, Ctx, { run: never; agents: never }>
type Input<Name extends keyof RunOperations> = RunOperations[Name]['input']['_zod']['output']

/** The handlers as the gateway calls them: what an operation names is resolved under the caller's access first. */
type Resolving = {
  readonly [Name in keyof RunOperations]: (ctx: Ctx, input: Input<Name>) => ReturnType<RunHandlers[Name]>
}

const resolving = (api: object, resolve: ReturnType<typeof createResolve>): Resolving => {
  const handlers = Object.entries<Operation>(contract.runs).map(([name, operation]) => [
    name,
    async (ctx: Ctx, asked: Record<string, unknown>) => {
      const { input, thing } = await resolve(operation, ctx, asked)
      return (api as Record<string, (ctx: Ctx, input: unknown, thing: unknown) => unknown>)[name]?.(ctx, input, thing)
    },
  ])
  return Object.fromEntries(handlers)
}

export type RunGateway = Awaited<ReturnType<typeof openRunGateway>>

/** An organisation with the given limits and number of agents, from the catalog by default. */
export const plantTenant = (
  database: TestDatabase,
  { calls = 1000, timeoutSeconds = 86_400, agents = [{}] }: TenantOptions = {},
): Promise<Tenant> =>
  asClient(database.superuserUrl, async (client) => {
    const org = toUuid(newId('org'))
    await client.query(
      `insert into organisations (id, name, concurrent_runs, calls_per_month, run_timeout_max_seconds)
       values ($1, 'Test', 500, $2, $3)`,
      [org, calls, timeoutSeconds],
    )
    const planted: `ag_${string}`[] = []
    for (const { source = 'catalog', config = { model: 'simulated/echo' }, timeout, schema } of agents) {
      const id = newId('ag')
      const limits = timeout === undefined ? {} : { timeout_seconds: timeout }
      await client.query(
        `insert into agents (id, org_id, name, kind, source, config, limits, input_schema)
         values ($1, $2, 'Test', 'llm', $3, $4, $5, $6)`,
        [toUuid(id), org, source, config, limits, schema],
      )
      planted.push(id)
    }
    return { org, agents: planted, agentId: planted[0] ?? newId('ag') }
  })

export type Tenant = { org: string; agentId: `ag_${string}`; agents: readonly `ag_${string}`[] }

type TenantOptions = {
  calls?: number
  timeoutSeconds?: number
  agents?: readonly {
    source?: 'catalog' | 'custom'
    config?: Record<string, unknown>
    timeout?: number
    schema?: Record<string, unknown>
  }[]
}

/** The counted and the stored runs, month by month; they must be equal. */
export const usageOf = (
  database: TestDatabase,
  org: string,
): Promise<{ month: string; calls: number; runs: number }[]> =>
  asClient(database.superuserUrl, async (client) => {
    const { rows } = await client.query(
      `select coalesce(c.month, r.month)::text as month, coalesce(c.calls, 0)::integer as calls,
              coalesce(r.runs, 0)::integer as runs
         from (select month, sum(calls) as calls from call_counts where org_id = $1 group by month) c
         full join (select date_trunc('month', created_at at time zone 'utc')::date as month, count(*) as runs
                      from runs where org_id = $1 group by 1) r on r.month = c.month
        order by 1`,
      [org],
    )
    return rows as { month: string; calls: number; runs: number }[]
  })
