import type { Plan } from '@ars/contract'
import { createAccess } from '@ars/core/access'
import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import type { Stack } from '@ars/tools/dev/stack'
import type { Sql } from './sql.ts'
import type { Seed } from './temporary-stack.ts'

/** A customer of the stack under test. */
export type Organisation = {
  /** Its name in the journal and in leak markers. */
  label: string
  /** The UUID. */
  id: string
  apiKey: string
  /** The `ag_…` of a test agent. */
  agentId(name: string): string
}

/** As `admin seed` does, so that experiments that are not about limits do not meet one. */
const ample = { requestsPerMinute: 1_000_000, burst: 1_000_000, callsPerMonth: 1_000_000_000 }

const log = createLog({ level: 'error' })
const newId = createIdMaker(systemClock)

/** One more customer, as `admin seed` makes one, without a process for each: the agents are those of the first. With a plan, its limits hold. */
export const plantOrganisation = async (
  stack: Stack,
  label: string,
  { records, like, plan }: { records: Pick<Sql, 'query'>; like: Organisation; plan?: Plan },
): Promise<Organisation> => {
  const [app, auth, operator] = (['ars_app', 'ars_auth', 'ars_system'] as const).map((role) =>
    openDatabase({ url: stack.postgres.url(role), name: 'chaos', size: 1, acquireTimeoutMs: 30_000, log }),
  ) as [Database, Database, Database]
  try {
    const access = createAccess({ app, auth, operator, clock: systemClock, newId })
    const { org } = await access.createOrganisation(label, plan ? { plan } : { plan: 'enterprise', limits: ample })
    const { key } = await access.createKey(org, { name: label })
    const known = await records.query<{ id: string; name: string }>('select id, name from agents where org_id = $1', [
      like.id,
    ])
    const agents = known.map(({ id, name }) => ({ of: id, id: newId('ag'), name }))
    for (const { of, id } of agents) {
      await records.query(
        `insert into agents (id, org_id, name, description, kind, source, catalog_key, config)
         select $1, $2, name, description, kind, source, catalog_key, config from agents where id = $3`,
        [toUuid(id), org, of],
      )
    }
    return organisationOf(label, { organisation: org, api_key: key, agents })
  } finally {
    await Promise.all([app.close(), auth.close(), operator.close()])
  }
}

export const organisationOf = (label: string, seed: Seed & { organisation?: string }): Organisation => {
  if (!seed.organisation) throw new Error('the seed does not contain its organisation')
  return {
    label,
    id: seed.organisation,
    apiKey: seed.api_key,
    agentId: (wanted) => {
      const agent = seed.agents.find(({ name }) => name === wanted)
      if (!agent) throw new Error(`the seed has no agent ${wanted}`)
      return agent.id
    },
  }
}

/** How many runs an organisation may have under way at once. */
export const setConcurrency = async (
  records: Pick<Sql, 'query'>,
  { id }: Organisation,
  runs: number,
): Promise<void> => {
  await records.query('update organisations set concurrent_runs = $2 where id = $1', [id, runs])
}

/** An agent as a customer would have made it, written where it ends up. Answers its `ag_…`. */
export const plantAgent = async (
  records: Pick<Sql, 'query'>,
  { id: org }: Organisation,
  { name, config }: { name: string; config: Record<string, unknown> },
): Promise<string> => {
  const id = newId('ag')
  await records.query(
    `insert into agents (id, org_id, name, kind, source, config) values ($1, $2, $3, 'llm', 'custom', $4)`,
    [toUuid(id), org, name, JSON.stringify(config)],
  )
  return id
}
