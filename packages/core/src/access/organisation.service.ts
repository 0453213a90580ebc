import { plans as contractPlans, type Plan, type PlanLimits } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { recordAudit } from '../audit/index.ts'
import { Fault } from '../fault.ts'
import { entryOf } from './author.ts'
import { accessBounds } from './bounds.ts'
import { operator } from './operator.service.ts'
import {
  insertOrganisation,
  listTerms,
  lockKeyPolicy,
  lockTerms,
  type Terms,
  updateKeyPolicy,
  updateTerms,
} from './organisation.store.ts'
import { changedLimits, limitNames, limitsOf, type Plans, wireLimits } from './plan-limits.ts'

export type OrganisationService = {
  create(name: string, options: { plan: Plan; limits?: Partial<PlanLimits> | undefined }): Promise<{ org: string }>
  /** The numbers of the plan with these overrides; earlier overrides are not kept. */
  setPlan(org: string, plan: Plan, overrides?: Partial<PlanLimits>): Promise<Terms>
  /** Sets single limits; the others stay. Null: the number of the plan holds again. */
  setLimits(org: string, changes: LimitChanges): Promise<Terms>
  /** Gives each organisation the numbers of its plan, except those that are set for it alone. Answers the changed ones. */
  applyPlans(): Promise<AppliedPlans>
  /** Counts the organisations that `applyPlans` would change. */
  countOutdated(): Promise<AppliedPlans>
  /** The longest life of new keys in days. Null: no limit. Existing keys do not change. */
  setKeyLifetime(org: string, days: number | null): Promise<void>
}

export type LimitChanges = Partial<Record<keyof PlanLimits, number | null | undefined>>
export type AppliedPlans = { organisations: number; changed: number }

type Deps = {
  operator: Database
  newId: IdMaker
  forget: (org: string) => void
  /** The operator's plans. By default those of the contract. */
  plans?: Plans | undefined
}

/** The operator's commands for organisations. */
export const createOrganisations = (deps: Deps): OrganisationService => {
  const newEntryId = (): string => toUuid(deps.newId('aud'))
  const { plans = contractPlans } = deps

  /** `next` answers null if nothing changes. */
  const changeTerms = async (
    org: string,
    action: string,
    next: (before: Terms) => Terms | null,
  ): Promise<{ terms: Terms; isChanged: boolean }> => {
    const subject = fromUuid('org', org)
    const done = await deps.operator.transaction(org, async (tx) => {
      const before = await lockTerms(tx, org)
      if (!before) throw new Fault('not_found', `No organisation ${subject}`)
      const terms = next(before)
      if (terms === null) return { terms: before, isChanged: false }
      await updateTerms(tx, org, terms)
      const act = { action, subject, before: describe(before), after: describe(terms) }
      await recordAudit(tx, org, entryOf(operator, newEntryId(), act))
      return { terms, isChanged: true }
    })
    // Every process caches the rate with the organisation's keys.
    if (done.isChanged) deps.forget(org)
    return done
  }

  /** Null: the organisation has the numbers of its plan already. */
  const updated = ({ plan, own, limits }: Terms): Terms | null => {
    const wanted = limitsOf(plans, plan, own)
    return limitNames.every((name) => wanted[name] === limits[name]) ? null : { plan, own, limits: wanted }
  }

  const forEachOutdated = async (work: (org: string) => Promise<boolean>): Promise<AppliedPlans> => {
    const counts = { organisations: 0, changed: 0 }
    let after = noOrganisation
    for (;;) {
      const page = await listTerms(deps.operator, after)
      for (const { id, ...terms } of page) {
        counts.organisations++
        if (updated(terms) !== null && (await work(id))) counts.changed++
      }
      const last = page.at(-1)
      if (!last) return counts
      after = last.id
    }
  }

  return {
    create: async (name, { plan, limits }) => {
      requirePlan(plan)
      const id = deps.newId('org')
      const org = toUuid(id)
      const own = changedLimits({}, limits ?? {})
      const terms = { plan, own, limits: limitsOf(plans, plan, own) }
      await deps.operator.transaction(org, async (tx) => {
        await insertOrganisation(tx, org, { name, ...terms })
        const act = { action: 'organisation.created', subject: id, after: { name, ...describe(terms) } }
        await recordAudit(tx, org, entryOf(operator, newEntryId(), act))
      })
      return { org }
    },
    setPlan: async (org, plan, overrides = {}) => {
      requirePlan(plan)
      const own = changedLimits({}, overrides)
      const terms = { plan, own, limits: limitsOf(plans, plan, own) }
      return (await changeTerms(org, 'organisation.plan_changed', () => terms)).terms
    },
    setLimits: async (org, changes) => {
      const { terms } = await changeTerms(org, 'organisation.limits_changed', ({ plan, own }) => {
        const changed = changedLimits(own, changes)
        return { plan, own: changed, limits: limitsOf(plans, plan, changed) }
      })
      return terms
    },
    applyPlans: () =>
      forEachOutdated(async (org) => (await changeTerms(org, 'organisation.limits_changed', updated)).isChanged),
    countOutdated: () => forEachOutdated(() => Promise.resolve(true)),
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

/** Before all others. */
const noOrganisation = '00000000-0000-0000-0000-000000000000'

const requirePlan = (plan: string): void => {
  if (Object.hasOwn(contractPlans, plan)) return
  throw new Fault('input_invalid', `There is no plan ${plan}, only ${Object.keys(contractPlans).join(', ')}`, {
    param: 'plan',
  })
}

/** The facts for the audit log, in wire names. */
const describe = ({ plan, limits }: Terms): Record<string, unknown> => ({
  plan,
  ...wireLimits(limits),
})
