import { systemClock } from '@ars/platform/clock'
import { openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { openWakeups } from '@ars/platform/redis/redis'
import { asClient } from '@ars/testkit/client'
import type { TestDatabase } from '@ars/testkit/database'
import { testRedisUrl } from '@ars/testkit/stack'
import { testAgents } from '../src/agents/agents.fixture.ts'
import { createSchemas } from '../src/models/index.ts'
import type { Parts } from '../src/parts.ts'
import { createRunGateway } from '../src/runs/index.ts'

const log = createLog({ level: 'silent' })
export const newId = createIdMaker(systemClock)

/** The gateway's half of runs on a real database and a real Redis, with an engine that takes every order and does nothing. */
export const openRunGateway = async (database: TestDatabase) => {
  const app = openDatabase({ url: database.appUrl, name: 'app', size: 4, acquireTimeoutMs: 30_000, log })
  const system = openDatabase({ url: database.systemUrl, name: 'system', size: 1, acquireTimeoutMs: 30_000, log })
  const wakeups = await openWakeups({ url: testRedisUrl(), log })
  const config = { relayAfterMs: 60_000, cellSlots: 10, cancelGraceMs: 1000 }
  const engine = { send: () => Promise.resolve() }
  const parts = { app, system, wakeups, engine, config, clock: systemClock, newId, log } as unknown as Parts
  const agents = testAgents({ app, newId })
  const gateway = createRunGateway(parts, { agents, schemas: createSchemas(systemClock) })
  return {
    ...gateway,
    agents,
    app,
    close: async () => {
      gateway.close()
      wakeups.close()
      await Promise.all([app.close(), system.close()])
    },
  }
}

export type RunGateway = Awaited<ReturnType<typeof openRunGateway>>

/** An organisation with limits of its own, and agents: as many as are asked for, of the catalog unless said otherwise. */
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

/** What is counted and what is there, month by month; they must be the same. */
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
