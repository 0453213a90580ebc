import { setTimeout as sleep } from 'node:timers/promises'
import type { Organisation } from '../lab/stack/organisation.ts'
import { addCustomer } from './customers.ts'
import type { RunClient, RunOrder } from './run-client.ts'
import type { Stage } from './scenario.ts'

export type Customer = Organisation & { client: RunClient }

const quietCustomers = 9
const quietEveryMs = 1000
const quietRunMs = [200, 400] as const

/** Customers with little under way, whose runs must start soon whatever others do. */
export const addQuietCustomers = async (stage: Stage): Promise<Customer[]> => {
  const quiet: Customer[] = []
  for (let n = 1; n <= quietCustomers; n++) {
    quiet.push(await addCustomer(stage, `quiet-${n}`, { concurrentRuns: 50 }))
  }
  return quiet
}

/**
 * A run now and then, at moments of each customer's own; the same moments in all parts. Answers, sorted, how much longer than the work of
 * its run each request took, in milliseconds.
 */
export const playQuiet = async (
  stage: Stage,
  customers: readonly Customer[],
  part: string,
  seconds: number,
): Promise<number[]> => {
  const begun = performance.now()
  const delays = await Promise.all(
    customers.map(async ({ client, label, agentId }) => {
      const dice = stage.random.fork(`quiet/${label}`)
      const underWay: Promise<number>[] = []
      for (let n = 0, atMs = dice.whole(0, quietEveryMs); atMs < seconds * 1000; n++) {
        await sleep(Math.max(0, begun + atMs - performance.now()))
        const workMs = dice.whole(...quietRunMs)
        const order: RunOrder = {
          key: stage.key(`${part}-${label}-${n}`),
          agentId: agentId('test-steps'),
          input: { steps: 1, delay_ms: workMs },
          prefer: 'wait=10',
        }
        const sentMs = performance.now()
        underWay.push(client.carryOut(order).then(() => performance.now() - sentMs - workMs))
        atMs += Math.round(quietEveryMs * (0.5 + dice.next()))
      }
      return Promise.all(underWay)
    }),
  )
  return delays.flat().toSorted((a, b) => a - b)
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
