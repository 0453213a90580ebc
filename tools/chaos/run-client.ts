import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiAnswer, ApiCall, ApiCaller } from './api-caller.ts'
import type { Journal, SentLine } from './journal.ts'
import type { Random } from './random.ts'
import { keyField } from './records.ts'

/** A run that a client wants, whatever happens on the way. */
export interface RunOrder {
  /** The Idempotency-Key: the same for every attempt. */
  key: string
  agentId: string
  input: Record<string, unknown>
  prefer: string
  timeoutSeconds?: number
}

/** A 2xx answer. */
export interface HeardRun {
  id: string
  status: string
  error: { code: string } | null
  isReplayed: boolean
}

/** A patient client: it knows both gateways, keeps its key, and writes down what it sends and what it hears. */
export interface RunClient {
  /** Sends until a 2xx answer comes, then reads until the run has ended. */
  carryOut(order: RunOrder): Promise<HeardRun>
  /** Sends until a 2xx answer comes. `first` is the gateway that is tried first. */
  accept(order: RunOrder, options?: { first?: number }): Promise<HeardRun>
  /** Reads until the run has ended. */
  awaitEnd(order: Pick<RunOrder, 'key'>, runId: string): Promise<HeardRun>
  close(): void
}

const endedStatuses = ['completed', 'failed', 'cancelled']
/** Longer than any wait that an order asks for. */
const callTimeoutMs = 20_000

export function runClient(options: {
  gateways: readonly ApiCaller[]
  apiKey: string
  journal: Journal
  random: Random
  patienceMs: number
  /** Aborted when it is no use to go on. */
  hopeless: AbortSignal
}): RunClient {
  const { gateways, journal, random, patienceMs } = options
  let calls = 0

  const attempt = async (
    gateway: number,
    what: SentLine['what'],
    key: string,
    call: ApiCall,
  ): Promise<HeardRun | null> => {
    const number = ++calls
    await journal.write({ kind: 'sent', call: number, at_ms: performance.now(), gateway: gateway + 1, what, key })
    const heard = await gateways[gateway]
      ?.call(call, { timeoutMs: callTimeoutMs })
      .catch((error: unknown) => String(error))
    const answer = typeof heard === 'string' || heard === undefined ? null : heard
    const run = answer && toRun(answer)
    await journal.write({
      kind: 'answered',
      call: number,
      at_ms: performance.now(),
      status: answer?.status ?? 0,
      ...(typeof heard === 'string' && { error: heard }),
      ...(answer && !run && { error: answer.text.slice(0, 300) }),
      ...(run && { run_id: run.id, run_status: run.status, is_replayed: run.isReplayed }),
    })
    return run
  }

  /** Again and again, over all gateways in turn, until `attemptAt` is content. */
  const insist = async <Found>(
    what: string,
    dice: Random,
    attemptAt: (gateway: number) => Promise<Found | null>,
    { first = dice.whole(0, gateways.length - 1), pauseMs }: { first?: number; pauseMs: readonly [number, number] },
  ): Promise<Found> => {
    const deadline = performance.now() + patienceMs
    for (let tries = 0; ; tries++) {
      const found = await attemptAt((first + tries) % gateways.length)
      if (found !== null) return found
      options.hopeless.throwIfAborted()
      if (performance.now() > deadline) throw new Error(`${what}: gave up after ${Math.round(patienceMs / 1000)} s`)
      await sleep(dice.whole(...pauseMs))
    }
  }

  const authorization = { authorization: `Bearer ${options.apiKey}` }

  const accept: RunClient['accept'] = (order, { first } = {}) => {
    const call: ApiCall = {
      method: 'POST',
      path: '/v2/runs',
      headers: { ...authorization, 'idempotency-key': order.key, prefer: order.prefer },
      body: {
        agent_id: order.agentId,
        input: order.input,
        metadata: { [keyField]: order.key },
        ...(order.timeoutSeconds !== undefined && { timeout_seconds: order.timeoutSeconds }),
      },
    }
    return insist(
      `POST with key ${order.key}`,
      random.fork(`accept/${order.key}`),
      (gateway) => attempt(gateway, 'create', order.key, call),
      { pauseMs: [50, 400], ...(first !== undefined && { first }) },
    )
  }

  const awaitEnd: RunClient['awaitEnd'] = ({ key }, runId) => {
    const call: ApiCall = { method: 'GET', path: `/v2/runs/${runId}`, headers: authorization }
    return insist(
      `the end of ${runId}`,
      random.fork(`read/${runId}`),
      async (gateway) => {
        const run = await attempt(gateway, 'read', key, call)
        return run && endedStatuses.includes(run.status) ? run : null
      },
      { pauseMs: [200, 600] },
    )
  }

  return {
    accept,
    awaitEnd,
    carryOut: async (order) => {
      const run = await accept(order)
      return endedStatuses.includes(run.status) ? run : awaitEnd(order, run.id)
    },
    close: () => {
      for (const gateway of gateways) gateway.close()
    },
  }
}

function toRun({ status, headers, text }: ApiAnswer): HeardRun | null {
  if (status < 200 || status > 299) return null
  const { id, status: runStatus, error } = JSON.parse(text) as HeardRun
  return { id, status: runStatus, error, isReplayed: headers['idempotency-replayed'] === 'true' }
}
