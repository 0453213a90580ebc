import type { Plan, PlanLimits } from '@ars/contract'
import type { Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'

/** The plan of an organisation and its limits. */
export type Terms = { plan: Plan; limits: PlanLimits }

export const insertOrganisation = async (
  tx: Tx,
  org: string,
  { name, plan, limits }: Terms & { name: string },
): Promise<void> => {
  await tx.query(add({ org, name, plan, ...limits }))
}

export const isKnownOrganisation = async (tx: Tx, org: string): Promise<boolean> => {
  const rows = await tx.query(known({ org }))
  return rows.length > 0
}

/** The terms, locked until the commit. Null: there is no such organisation. */
export const lockTerms = async (tx: Tx, org: string): Promise<Terms | null> => {
  const [row] = await tx.query(lock({ org }))
  if (!row) return null
  const { plan, callsPerMonth, ...limits } = row
  // A bigint arrives as text.
  return { plan, limits: { ...limits, callsPerMonth: Number(callsPerMonth) } }
}

export const updateTerms = async (tx: Tx, org: string, { plan, limits }: Terms): Promise<void> => {
  await tx.query(change({ org, plan, ...limits }))
}

/** The longest life of keys in days, locked until the commit. `days` null: no limit. Null: there is no such organisation. */
export const lockKeyPolicy = async (tx: Tx, org: string): Promise<{ days: number | null } | null> => {
  const [row] = await tx.query(lockPolicy({ org }))
  return row ?? null
}

export const updateKeyPolicy = async (tx: Tx, org: string, days: number | null): Promise<void> => {
  await tx.query(changePolicy({ org, days }))
}

const lockPolicy = statement<{ org: Uuid }, { days: number | null }>(
  'organisations.lock_key_policy',
  sql`select max_key_lifetime_days as days from organisations where id = :org for no key update`,
)

const changePolicy = statement<{ org: Uuid; days: number | null }>(
  'organisations.change_key_policy',
  sql`update organisations set max_key_lifetime_days = :days where id = :org`,
)

const add = statement<PlanLimits & { org: Uuid; name: string; plan: Plan }>(
  'organisations.add',
  sql`insert into organisations (id, name, plan, requests_per_minute, burst, calls_per_month, concurrent_runs,
     run_timeout_max_seconds)
   values (:org, :name, :plan, :requestsPerMinute, :burst, :callsPerMonth, :concurrentRuns, :runTimeoutMaxSeconds)`,
)

const known = statement<{ org: Uuid }>('organisations.known', sql`select id from organisations where id = :org`)

const lock = statement<{ org: Uuid }, PlanLimits & { plan: Plan }>(
  'organisations.lock_terms',
  sql`select plan, requests_per_minute as "requestsPerMinute", burst, calls_per_month as "callsPerMonth",
          concurrent_runs as "concurrentRuns", run_timeout_max_seconds as "runTimeoutMaxSeconds"
     from organisations where id = :org for no key update`,
)

const change = statement<PlanLimits & { org: Uuid; plan: Plan }>(
  'organisations.change_terms',
  sql`update organisations
      set plan = :plan, requests_per_minute = :requestsPerMinute, burst = :burst, calls_per_month = :callsPerMonth, concurrent_runs = :concurrentRuns,
          run_timeout_max_seconds = :runTimeoutMaxSeconds
    where id = :org`,
)
