import type { Plan } from '@ars/contract'
import { createAccess } from '@ars/core/access'
import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import type { Stack } from '@ars/tools/dev/stack'

export type Rate = {
  requestsPerMinute: number
  burst: number
}

/** A key, and what it may do. */
export type RatedKey = Rate & {
  name: string
  apiKey: string
}

/** An agent that cannot exist: a call that passes the limit gets 404 without a database query, so only the limit is measured. */
export const ratedPath = '/v2/agents/none'

const log = createLog({ level: 'error' })
const newId = createIdMaker(systemClock)

/** One organisation with these limits, and this many keys: each has a separate bucket. */
export const plantRatedKeys = async (
  stack: Stack,
  name: string,
  wanted: { plan: Plan; keys?: number; limits: Rate },
): Promise<RatedKey[]> => {
  const [app, auth, operator] = (['ars_app', 'ars_auth', 'ars_system'] as const).map((role) =>
    openDatabase({ url: stack.postgres.url(role), name: 'chaos', size: 2, acquireTimeoutMs: 30_000, log }),
  ) as [Database, Database, Database]
  const { plan, keys = 1, limits } = wanted
  const access = createAccess({ app, auth, operator, clock: systemClock, newId })
  try {
    const { org } = await access.createOrganisation(name, { plan, limits })
    const planted: RatedKey[] = []
    for (let n = 0; n < keys; n++) {
      const { key } = await access.createKey(org, { name, kind: plan === 'demo' ? 'demo' : 'live' })
      planted.push({ ...limits, name: keys === 1 ? name : `${name}-${n}`, apiKey: key })
    }
    return planted
  } finally {
    await access.close()
    await Promise.all([app.close(), auth.close(), operator.close()])
  }
}
