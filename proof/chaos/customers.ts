import { setTimeout as sleep } from 'node:timers/promises'
import type { Fleet } from './fleet.ts'
import type { HeardRun, RunOrder } from './run-client.ts'
import type { Stage } from './scenario.ts'

export type Customer = Awaited<ReturnType<Fleet['addOrganisation']>>

/** A customer of this scenario's own; a second play of it on the same stack gets another. */
export const addCustomer = (
  { fleet, key }: Stage,
  name: string,
  { concurrentRuns = 200 }: { concurrentRuns?: number } = {},
): Promise<Customer> => {
  const label = key(name)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
  return fleet.addOrganisation(label, { concurrentRuns })
}

/** A run that ends at once, and so makes an event at once. */
export const quickOrder = (
  { key }: Stage,
  customer: Customer,
  name: string,
  {
    agent = 'test-echo',
    input = { query: name },
  }: { agent?: 'test-echo' | 'test-fail'; input?: Record<string, unknown> } = {},
): RunOrder => ({ key: key(name), agentId: customer.agentId(agent), input, prefer: 'wait=10' })

/** A fixed number at a time, until all are done. */
export const carryOutAll = async (
  orders: readonly { customer: Customer; order: RunOrder }[],
  { clients, onEnd }: { clients: number; onEnd?: () => void },
): Promise<HeardRun[]> => {
  const waiting = [...orders]
  const ended: HeardRun[] = []
  const client = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      ended.push(await next.customer.client.carryOut(next.order))
      onEnd?.()
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return ended
}

/** A fixed number begin per second, independent of those before them. */
export const carryOutAtRate = async (
  { hopeless }: Pick<Stage, 'hopeless'>,
  customer: Customer,
  orders: readonly RunOrder[],
  { perSecond }: { perSecond: number },
): Promise<HeardRun[]> => {
  const begun = performance.now()
  const underWay: Promise<HeardRun>[] = []
  for (const [at, order] of orders.entries()) {
    await sleep(Math.max(0, begun + (at * 1000) / perSecond - performance.now()))
    hopeless.throwIfAborted()
    underWay.push(customer.client.carryOut(order))
  }
  return Promise.all(underWay)
}
