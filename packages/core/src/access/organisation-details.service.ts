import type { BudgetInput, OrganisationDetails } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { auditOf, recordAudit } from '../audit/index.ts'
import { budgetPatchOf, hasChanged, setBudget } from '../budgets/index.ts'
import type { Config } from '../config.ts'
import { storageLimitsOf } from '../config.ts'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { findDetails, lockName, type OrganisationRecord, updateName } from './organisation.store.ts'

export type OrganisationDetailsService = {
  get(ctx: Pick<Ctx, 'org'>): Promise<OrganisationDetails>
  update(ctx: Changer, body: OrganisationPatch): Promise<OrganisationDetails>
}

type OrganisationPatch = BudgetInput & { readonly name?: string | undefined }
type Facts = Readonly<Record<string, unknown>>
type Changer = Pick<Ctx, 'org' | 'actor' | 'address' | 'requestId'>
type Deps = { app: Database; newId: IdMaker; config: Config; forget: (org: string) => void }

/** What members see of their organisation, and may change in it. */
export const createOrganisationDetails = ({ app, newId, config, forget }: Deps): OrganisationDetailsService => {
  const storageBytes = storageLimitsOf(config)

  const get = async (org: string): Promise<OrganisationDetails> => {
    const found = await findDetails(app, org)
    if (!found) throw gone()
    return toWire(found, { storageBytes: storageBytes[found.plan], retentionDays: config.retentionDays })
  }

  const record = (tx: Tx, ctx: Changer, act: { action: string; before: Facts; after: Facts }): Promise<void> =>
    recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), { ...act, subject: fromUuid('org', ctx.org) }))

  const rename = async (tx: Tx, ctx: Changer, { before, after }: { before: string; after: string }): Promise<void> => {
    if (before === after) return
    await updateName(tx, ctx.org, after)
    await record(tx, ctx, { action: 'organisation.renamed', before: { name: before }, after: { name: after } })
  }

  const changeBudget = async (tx: Tx, ctx: Changer, budget: BudgetInput): Promise<void> => {
    const { before, after } = await setBudget(tx, ctx.org, { kind: 'organisation', id: ctx.org }, budget)
    if (hasChanged(before, after)) await record(tx, ctx, { action: 'organisation.budget_changed', before, after })
  }

  return {
    get: ({ org }) => get(org),
    update: async (ctx, body) => {
      await app.transaction(ctx.org, async (tx) => {
        const name = await lockName(tx, ctx.org)
        if (name === null) throw gone()
        await rename(tx, ctx, { before: name, after: body.name ?? name })
        const budget = budgetPatchOf(body)
        if (budget) await changeBudget(tx, ctx, budget)
      })
      // Every process caches the name with the organisation's keys.
      forget(ctx.org)
      return get(ctx.org)
    },
  }
}

const gone = (): Fault => new Fault('unauthorized', 'The organisation is gone')

const toWire = (
  { id, name, plan, max_key_lifetime_days, created_at, limits, monthly_budget_usd, budget_action }: OrganisationRecord,
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
  monthly_budget_usd,
  budget_action,
  created_at: created_at.toISOString(),
})
