import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiAnswer, ApiCall, ApiCaller } from '../lab/client/api-caller.ts'
import type { Random } from '../lab/random.ts'
import type { Journal, SentLine } from './journal.ts'
import { leakMarkerOf, leakMarkersIn } from './leak-marker.ts'
import { keyField } from './records.ts'

/** A run that a client wants, whatever happens on the way. */
export type RunOrder = {
  /** The Idempotency-Key: the same for every attempt. */
  key: string
  agentId: string
  input: Record<string, unknown>
  prefer: string
  timeoutSeconds?: number
}

/** A 2xx answer that holds a run. */
export type HeardRun = {
  id: string
  status: string
  error: { code: string } | null
  isReplayed: boolean
  /** The body, as it came. */
  text: string
}

export type Attempt = {
  what: SentLine['what']
  key: string
  call: ApiCall
  expects?: readonly number[]
  isSabotaged?: boolean
}

/** A patient client of one organisation: it knows both gateways, and writes down what it sends and what it hears. */
export type RunClient = {
  readonly org: string
  /** One try at one gateway. Null: no answer came. */
  attempt(gateway: number, attempt: Attempt, through?: ApiCaller): Promise<ApiAnswer | null>
  /** Tries both gateways in turn until one of the expected codes comes. */
  insist(attempt: Attempt, options?: Insistence): Promise<ApiAnswer>
  /** Sends until a 2xx answer comes, then reads until the run has ended. */
  carryOut(order: RunOrder): Promise<HeardRun>
  /** Sends until a 2xx answer comes. `first` is the gateway that is tried first. */
  accept(order: RunOrder, options?: { first?: number }): Promise<HeardRun>
  /** Reads until the run has ended, or until it is as wanted. */
  awaitEnd(order: Pick<RunOrder, 'key'>, runId: string, isWanted?: (run: HeardRun) => boolean): Promise<HeardRun>
  cancel(order: Pick<RunOrder, 'key'>, runId: string, options?: Insistence): Promise<HeardRun>
  /** The request that an order becomes. */
  toCall(order: RunOrder, path?: '/v2/runs' | '/v2/runs/stream'): ApiCall
  authorization: Readonly<Record<string, string>>
  gateways: readonly ApiCaller[]
  close(): void
}

export type Insistence = {
  first?: number
  pauseMs?: readonly [number, number]
  patienceMs?: number
}

const endedStatuses = ['completed', 'failed', 'cancelled']
/** Their answers are not a run. */
const withoutRun: readonly SentLine['what'][] = ['list', 'foreign', 'watch']
/** Longer than any wait that an order asks for. */
const callTimeoutMs = 20_000

export const runClient = (options: {
  org: string
  gateways: readonly ApiCaller[]
  apiKey: string
  journal: Journal
  random: Random
  patienceMs: number
  /** Aborted when it is no use to go on. */
  hopeless: AbortSignal
}): RunClient => {
  const { org, gateways, journal, random } = options
  const authorization = { authorization: `Bearer ${options.apiKey}` }

  const attempt: RunClient['attempt'] = async (gateway, { what, key, call, expects, isSabotaged }, through) => {
    const number = journal.nextCall()
    await journal.write({
      kind: 'sent',
      call: number,
      at_ms: performance.now(),
      gateway: gateway + 1,
      org,
      what,
      key,
      ...(expects && { expects }),
      ...(isSabotaged && { is_sabotaged: true }),
    })
    const heard = await (through ?? gateways[gateway])
      ?.call(call, { timeoutMs: callTimeoutMs })
      .catch((error: unknown) => String(error))
    const answer = typeof heard === 'string' || heard === undefined ? null : heard
    const run = withoutRun.includes(what) ? null : answer && toRun(answer)
    const leakMarkers = leakMarkersIn(answer?.text ?? '')
    await journal.write({
      kind: 'answered',
      call: number,
      at_ms: performance.now(),
      status: answer?.status ?? 0,
      ...(typeof heard === 'string' && { error: heard }),
      ...(answer && answer.status > 299 && { error: answer.text.slice(0, 300) }),
      ...(run && { run_id: run.id, run_status: run.status, is_replayed: run.isReplayed }),
      ...(leakMarkers.length > 0 && { leakMarkers }),
    })
    return answer
  }

  /** Again and again, over all gateways in turn, until `attemptAt` is content. */
  const untilContent = async <Found>(
    what: string,
    dice: Random,
    attemptAt: (gateway: number) => Promise<Found | null>,
    {
      first = dice.whole(0, gateways.length - 1),
      pauseMs = [50, 400],
      patienceMs = options.patienceMs,
    }: Insistence = {},
  ): Promise<Found> => {
    const deadline = performance.now() + patienceMs
    for (let tries = 0; ; tries++) {
      const found = await attemptAt((first + tries) % gateways.length)
      if (found !== null) return found
      options.hopeless.throwIfAborted()
      if (performance.now() > deadline) throw new Error(`${what}: gave up after ${Math.round(patienceMs / 1000)} s`)
      await sleep(dice.whole(...pauseMs) * slowness(tries))
    }
  }

  const insist: RunClient['insist'] = (wanted, insistence) =>
    untilContent(
      `${wanted.call.method} ${wanted.call.path} for ${wanted.key}`,
      random.fork(`${wanted.what}/${wanted.key}`),
      async (gateway) => {
        const answer = await attempt(gateway, wanted)
        const isExpected = answer && (wanted.expects?.includes(answer.status) ?? isFine(answer))
        return isExpected ? answer : null
      },
      insistence,
    )

  const toCall: RunClient['toCall'] = (order, path = '/v2/runs') => ({
    method: 'POST',
    path,
    headers: { ...authorization, 'idempotency-key': order.key, prefer: order.prefer },
    body: {
      agent_id: order.agentId,
      input: order.input,
      metadata: { [keyField]: order.key, leakMarker: leakMarkerOf(org) },
      ...(order.timeoutSeconds !== undefined && { timeout_seconds: order.timeoutSeconds }),
    },
  })

  const accept: RunClient['accept'] = async (order, { first } = {}) =>
    getRun(
      await insist({ what: 'create', key: order.key, call: toCall(order) }, { ...(first !== undefined && { first }) }),
    )

  const awaitEnd: RunClient['awaitEnd'] = ({ key }, runId, isWanted = hasEnded) => {
    const call: ApiCall = { method: 'GET', path: `/v2/runs/${runId}`, headers: authorization }
    return untilContent(
      `the end of ${runId} (${key})`,
      random.fork(`read/${runId}`),
      async (gateway) => {
        const answer = await attempt(gateway, { what: 'read', key, call })
        const run = answer && toRun(answer)
        return run && isWanted(run) ? run : null
      },
      { pauseMs: [200, 600] },
    )
  }

  return {
    org,
    gateways,
    authorization,
    attempt,
    insist,
    accept,
    awaitEnd,
    toCall,
    cancel: async ({ key }, runId, insistence) => {
      const call: ApiCall = { method: 'DELETE', path: `/v2/runs/${runId}`, headers: authorization }
      return getRun(await insist({ what: 'cancel', key, call }, insistence))
    },
    carryOut: async (order) => {
      const run = await accept(order)
      return hasEnded(run) ? run : awaitEnd(order, run.id)
    },
    close: () => {
      for (const gateway of gateways) gateway.close()
    },
  }
}

export const hasEnded = ({ status }: Pick<HeardRun, 'status'>): boolean => endedStatuses.includes(status)

export const isFine = ({ status }: Pick<ApiAnswer, 'status'>): boolean => status >= 200 && status < 300

/** The run of a 2xx answer; null for any other. */
export const toRun = (answer: ApiAnswer): HeardRun | null => {
  if (!isFine(answer)) return null
  const { id, status, error } = JSON.parse(answer.text) as HeardRun
  return { id, status, error, isReplayed: answer.headers['idempotency-replayed'] === 'true', text: answer.text }
}

export const getRun = (answer: ApiAnswer): HeardRun => {
  const run = toRun(answer)
  if (!run) throw new Error(`an answer without a run: ${answer.status} ${answer.text.slice(0, 300)}`)
  return run
}

/** Polls less often the longer it waits, as a client does; thousands of eager pollers would be load themselves. */
const slowness = (tries: number): number => Math.min(1.25 ** Math.max(0, tries - 8), 16)
