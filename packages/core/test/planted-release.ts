import type { Rollout } from '@ars/contract'
import { systemClock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import type { Deployment } from '../src/deployments/deployment.ts'
import { release } from '../src/deployments/index.ts'

const newId = createIdMaker(systemClock)

type NextVersion = {
  agentId: string
  config?: Record<string, unknown>
  inputSchema?: Record<string, unknown> | null
  limits?: Record<string, unknown>
  rollout?: Rollout
}

/** Gives an agent its next version and deploys it as the service does. Omitted fields are empty in that version. */
export const releaseVersion = (app: Database, org: string, next: NextVersion): Promise<Deployment> =>
  app.transaction(org, async (tx) => {
    const { agentId, config = {}, inputSchema = null, limits = {}, rollout = { strategy: 'all_at_once' } } = next
    const [row] = await tx.query<{ version: number }>({
      text: `update agents set version = latest_version + 1, latest_version = latest_version + 1, config = $3,
               input_schema = $4, limits = $5 where org_id = $1 and id = $2 returning version`,
      values: [org, agentId, config, inputSchema, limits],
    })
    const author = { by: null, type: 'operator' } as const
    return release(tx, org, {
      id: toUuid(newId('dep')),
      agentId,
      version: row?.version ?? 0,
      source: 'update',
      rollout,
      author,
    })
  })

export const canary = (percent: number): Rollout => ({
  strategy: 'canary',
  traffic_percent: percent,
  rollback_rules: [],
})
