import type { Plan, PlanLimits } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { type BudgetTerms, budgetColumns } from '../budgets/index.ts'
import { accessBounds } from './bounds.ts'

/** The plan of an organisation, the limits in force, and those of them that the operator has set for it alone. */
export type Terms = { plan: Plan; limits: PlanLimits; own: Partial<PlanLimits> }

/** An organisation as its members see it. */
export type OrganisationRecord = Omit<Terms, 'own'> &
  BudgetTerms & {
    id: string
    name: string
    max_key_lifetime_days: number | null
    created_at: Date
  }

export const findDetails = async (db: Database, org: string): Promise<OrganisationRecord | null> => {
  const [row] = await db.once(org, details({ org }))
  if (!row) return null
  const { id, name, max_key_lifetime_days, created_at, monthly_budget_usd, budget_action, ...terms } = row
  return { id, name, max_key_lifetime_days, created_at, monthly_budget_usd, budget_action, ...termsOf(terms) }
}

/** The name, locked until the commit. Null: there is no such organisation. */
export const lockName = async (tx: Tx, org: string): Promise<string | null> => {
  const [row] = await tx.query(lockNameRow({ org }))
  return row?.name ?? null
}

export const updateName = async (tx: Tx, org: string, name: string): Promise<void> => {
  await tx.query(rename({ org, name }))
}

export const insertOrganisation = async (
  tx: Tx,
  org: string,
  { name, plan, limits, own }: Terms & { name: string },
): Promise<void> => {
  await tx.query(add({ org, name, plan, ...limits, own: JSON.stringify(own) }))
}

export const isKnownOrganisation = async (tx: Tx, org: string): Promise<boolean> => {
  const rows = await tx.query(known({ org }))
  return rows.length > 0
}

/** The terms, locked until the commit. Null: there is no such organisation. */
export const lockTerms = async (tx: Tx, org: string): Promise<Terms | null> => {
  const [row] = await tx.query(lock({ org }))
  if (!row) return null
  const { own, ...terms } = row
  return { ...termsOf(terms), own }
}

// crosses organisations: the operator's file of plans concerns all of them. In the order of their ids, after one.
export const listTerms = async (db: Database, after: string): Promise<(Terms & { id: string })[]> => {
  const rows = await db.once(null, termsAfter({ after, count: accessBounds.organisationsTogether.count }))
  return rows.map(({ id, own, ...terms }) => ({ id, own, ...termsOf(terms) }))
}

// A bigint arrives as text.
const termsOf = ({ plan, callsPerMonth, ...limits }: TermsRow): Omit<Terms, 'own'> => ({
  plan,
  limits: { ...limits, callsPerMonth: Number(callsPerMonth) },
})

type TermsRow = PlanLimits & { plan: Plan }

export const updateTerms = async (tx: Tx, org: string, { plan, limits, own }: Terms): Promise<void> => {
  await tx.query(change({ org, plan, ...limits, own: JSON.stringify(own) }))
}

/** The longest life of keys in days, locked until the commit. `days` null: no limit. Null: there is no such organisation. */
export const lockKeyPolicy = async (tx: Tx, org: string): Promise<{ days: number | null } | null> => {
  const [row] = await tx.query(lockPolicy({ org }))
  return row ?? null
}

export const updateKeyPolicy = async (tx: Tx, org: string, days: number | null): Promise<void> => {
  await tx.query(changePolicy({ org, days }))
}

/** The policies that are in force, locked until the commit, so that changes of policies are in order. Null: none is. */
export const lockPolicySet = async (tx: Tx, org: string): Promise<string | null> => {
  const [row] = await tx.query(lockSet({ org }))
  return row?.policy_set_id ?? null
}

export const updatePolicySet = async (tx: Tx, org: string, setId: string | null): Promise<void> => {
  await tx.query(changeSet({ org, setId }))
}

const lockSet = statement<{ org: Uuid }, { policy_set_id: string | null }>(
  'organisations.lock_policy_set',
  sql`select policy_set_id from organisations where id = :org for no key update`,
)

const changeSet = statement<{ org: Uuid; setId: Uuid | null }>(
  'organisations.change_policy_set',
  sql`update organisations set policy_set_id = :setId where id = :org`,
)

const lockPolicy = statement<{ org: Uuid }, { days: number | null }>(
  'organisations.lock_key_policy',
  sql`select max_key_lifetime_days as days from organisations where id = :org for no key update`,
)

const changePolicy = statement<{ org: Uuid; days: number | null }>(
  'organisations.change_key_policy',
  sql`update organisations set max_key_lifetime_days = :days where id = :org`,
)

const add = statement<PlanLimits & { org: Uuid; name: string; plan: Plan; own: Json }>(
  'organisations.add',
  sql`insert into organisations (id, name, plan, requests_per_minute, burst, calls_per_month, concurrent_runs,
     run_timeout_max_seconds, own_limits)
   values (:org, :name, :plan, :requestsPerMinute, :burst, :callsPerMonth, :concurrentRuns, :runTimeoutMaxSeconds, :own)`,
)

const known = statement<{ org: Uuid }>('organisations.known', sql`select id from organisations where id = :org`)

const termColumns = `plan, requests_per_minute as "requestsPerMinute", burst, calls_per_month as "callsPerMonth",
  concurrent_runs as "concurrentRuns", run_timeout_max_seconds as "runTimeoutMaxSeconds"`

type OwnRow = TermsRow & { own: Partial<PlanLimits> }

const termsAfter = statement<{ after: Uuid; count: number }, OwnRow & { id: string }>(
  'organisations.terms_after',
  sql`select id, own_limits as "own", ${termColumns} from organisations where id > :after order by id limit :count`,
)

const lock = statement<{ org: Uuid }, OwnRow>(
  'organisations.lock_terms',
  sql`select own_limits as "own", ${termColumns} from organisations where id = :org for no key update`,
)

const details = statement<
  { org: Uuid },
  TermsRow & BudgetTerms & { id: string; name: string; max_key_lifetime_days: number | null; created_at: Date }
>(
  'organisations.details',
  sql`select id, name, max_key_lifetime_days, created_at, ${termColumns}, ${budgetColumns({ org: ':org', subject: ':org' })}
     from organisations where id = :org`,
)

const lockNameRow = statement<{ org: Uuid }, { name: string }>(
  'organisations.lock_name',
  sql`select name from organisations where id = :org for no key update`,
)

const rename = statement<{ org: Uuid; name: string }>(
  'organisations.rename',
  sql`update organisations set name = :name where id = :org`,
)

const change = statement<PlanLimits & { org: Uuid; plan: Plan; own: Json }>(
  'organisations.change_terms',
  sql`update organisations
      set plan = :plan, requests_per_minute = :requestsPerMinute, burst = :burst, calls_per_month = :callsPerMonth, concurrent_runs = :concurrentRuns,
          run_timeout_max_seconds = :runTimeoutMaxSeconds, own_limits = :own
    where id = :org`,
)
