import type { Fleet } from './fleet.ts'
import type { RunOrder } from './run-client.ts'
import type { Stage } from './scenario.ts'

export interface Ended {
  key: string
  runId: string
  /** How the run ended, or, in words, why nobody knows. */
  status: string
  errorCode: string | undefined
}

/** An order for the agent that takes steps and writes each into the ledger. */
export function orderOfSteps(
  fleet: Fleet,
  key: string,
  { input, prefer = 'respond-async' }: { input: Record<string, unknown>; prefer?: string },
): RunOrder {
  return { key, agentId: fleet.agentId('test-steps'), input, prefer }
}

/** A number of clients, each with one order at a time, until all orders are carried out. */
export async function playClients(
  { fleet }: Pick<Stage, 'fleet'>,
  orders: readonly RunOrder[],
  { clients, onEnd }: { clients: number; onEnd?: () => void },
): Promise<Ended[]> {
  const ended: Ended[] = []
  const waiting = [...orders]
  const client = async (): Promise<void> => {
    for (let order = waiting.shift(); order; order = waiting.shift()) {
      ended.push(await carryOut(fleet, order))
      onEnd?.()
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return ended
}

async function carryOut(fleet: Fleet, order: RunOrder): Promise<Ended> {
  try {
    const { id, status, error } = await fleet.client.carryOut(order)
    return { key: order.key, runId: id, status, errorCode: error?.code }
  } catch (error) {
    return { key: order.key, runId: '', status: String(error), errorCode: undefined }
  }
}
