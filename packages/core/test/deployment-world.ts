import { type AgentId, contract, type DeploymentId, type Rollout } from '@ars/contract'
import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, fromUuid, toUuid, uuidFloor } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { testRequest } from '@ars/testkit/caller'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { type AgentAccess, type AllowedAgents, allowedAmong, onlyAgent } from '../src/agent-access.ts'
import { createAgentWatch } from '../src/agents/index.ts'
import type { Ctx } from '../src/ctx.ts'
import { createDeployments, type DeploymentService } from '../src/deployments/deployment.service.ts'
import type { Deployment } from '../src/deployments/deployment.ts'
import { lockReleasedAgent, release } from '../src/deployments/release.store.ts'

export const newId = createIdMaker(systemClock)

/** A database with deployments, and agents that change as rows. */
export type DeploymentWorld = {
  database: TestDatabase
  app: Database
  system: Database
  /** The service as the gateway calls it: ids and lists are resolved under the caller's access first. */
  deployments: Resolving
  logLines: string[]
  log: ReturnType<typeof createLog>
  sql<Row>(text: string, values?: unknown[]): Promise<Row[]>
  newOrg(): Promise<string>
  /** An agent with its first version released; returns its UUID. */
  newAgent(org: string): Promise<string>
  /** The next version of an agent, released. */
  change(org: string, agent: string, rollout?: Rollout): Promise<Deployment>
  /** Runs that have ended, as rows. */
  endRuns(org: string, deployment: Pick<Deployment, 'id' | 'agent_id'>, runs: readonly PlantedRun[]): Promise<void>
  /** Every agent whose row and deployments do not agree, with the difference. */
  disagreements(): Promise<{ agent: string; wrong: string }[]>
  close(): Promise<void>
}

export type Resolving = Pick<DeploymentService, 'get'> & {
  list(ctx: Ctx, page: Parameters<DeploymentService['list']>[1]): ReturnType<DeploymentService['list']>
  compare(ctx: Ctx, id: DeploymentId): ReturnType<DeploymentService['compare']>
  promote(ctx: Ctx, id: DeploymentId, trafficPercent?: number): ReturnType<DeploymentService['promote']>
  rollback(ctx: Ctx, id: DeploymentId, reason: string): ReturnType<DeploymentService['rollback']>
}

export type PlantedRun = {
  status: 'completed' | 'failed' | 'cancelled' | 'running'
  latencyMs?: number
  waitingMs?: number
  costUsd?: number | null
  agoSeconds?: number
  isWatched?: boolean
}

/** The same run several times. */
export const many = (count: number, run: PlantedRun): PlantedRun[] => Array.from({ length: count }, () => run)

const allAtOnce: Rollout = { strategy: 'all_at_once' }
export const canary = (
  percent = 10,
  rules: Extract<Rollout, { strategy: 'canary' }>['rollback_rules'] = [],
): Rollout => ({
  strategy: 'canary',
  traffic_percent: percent,
  rollback_rules: rules,
})
export const failureRule = { metric: 'failure_rate', above: 0.05, min_runs: 50, window_seconds: 3_600 } as const

export const openDeploymentWorld = async (): Promise<DeploymentWorld> => {
  const database = await createTestDatabase()
  const logLines: string[] = []
  const log = createLog({ level: 'debug', write: (line) => logLines.push(line) })
  const open = (url: string, name: string) => openDatabase({ url, name, size: 8, acquireTimeoutMs: 30_000, log })
  const app = open(database.appUrl, 'test-app')
  const system = open(database.systemUrl, 'test-system')
  const sql = <Row>(text: string, values: unknown[] = []) =>
    asClient(database.superuserUrl, async (client) => (await client.query(text, values)).rows as Row[])
  const author = { by: toUuid(newId('key')), type: 'key' } as const

  const agents = {
    allowedAgent: (_ctx: AgentAccess, within: AllowedAgents, id: AgentId) =>
      Promise.resolve(onlyAgent(within, toUuid(id))),
    allowedAgents: (ctx: AgentAccess) => Promise.resolve(allowedAmong(ctx, [])),
  }
  const service = createDeployments({ app, newId, agents, watchAgent: createAgentWatch({ newId }) })
  const { get } = service
  const deployments: Resolving = {
    get,
    list: async (ctx, page) => service.list(ctx, page, await agents.allowedAgents(ctx)),
    compare: async (ctx, id) => service.compare(ctx, await get(ctx, id)),
    promote: async (ctx, id, trafficPercent) => service.promote(ctx, await get(ctx, id), trafficPercent),
    rollback: async (ctx, id, reason) => service.rollback(ctx, await get(ctx, id), reason),
  }

  return {
    database,
    app,
    system,
    logLines,
    log,
    sql,
    deployments,
    newOrg: async () => {
      const org = toUuid(newId('org'))
      await sql(`insert into organisations (id, name) values ($1, 'Test')`, [org])
      return org
    },
    newAgent: async (org) => {
      const id = toUuid(newId('ag'))
      await sql(
        `insert into agents (id, org_id, name, kind, source, config) values ($1, $2, 'Version 1', 'llm', 'custom', '{}')`,
        [id, org],
      )
      await app.transaction(org, (tx) =>
        release(tx, org, {
          id: toUuid(newId('dep')),
          agentId: id,
          version: 1,
          source: 'create',
          rollout: allAtOnce,
          author,
        }),
      )
      return id
    },
    change: (org, agent, rollout = allAtOnce) =>
      app.transaction(org, async (tx) => {
        await lockReleasedAgent(tx, org, agent)
        const [next] = await tx.query<{ version: number }>({
          text: `update agents set version = latest_version + 1, latest_version = latest_version + 1,
                   name = 'Version ' || latest_version + 1 where org_id = $1 and id = $2 returning version`,
          values: [org, agent],
        })
        const version = next?.version ?? 0
        return release(tx, org, {
          id: toUuid(newId('dep')),
          agentId: agent,
          version,
          source: 'update',
          rollout,
          author,
        })
      }),
    endRuns: async (org, deployment, runs) => {
      const rows = runs.map((run, n) => {
        const { agoSeconds = 10, latencyMs = 100, waitingMs = 0, costUsd = 0, isWatched = true, status } = run
        return {
          id: idAt(agoSeconds, n),
          ago: agoSeconds,
          latency: latencyMs + waitingMs,
          waiting: waitingMs,
          cost: costUsd,
          watched: isWatched,
          status,
        }
      })
      await sql(plantRuns, [org, deployment.agent_id, deployment.id, JSON.stringify(rows)])
    },
    disagreements: () => sql(findDisagreements),
    close: async () => {
      await Promise.all([app.close(), system.close()])
      await database.drop()
    },
  }
}

/** A request of an administrator, for the service. */
export const adminOf = (org: string, agentIds: ReadonlySet<string> | null = null) => ({ ...testRequest(org), agentIds })

export const deploymentId = ({ id }: Pick<Deployment, 'id'>) => fromUuid('dep', id)

/** An agent whose second version is a canary, and the comparison of both, which the contract admits. */
export const placeCanary = async (world: DeploymentWorld, rules: Parameters<typeof canary>[1] = [failureRule]) => {
  const org = await world.newOrg()
  const agent = await world.newAgent(org)
  const out = await world.change(org, agent, canary(10, rules))
  const base = { id: out.previous_deployment_id ?? '', agent_id: agent }
  const compare = async () =>
    contract.deployments.compare.output.parse(await world.deployments.compare(adminOf(org), deploymentId(out)))
  return { org, agent, out, base, compare }
}

// Ids begin with the creation time of the run and are unique.
const idAt = (agoSeconds: number, n: number): string => {
  const time = uuidFloor(new Date(systemClock.now().getTime() - agoSeconds * 1_000 - (n % 500))).slice(0, 13)
  return `${time}-7${toUuid(newId('run')).slice(15)}`
}

const plantRuns = `with run as (
    insert into runs (input_bytes, created_by, created_by_type, id, org_id, agent_id, agent_version, deployment_id, is_watched, input, timeout_seconds, created_at)
    select 2, '01890a5d-ac96-774b-bcce-b302099a80ff'::uuid, 'key', id, $1, $2, 1, $3, watched, '{}', 600, app_now() - make_interval(secs => ago)
      from json_to_recordset($4::json) as r (id uuid, watched boolean, ago integer)
    returning id, created_at
  )
  insert into run_results (stored_bytes, run_id, org_id, agent_id, status, error, input_tokens, output_tokens, cost_usd, waiting_ms, last_seq, finished_at)
  select 0, run.id, $1, $2, r.status, case r.status when 'failed' then '{}'::json end, 0, 0, r.cost, r.waiting, 1,
         run.created_at + make_interval(secs => r.latency / 1000.0)
    from run join json_to_recordset($4::json) as r (id uuid, status text, cost numeric, waiting bigint, latency double precision)
      on r.id = run.id
   where r.status <> 'running'`

const findDisagreements = `select a.id as agent, w.wrong
    from agents a
    left join deployments live on live.id = a.live_deployment_id
    left join deployments canary on canary.id = a.canary_deployment_id
    join agent_versions shown on shown.agent_id = a.id and shown.version = a.version
    cross join lateral (values
      ('not one active deployment', (select count(*) <> 1 from deployments d where d.agent_id = a.id and d.status = 'active')),
      ('live points elsewhere', (live.status, live.version, live.agent_id) is distinct from ('active', a.live_version, a.id)),
      ('a canary that the agent does not know',
        exists (select from deployments d where d.agent_id = a.id and d.status = 'canary' and d.id is distinct from a.canary_deployment_id)),
      ('canary points elsewhere', a.canary_deployment_id is not null and (canary.status, canary.version, canary.traffic_percent, canary.agent_id)
        is distinct from ('canary', a.canary_version, a.canary_percent, a.id)),
      ('the canary is not the newest', a.canary_version <= a.live_version),
      ('shows a version that is not out', a.version <> coalesce(a.canary_version, a.live_version)),
      ('shows something else than its version', a.name <> shown.name),
      ('a number was lost', a.latest_version <> (select max(v.version) from agent_versions v where v.agent_id = a.id)),
      ('versions have gaps', a.latest_version <> (select count(*) from agent_versions v where v.agent_id = a.id)),
      ('something closed is still looked at',
        exists (select from deployments d where d.agent_id = a.id and d.status <> 'canary' and d.check_at is not null))
    ) as w (wrong, found)
   where w.found`
