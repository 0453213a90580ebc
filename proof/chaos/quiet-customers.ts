import { setTimeout as sleep } from 'node:timers/promises'
import type { Organisation } from '../lab/stack/organisation.ts'
import type { RunClient, RunOrder } from './run-client.ts'
import type { Stage } from './scenario.ts'

export type Customer = Organisation & { client: RunClient }

const quietCustomers = 9
const quietEveryMs = 1000
const quietRunMs = [200, 400] as const

/** Customers with little under way, whose runs must start soon whatever others do. */
export const addQuietCustomers = async ({ fleet }: Stage): Promise<Customer[]> => {
  const quiet: Customer[] = []
  for (let n = 1; n <= quietCustomers; n++) {
    quiet.push(await fleet.addOrganisation(`quiet-${n}`, { concurrentRuns: 50 }))
  }
  return quiet
}

/** A run now and then, at moments of each customer's own; the same moments in all parts. */
export const playQuiet = async (
  stage: Stage,
  customers: readonly Customer[],
  part: string,
  seconds: number,
): Promise<void> => {
  const begun = performance.now()
  await Promise.all(
    customers.map(async ({ client, label, agentId }) => {
      const dice = stage.random.fork(`quiet/${label}`)
      const underWay: Promise<unknown>[] = []
      for (let n = 0, atMs = dice.whole(0, quietEveryMs); atMs < seconds * 1000; n++) {
        await sleep(Math.max(0, begun + atMs - performance.now()))
        const order: RunOrder = {
          key: stage.key(`${part}-${label}-${n}`),
          agentId: agentId('test-steps'),
          input: { steps: 1, delay_ms: dice.whole(...quietRunMs) },
          prefer: 'wait=10',
        }
        underWay.push(client.carryOut(order))
        atMs += Math.round(quietEveryMs * (0.5 + dice.next()))
      }
      await Promise.all(underWay)
    }),
  )
}

/** From accepted to the first claim, by the database's clock. */
export const dwells = async ({ fleet, key }: Stage, part: string): Promise<number[]> => {
  const rows = await fleet.records.query<{ ms: number }>(
    `select extract(epoch from x.started_at - r.created_at)::float8 * 1000 as ms
       from runs r join run_results x on x.run_id = r.id where r.metadata ->> 'chaos_key' like $1 || '%'`,
    [key(`${part}-`)],
  )
  return rows.map(({ ms }) => ms).toSorted((a, b) => a - b)
}

export const percentile = (sorted: readonly number[], share: number): number =>
  Math.round(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN)

export const shown = (sorted: readonly number[]): string =>
  [0.5, 0.95, 0.99, 1].map((share) => percentile(sorted, share)).join(', ')
