import { type Plan, type PlanLimits, plans } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { recordAudit } from '../audit/index.ts'
import { Fault } from '../fault.ts'
import { entryOf } from './author.ts'
import { accessBounds } from './bounds.ts'
import { operator } from './operator.service.ts'
import {
  insertOrganisation,
  lockKeyPolicy,
  lockTerms,
  type Terms,
  updateKeyPolicy,
  updateTerms,
} from './organisation.store.ts'
import { limitsOf } from './plan-limits.ts'

export type OrganisationService = {
  create(name: string, options: { plan: Plan; limits?: Partial<PlanLimits> | undefined }): Promise<{ org: string }>
  /** The numbers of the plan with these overrides; earlier overrides are not kept. */
  setPlan(org: string, plan: Plan, overrides?: Partial<PlanLimits>): Promise<Terms>
  /** The longest life of new keys in days. Null: no limit. Existing keys do not change. */
  setKeyLifetime(org: string, days: number | null): Promise<void>
}

type Deps = { operator: Database; newId: IdMaker; forget: (org: string) => void }

/** The operator's commands for organisations. */
export const createOrganisations = (deps: Deps): OrganisationService => {
  const newEntryId = (): string => toUuid(deps.newId('aud'))
  return {
    create: async (name, { plan, limits }) => {
      requirePlan(plan)
      const id = deps.newId('org')
      const org = toUuid(id)
      const terms = { plan, limits: limitsOf(plan, limits) }
      await deps.operator.transaction(org, async (tx) => {
        await insertOrganisation(tx, org, { name, ...terms })
        const act = { action: 'organisation.created', subject: id, after: { name, ...describe(terms) } }
        await recordAudit(tx, org, entryOf(operator, newEntryId(), act))
      })
      return { org }
    },
    setPlan: async (org, plan, overrides = {}) => {
      requirePlan(plan)
      const terms = { plan, limits: limitsOf(plan, overrides) }
      const subject = fromUuid('org', org)
      await deps.operator.transaction(org, async (tx) => {
        const before = await lockTerms(tx, org)
        if (!before) throw new Fault('not_found', `No organisation ${subject}`)
        await updateTerms(tx, org, terms)
        const act = { action: 'organisation.plan_changed', subject, before: describe(before), after: describe(terms) }
        await recordAudit(tx, org, entryOf(operator, newEntryId(), act))
      })
      // Every process caches the rate with the organisation's keys.
      deps.forget(org)
      return terms
    },
    setKeyLifetime: async (org, days) => {
      requireDays(days)
      const subject = fromUuid('org', org)
      await deps.operator.transaction(org, async (tx) => {
        const before = await lockKeyPolicy(tx, org)
        if (!before) throw new Fault('not_found', `No organisation ${subject}`)
        await updateKeyPolicy(tx, org, days)
        const act = {
          action: 'organisation.key_policy_changed',
          subject,
          before: { max_key_lifetime_days: before.days },
          after: { max_key_lifetime_days: days },
        }
        await recordAudit(tx, org, entryOf(operator, newEntryId(), act))
      })
      deps.forget(org)
    },
  }
}

const maxDays = accessBounds.keyLife.days

const requireDays = (days: number | null): void => {
  if (days === null || (Number.isInteger(days) && days >= 1 && days <= maxDays)) return
  throw new Fault('input_invalid', `The longest life of keys must be a whole number of days from 1 to ${maxDays}`, {
    param: 'max_key_lifetime_days',
  })
}

const requirePlan = (plan: string): void => {
  if (Object.hasOwn(plans, plan)) return
  throw new Fault('input_invalid', `There is no plan ${plan}, only ${Object.keys(plans).join(', ')}`, { param: 'plan' })
}

/** The facts for the audit log, in wire names. */
const describe = ({ plan, limits }: Terms): Record<string, unknown> => ({
  plan,
  requests_per_minute: limits.requestsPerMinute,
  burst: limits.burst,
  calls_per_month: limits.callsPerMonth,
  concurrent_runs: limits.concurrentRuns,
  run_timeout_max_seconds: limits.runTimeoutMaxSeconds,
})
