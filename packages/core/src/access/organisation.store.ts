import type { Plan, PlanLimits } from '@ars/contract'
import type { Tx } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'

/** What an organisation may do, and by which plan. */
export type Terms = { plan: Plan; limits: PlanLimits }

export const insertOrganisation = async (
  tx: Tx,
  org: string,
  { name, plan, limits }: Terms & { name: string },
): Promise<void> => {
  await tx.query(add(org, name, plan, ...valuesOf(limits)))
}

export const isKnownOrganisation = async (tx: Tx, org: string): Promise<boolean> => {
  const rows = await tx.query(known(org))
  return rows.length > 0
}

/** The terms as they stand, which nobody else changes until the commit. */
export const lockTerms = async (tx: Tx, org: string): Promise<Terms | null> => {
  const [row] = await tx.query<PlanLimits & { plan: Plan }>(lock(org))
  if (!row) return null
  const { plan, callsPerMonth, ...limits } = row
  // A bigint arrives as text.
  return { plan, limits: { ...limits, callsPerMonth: Number(callsPerMonth) } }
}

export const updateTerms = async (tx: Tx, org: string, { plan, limits }: Terms): Promise<void> => {
  await tx.query(change(org, plan, ...valuesOf(limits)))
}

const valuesOf = (limits: PlanLimits): number[] => [
  limits.requestsPerMinute,
  limits.burst,
  limits.callsPerMonth,
  limits.concurrentRuns,
  limits.runTimeoutMaxSeconds,
]

const add = statement(
  'organisations.add',
  `insert into organisations (id, name, plan, requests_per_minute, burst, calls_per_month, concurrent_runs,
     run_timeout_max_seconds)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
)

const known = statement('organisations.known', 'select id from organisations where id = $1')

const lock = statement(
  'organisations.lock_terms',
  `select plan, requests_per_minute as "requestsPerMinute", burst, calls_per_month as "callsPerMonth",
          concurrent_runs as "concurrentRuns", run_timeout_max_seconds as "runTimeoutMaxSeconds"
     from organisations where id = $1 for no key update`,
)

const change = statement(
  'organisations.change_terms',
  `update organisations
      set plan = $2, requests_per_minute = $3, burst = $4, calls_per_month = $5, concurrent_runs = $6,
          run_timeout_max_seconds = $7
    where id = $1`,
)
