import type { Rollout } from '@ars/contract'
import type { Tx } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import { columns } from './deployment.store.ts'
import type { Author, Deployment } from './deployment.ts'

/*
 * What moves a deployment. All of it happens under the lock of the agent's row, which is taken first; so there is one order
 * for everybody, and what the row points at always agrees with the deployments.
 */

/** What of an agent says which of its versions run. */
export type ReleasedAgent = {
  id: string
  status: string
  live_version: number | null
  live_deployment_id: string | null
}

/** Locks the agent until the commit. Null: there is none. */
export const lockAgent = async (tx: Tx, org: string, agentId: string): Promise<ReleasedAgent | null> => {
  const [row] = await tx.query<ReleasedAgent>(lock(org, agentId))
  return row ?? null
}

export type Release = {
  /** The UUID of the new deployment. */
  id: string
  agentId: string
  version: number
  source: Deployment['source']
  rollout: Rollout
  author: Author
}

/**
 * Lets a version run, for all runs or as a canary; what it takes the place of is superseded. The caller holds the lock of
 * the agent's row, has written the version, and tells of the deployment (`deployment.created`).
 */
export const release = async (tx: Tx, org: string, asked: Release): Promise<Deployment> => {
  const { agentId, rollout } = asked
  const live = (await lockAgent(tx, org, agentId))?.live_deployment_id ?? null
  // Beside nothing there is no canary: the first version of an agent gets all runs.
  if (rollout.strategy === 'all_at_once' || live === null) {
    await tx.query(supersede(org, agentId, ['active', 'canary']))
    const deployment = await insert(tx, org, { ...asked, previous: live, status: 'active', percent: 100, rules: [] })
    await tx.query(pointLive(org, agentId, deployment.version, deployment.id))
    return deployment
  }
  const { traffic_percent: percent, rollback_rules: rules } = rollout
  await tx.query(supersede(org, agentId, ['canary']))
  const deployment = await insert(tx, org, { ...asked, previous: live, status: 'canary', percent, rules })
  await tx.query(pointCanary(org, agentId, deployment.version, deployment.id, percent))
  return deployment
}

/** A canary gets all runs. */
export const promoteCanary = async (tx: Tx, org: string, { id, agent_id }: Deployment): Promise<Deployment> => {
  await tx.query(supersede(org, agent_id, ['active']))
  const promoted = moved(await tx.query<Deployment>(promote(org, id)))
  await tx.query(pointLive(org, agent_id, promoted.version, id))
  return promoted
}

/** A canary gets another share of the runs. */
export const shareWithCanary = async (
  tx: Tx,
  org: string,
  { id, agent_id }: Deployment,
  percent: number,
): Promise<Deployment> => {
  const shared = moved(await tx.query<Deployment>(share(org, id, percent)))
  await tx.query(pointCanary(org, agent_id, shared.version, id, percent))
  return shared
}

/** A canary ends; what ran beside it gets all new runs, and the agent is what it was. Null: it was no canary any more. */
export const rollBackCanary = async (
  tx: Tx,
  org: string,
  { id, agent_id }: Pick<Deployment, 'id' | 'agent_id'>,
  reason: string,
): Promise<Deployment | null> => {
  const [rolledBack] = await tx.query<Deployment>(rollBack(org, id, 'canary', reason))
  if (!rolledBack) return null
  await tx.query(forgetCanary(org, agent_id))
  await tx.query(showLive(org, agent_id))
  return rolledBack
}

/**
 * What is active gives way to the version that ran before it, as the new deployment `id`. Null: none did. Versions only
 * ever rise with a release, so what ran before is the last that had all runs among the lower ones: going back again and
 * again leads through history to the first, and never to a version that was rolled back on the way.
 */
export const rollBackActive = async (
  tx: Tx,
  org: string,
  deployment: Deployment,
  { id, reason, author }: { id: string; reason: string; author: Author },
): Promise<{ rolledBack: Deployment; created: Deployment } | null> => {
  const { agent_id: agentId } = deployment
  const [before] = await tx.query<{ version: number }>(findBefore(org, agentId, deployment.version))
  if (!before) return null
  const rolledBack = moved(await tx.query<Deployment>(rollBack(org, deployment.id, 'active', reason)))
  await tx.query(supersede(org, agentId, ['canary']))
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
  await tx.query(pointLive(org, agentId, created.version, created.id))
  await tx.query(showLive(org, agentId))
  return { rolledBack, created }
}

type NewDeployment = Omit<Release, 'rollout'> & {
  previous: string | null
  status: 'active' | 'canary'
  percent: number
  rules: readonly unknown[]
}

const insert = async (tx: Tx, org: string, asked: NewDeployment): Promise<Deployment> => {
  const { id, agentId, version, status, percent, rules, previous, source, author } = asked
  const rulesText = JSON.stringify(rules)
  return moved(
    await tx.query<Deployment>(
      add(
        id,
        org,
        agentId,
        version,
        status,
        percent,
        rulesText,
        previous,
        source,
        author.by,
        author.type,
        rules.length,
      ),
    ),
  )
}

/** Under the agent's lock nobody else moves a deployment: one that does not move is a mistake of ours. */
const moved = ([row]: readonly Deployment[]): Deployment => {
  if (!row) throw new Error('A deployment has moved although its agent was locked')
  return row
}

const lock = statement(
  'deployments.lock_agent',
  'select id, status, live_version, live_deployment_id from agents where org_id = $1 and id = $2 for update',
)

const supersede = statement(
  'deployments.supersede',
  `update deployments set status = 'superseded', check_at = null
    where org_id = $1 and agent_id = $2 and status = any ($3::text[])`,
)

const add = statement(
  'deployments.add',
  `insert into deployments (id, org_id, agent_id, version, status, traffic_percent, rollback_rules,
     previous_deployment_id, source, created_by, created_by_type, activated_at, check_at)
   values ($1, $2, $3, $4, $5, $6, $7::json, $8, $9, $10, $11, case when $5 = 'active' then app_now() end,
     case when $12::integer > 0 then app_now() end)
   returning ${columns}`,
)

const promote = statement(
  'deployments.promote',
  `update deployments set status = 'active', traffic_percent = 100, activated_at = app_now(), check_at = null
    where org_id = $1 and id = $2 and status = 'canary' returning ${columns}`,
)

const share = statement(
  'deployments.share',
  `update deployments set traffic_percent = $3
    where org_id = $1 and id = $2 and status = 'canary' returning ${columns}`,
)

const rollBack = statement(
  'deployments.roll_back',
  `update deployments set status = 'rolled_back', rolled_back_at = app_now(), rollback_reason = $4, check_at = null
    where org_id = $1 and id = $2 and status = $3 returning ${columns}`,
)

const findBefore = statement(
  'deployments.find_before',
  `select version from deployments
    where org_id = $1 and agent_id = $2 and status = 'superseded' and activated_at is not null and version < $3
    order by activated_at desc, id desc limit 1`,
)

const pointLive = statement(
  'deployments.point_live',
  `update agents set live_version = $3, live_deployment_id = $4, canary_version = null, canary_deployment_id = null,
     canary_percent = null where org_id = $1 and id = $2`,
)

const pointCanary = statement(
  'deployments.point_canary',
  'update agents set canary_version = $3, canary_deployment_id = $4, canary_percent = $5 where org_id = $1 and id = $2',
)

const forgetCanary = statement(
  'deployments.forget_canary',
  `update agents set canary_version = null, canary_deployment_id = null, canary_percent = null
    where org_id = $1 and id = $2`,
)

// The agent shows what runs again; the number that the next change gets, `latest_version`, stays.
const showLive = statement(
  'deployments.show_live',
  `update agents a set version = v.version, name = v.name, description = v.description, config = v.config,
     input_schema = v.input_schema, output_schema = v.output_schema, limits = v.limits, policies = v.policies,
     metadata = v.metadata, secrets = v.secrets, catalog_version = v.catalog_version, catalog_base = v.catalog_base,
     changed_by = v.created_by, changed_by_type = v.created_by_type, updated_at = app_now()
    from agent_versions v
   where a.org_id = $1 and a.id = $2 and v.org_id = $1 and v.agent_id = a.id and v.version = a.live_version`,
)
