import { createAccess } from '@ars/core/access'
import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import type { Stack } from '@ars/tools/dev/stack'
import { withClient } from '../../lab/stack/sql.ts'

/** What `admin seed --json` prints. */
export type Seed = {
  organisation: string
  api_key: string
  agents: { id: string; name: string }[]
}

const log = createLog({ level: 'error' })
const newId = createIdMaker(systemClock)
const ample = { requestsPerMinute: 1_000_000, burst: 1_000_000, callsPerMonth: 1_000_000_000 }

/** More organisations like that of the seed, each with a key and an agent test-echo. Answers all of them. */
export const plantOrganisations = async (stack: Stack, seed: Seed, count: number): Promise<Seed[]> => {
  const [app, auth, operator] = (['ars_app', 'ars_auth', 'ars_system'] as const).map((role) =>
    openDatabase({ url: stack.postgres.url(role), name: 'bench', size: 2, acquireTimeoutMs: 30_000, log }),
  ) as [Database, Database, Database]
  const access = createAccess({ app, auth, operator, clock: systemClock, newId })
  const planted = [seed]
  try {
    while (planted.length < count) {
      const { org } = await access.createOrganisation('Bench', { plan: 'enterprise', limits: ample })
      const { key } = await access.createKey(org, { name: 'Bench' })
      planted.push({ organisation: org, api_key: key, agents: [{ id: newId('ag'), name: 'test-echo' }] })
    }
  } finally {
    await access.close()
    await Promise.all([app.close(), auth.close(), operator.close()])
  }
  const [echo] = seed.agents.filter(({ name }) => name === 'test-echo')
  await withClient({ connectionString: stack.postgres.superuserUrl('ars') }, (client) =>
    client.query(
      `insert into agents (id, org_id, name, description, kind, source, catalog_key, config)
       select n.id, n.org_id, name, description, kind, source, catalog_key, config
         from agents a, unnest($1::uuid[], $2::uuid[]) as n (id, org_id) where a.id = $3`,
      [
        planted.slice(1).map(({ agents }) => toUuid((agents[0]?.id ?? '') as `ag_${string}`)),
        planted.slice(1).map(({ organisation }) => organisation),
        toUuid((echo?.id ?? '') as `ag_${string}`),
      ],
    ),
  )
  return planted
}
