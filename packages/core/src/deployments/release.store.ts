import type { Rollout } from '@ars/contract'
import type { Tx } from '@ars/platform/db/database'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { columns } from './deployment.store.ts'
import type { Deployment, ReleaseAuthor } from './deployment.ts'

/*
 * Changes of deployments. All of them hold the lock of the agent's row, which is taken first. So there is one order of
 * locks, and the row always agrees with the deployments.
 */

/** The release of an agent. */
export type ReleasedAgent = {
  id: string
  status: string
  live_version: number | null
  live_deployment_id: string | null
}

/** Locks the agent until the commit. Null: there is no such agent. */
export const lockReleasedAgent = async (tx: Tx, org: string, agentId: string): Promise<ReleasedAgent | null> => {
  const [row] = await tx.query(lock({ org, agentId }))
  return row ?? null
}

export type NewRelease = {
  /** The UUID of the new deployment. */
  id: string
  agentId: string
  version: number
  source: Deployment['source']
  rollout: Rollout
  author: ReleaseAuthor
}

/**
 * Releases a version, for all runs or as a canary. The deployment that it replaces is superseded. The caller holds the lock
 * of the agent's row, has stored the version, and records the event `deployment.created`.
 */
export const release = async (tx: Tx, org: string, asked: NewRelease): Promise<Deployment> => {
  const { agentId, rollout } = asked
  const live = (await lockReleasedAgent(tx, org, agentId))?.live_deployment_id ?? null
  // A canary needs a live version beside it: the first version of an agent gets all runs.
  if (rollout.strategy === 'all_at_once' || live === null) {
    await tx.query(supersede({ org, agentId, statuses: ['active', 'canary'] }))
    const deployment = await insert(tx, org, { ...asked, previous: live, status: 'active', percent: 100, rules: [] })
    await tx.query(pointLive({ org, agentId, version: deployment.version, deploymentId: deployment.id }))
    return deployment
  }
  const { traffic_percent: percent, rollback_rules: rules } = rollout
  await tx.query(supersede({ org, agentId, statuses: ['canary'] }))
  const deployment = await insert(tx, org, { ...asked, previous: live, status: 'canary', percent, rules })
  await tx.query(pointCanary({ org, agentId, version: deployment.version, deploymentId: deployment.id, percent }))
  return deployment
}

/** Makes a canary the live version. */
export const promoteCanary = async (tx: Tx, org: string, { id, agent_id }: Deployment): Promise<Deployment> => {
  await tx.query(supersede({ org, agentId: agent_id, statuses: ['active'] }))
  const promoted = moved(await tx.query(promote({ org, id })))
  await tx.query(pointLive({ org, agentId: agent_id, version: promoted.version, deploymentId: id }))
  return promoted
}

/** Changes the share of runs that a canary gets. */
export const shareWithCanary = async (
  tx: Tx,
  org: string,
  { id, agent_id }: Deployment,
  percent: number,
): Promise<Deployment> => {
  const shared = moved(await tx.query(share({ org, id, trafficPercent: percent })))
  await tx.query(pointCanary({ org, agentId: agent_id, version: shared.version, deploymentId: id, percent }))
  return shared
}

/** Ends a canary: the live version gets all new runs, and the agent shows it again. Null: it is no canary any more. */
export const rollBackCanary = async (
  tx: Tx,
  org: string,
  { id, agent_id }: Pick<Deployment, 'id' | 'agent_id'>,
  reason: string,
): Promise<Deployment | null> => {
  const [rolledBack] = await tx.query(rollBack({ org, id, status: 'canary', reason }))
  if (!rolledBack) return null
  await tx.query(forgetCanary({ org, agentId: agent_id }))
  await tx.query(showLive({ org, agentId: agent_id }))
  return rolledBack
}

/**
 * Replaces the live deployment by the version that was live before it, as the new deployment `id`. Null: there is none.
 * Version numbers only rise with a release, so the version before is the last live one among the lower numbers. Repeated
 * rollbacks go back to the first version, and never to a version that was rolled back.
 */
export const rollBackActive = async (
  tx: Tx,
  org: string,
  deployment: Deployment,
  { id, reason, author }: { id: string; reason: string; author: ReleaseAuthor },
): Promise<{ rolledBack: Deployment; created: Deployment } | null> => {
  const { agent_id: agentId } = deployment
  const [before] = await tx.query(findBefore({ org, agentId, version: deployment.version }))
  if (!before) return null
  const rolledBack = moved(await tx.query(rollBack({ org, id: deployment.id, status: 'active', reason })))
  await tx.query(supersede({ org, agentId, statuses: ['canary'] }))
  const created = await insert(tx, org, {
    id,
    agentId,
    version: before.version,
    source: 'rollback',
    author,
    previous: deployment.id,
    status: 'active',
    percent: 100,
    rules: [],
  })
  await tx.query(pointLive({ org, agentId, version: created.version, deploymentId: created.id }))
  await tx.query(showLive({ org, agentId }))
  return { rolledBack, created }
}

type NewDeployment = Omit<NewRelease, 'rollout'> & {
  previous: string | null
  status: 'active' | 'canary'
  percent: number
  rules: readonly unknown[]
}

const insert = async (tx: Tx, org: string, asked: NewDeployment): Promise<Deployment> => {
  const { id, agentId, version, status, percent, rules, previous, source, author } = asked
  return moved(
    await tx.query(
      add({
        id,
        org,
        agentId,
        version,
        status,
        trafficPercent: percent,
        rollbackRules: JSON.stringify(rules),
        hasRules: rules.length > 0,
        previousId: previous,
        source,
        createdBy: author.by,
        createdByType: author.type,
      }),
    ),
  )
}

/** Deployments change only under the lock of the agent. A missing row is a bug. */
const moved = ([row]: readonly Deployment[]): Deployment => {
  if (!row) throw new Error('A deployment changed although its agent was locked')
  return row
}

const lock = statement<{ org: Uuid; agentId: Uuid }, ReleasedAgent>(
  'deployments.lock_agent',
  sql`select id, status, live_version, live_deployment_id from agents where org_id = :org and id = :agentId for update`,
)

const supersede = statement<{ org: Uuid; agentId: Uuid; statuses: readonly string[] }>(
  'deployments.supersede',
  sql`update deployments set status = 'superseded', check_at = null
    where org_id = :org and agent_id = :agentId and status = any (:statuses::text[])`,
)

const add = statement<
  {
    id: Uuid
    org: Uuid
    agentId: Uuid
    version: number
    status: string
    trafficPercent: number
    rollbackRules: Json
    hasRules: boolean
    previousId: Uuid | null
    source: string
    createdBy: Uuid | null
    createdByType: string
  },
  Deployment
>(
  'deployments.add',
  sql`insert into deployments (id, org_id, agent_id, version, status, traffic_percent, rollback_rules,
     previous_deployment_id, source, created_by, created_by_type, activated_at, check_at)
   values (:id, :org, :agentId, :version, :status, :trafficPercent, :rollbackRules::json, :previousId, :source, :createdBy,
     :createdByType, case when :status = 'active' then app_now() end, case when :hasRules::boolean then app_now() end)
   returning ${columns}`,
)

const promote = statement<{ org: Uuid; id: Uuid }, Deployment>(
  'deployments.promote',
  sql`update deployments set status = 'active', traffic_percent = 100, activated_at = app_now(), check_at = null
    where org_id = :org and id = :id and status = 'canary' returning ${columns}`,
)

const share = statement<{ org: Uuid; id: Uuid; trafficPercent: number }, Deployment>(
  'deployments.share',
  sql`update deployments set traffic_percent = :trafficPercent
    where org_id = :org and id = :id and status = 'canary' returning ${columns}`,
)

const rollBack = statement<{ org: Uuid; id: Uuid; status: string; reason: string }, Deployment>(
  'deployments.roll_back',
  sql`update deployments set status = 'rolled_back', rolled_back_at = app_now(), rollback_reason = :reason, check_at = null
    where org_id = :org and id = :id and status = :status returning ${columns}`,
)

const findBefore = statement<{ org: Uuid; agentId: Uuid; version: number }, { version: number }>(
  'deployments.find_before',
  sql`select version from deployments
    where org_id = :org and agent_id = :agentId and status = 'superseded' and activated_at is not null and version < :version
    order by activated_at desc, id desc limit 1`,
)

const pointLive = statement<{ org: Uuid; agentId: Uuid; version: number; deploymentId: Uuid }>(
  'deployments.point_live',
  sql`update agents set live_version = :version, live_deployment_id = :deploymentId, canary_version = null, canary_deployment_id = null,
     canary_percent = null where org_id = :org and id = :agentId`,
)

const pointCanary = statement<{ org: Uuid; agentId: Uuid; version: number; deploymentId: Uuid; percent: number }>(
  'deployments.point_canary',
  sql`update agents set canary_version = :version, canary_deployment_id = :deploymentId, canary_percent = :percent where org_id = :org and id = :agentId`,
)

const forgetCanary = statement<{ org: Uuid; agentId: Uuid }>(
  'deployments.forget_canary',
  sql`update agents set canary_version = null, canary_deployment_id = null, canary_percent = null
    where org_id = :org and id = :agentId`,
)

// The agent shows the live version again. `latest_version`, which numbers the next change, stays.
const showLive = statement<{ org: Uuid; agentId: Uuid }>(
  'deployments.show_live',
  sql`update agents a set version = v.version, name = v.name, description = v.description, config = v.config,
     input_schema = v.input_schema, output_schema = v.output_schema, limits = v.limits, policies = v.policies,
     metadata = v.metadata, secrets = v.secrets, catalog_version = v.catalog_version, catalog_base = v.catalog_base,
     changed_by = v.created_by, changed_by_type = v.created_by_type, updated_at = app_now()
    from agent_versions v
   where a.org_id = :org and a.id = :agentId and v.org_id = :org and v.agent_id = a.id and v.version = a.live_version`,
)
