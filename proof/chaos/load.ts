import { setTimeout as sleep } from 'node:timers/promises'
import { toUuid } from '@ars/platform/id'
import type { Fleet } from './fleet.ts'
import type { RunOrder } from './run-client.ts'
import type { Claim, Stage } from './scenario.ts'

export type Ended = {
  key: string
  /** The `run_…`; empty when nobody heard of it. */
  runId: string
  /** How the run ended, or, in words, why nobody knows. */
  status: string
  errorCode: string | undefined
}

/** An order for the agent that takes steps and writes each into the ledger. */
export const orderOfSteps = (
  fleet: Fleet,
  key: string,
  {
    input,
    prefer = 'respond-async',
    timeoutSeconds,
  }: { input: Record<string, unknown>; prefer?: string; timeoutSeconds?: number },
): RunOrder => {
  const agentId = fleet.agentId('test-steps')
  return { key, agentId, input, prefer, ...(timeoutSeconds !== undefined && { timeoutSeconds }) }
}

/** Who wants to know which orders are under way. */
export type Watch = {
  onBegin?: (order: RunOrder) => void
  onEnd?: (order: RunOrder) => void
}

/** A number of clients, each with one order at a time, until all orders are carried out. */
export const playClients = async (
  { fleet }: Pick<Stage, 'fleet'>,
  orders: readonly RunOrder[],
  { clients, onBegin, onEnd }: { clients: number } & Watch,
): Promise<Ended[]> => {
  const ended: Ended[] = []
  const waiting = [...orders]
  const client = async (): Promise<void> => {
    for (let order = waiting.shift(); order; order = waiting.shift()) {
      onBegin?.(order)
      ended.push(await carryOut(fleet, order))
      onEnd?.(order)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return ended
}

/** Orders that arrive at their own pace, whatever becomes of those before them. */
export const playArrivals = async (
  { fleet, hopeless }: Pick<Stage, 'fleet' | 'hopeless'>,
  orders: readonly RunOrder[],
  { perSecond, onBegin, onEnd }: { perSecond: number } & Watch,
): Promise<Ended[]> => {
  const begun = performance.now()
  const underWay: Promise<Ended>[] = []
  for (const [at, order] of orders.entries()) {
    const lateMs = begun + (at * 1000) / perSecond - performance.now()
    if (lateMs > 0) await sleep(lateMs)
    hopeless.throwIfAborted()
    onBegin?.(order)
    underWay.push(carryOut(fleet, order).finally(() => onEnd?.(order)))
  }
  return Promise.all(underWay)
}

/** Clients work on one kind of order until they are stopped; then each finishes its current one. */
export const playUntil = (
  { fleet }: Pick<Stage, 'fleet'>,
  { clients, next }: { clients: number; next(n: number): RunOrder },
): { stop(): Promise<Ended[]>; readonly ended: readonly Ended[] } => {
  const ended: Ended[] = []
  let isStopped = false
  let count = 0
  const client = async (): Promise<void> => {
    while (!isStopped) ended.push(await carryOut(fleet, next(count++)))
  }
  const all = Promise.all(Array.from({ length: clients }, client))
  return {
    ended,
    stop: async () => {
      isStopped = true
      await all
      return ended
    },
  }
}

export const allCompleted = (says: string, ended: readonly Ended[]): Claim => ({
  says,
  violations: ended
    .filter(({ status }) => status !== 'completed')
    .map(({ key, status, errorCode }) => `${key}: ${status} ${errorCode ?? ''}`.trimEnd()),
})

export const uuidsOf = (ended: readonly Pick<Ended, 'runId'>[]): string[] =>
  ended.filter(({ runId }) => runId !== '').map(({ runId }) => toUuid(runId))

const carryOut = async (fleet: Fleet, order: RunOrder): Promise<Ended> => {
  try {
    const { id, status, error } = await fleet.client.carryOut(order)
    return { key: order.key, runId: id, status, errorCode: error?.code }
  } catch (error) {
    return { key: order.key, runId: '', status: String(error), errorCode: undefined }
  }
}
