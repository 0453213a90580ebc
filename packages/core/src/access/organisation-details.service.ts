import type { OrganisationDetails } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { auditOf, recordAudit } from '../audit/index.ts'
import type { Config } from '../config.ts'
import { storageLimitsOf } from '../config.ts'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { findDetails, lockName, type OrganisationRecord, updateName } from './organisation.store.ts'

export type OrganisationDetailsService = {
  get(ctx: Pick<Ctx, 'org'>): Promise<OrganisationDetails>
  rename(ctx: Renamer, name: string): Promise<OrganisationDetails>
}

type Renamer = Pick<Ctx, 'org' | 'actor' | 'address' | 'requestId' | 'credential' | 'agentIds'>
type Deps = { app: Database; newId: IdMaker; config: Config; forget: (org: string) => void }

/** What members see of their organisation, and may change in it. */
export const createOrganisationDetails = ({ app, newId, config, forget }: Deps): OrganisationDetailsService => {
  const storageBytes = storageLimitsOf(config)

  const get = async (org: string): Promise<OrganisationDetails> => {
    const found = await findDetails(app, org)
    if (!found) throw gone()
    return toWire(found, { storageBytes: storageBytes[found.plan], retentionDays: config.retentionDays })
  }

  return {
    get: ({ org }) => get(org),
    rename: async (ctx, name) => {
      if (ctx.credential === 'token' || ctx.agentIds !== null) {
        throw new Fault(
          'forbidden',
          'A token, or a key that is narrowed to some agents, cannot rename the organisation',
        )
      }
      await app.transaction(ctx.org, async (tx) => {
        const before = await lockName(tx, ctx.org)
        if (before === null) throw gone()
        if (before === name) return
        await updateName(tx, ctx.org, name)
        const act = {
          action: 'organisation.renamed',
          subject: fromUuid('org', ctx.org),
          before: { name: before },
          after: { name },
        }
        await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))
      })
      // Every process caches the name with the organisation's keys.
      forget(ctx.org)
      return get(ctx.org)
    },
  }
}

const gone = (): Fault => new Fault('unauthorized', 'The organisation is gone')

const toWire = (
  { id, name, plan, max_key_lifetime_days, created_at, limits }: OrganisationRecord,
  { storageBytes, retentionDays }: { storageBytes: number; retentionDays: number },
): OrganisationDetails => ({
  object: 'organisation',
  id: fromUuid('org', id),
  name,
  plan,
  max_key_lifetime_days,
  limits: {
    requests_per_minute: limits.requestsPerMinute,
    burst: limits.burst,
    calls_per_month: limits.callsPerMonth,
    concurrent_runs: limits.concurrentRuns,
    run_timeout_max_seconds: limits.runTimeoutMaxSeconds,
    storage_bytes: storageBytes,
    run_retention_days: retentionDays,
  },
  created_at: created_at.toISOString(),
})
