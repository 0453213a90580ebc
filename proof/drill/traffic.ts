import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiAnswer, ApiCall, ApiCaller } from '../lab/client/api-caller.ts'

/** Clients that start runs at a steady pace, whatever becomes of those before. Each repeats its request until it is accepted. */
export type Traffic = {
  /** In the order in which they were acknowledged. */
  accepted(): readonly Accepted[]
  /** Requests that got no answer or a refusal, by what came. Each was sent again with the same key. */
  refusals(): Readonly<Record<string, number>>
  /** Starts no more runs and waits for the answers to the last ones. */
  stop(): Promise<void>
}

/** A run that the service has acknowledged. */
export type Accepted = {
  key: string
  runId: string
  /** When its first request was sent, and when it was acknowledged. */
  sentMs: number
  atMs: number
}

/** A field of each run's metadata, so that a second run for a key would be seen. */
export const orderField = 'drill_order'

const callTimeoutMs = 10_000
const pauseMs = 200
/** Longer than any outage of a drill. */
const patienceMs = 120_000

export const startTraffic = (options: {
  gateways: readonly ApiCaller[]
  apiKey: string
  prefix: string
  perSecond: number
  bodyOf(key: string): { agent_id: string; input: unknown }
  onRefusal?(what: string): void
}): Traffic => {
  const { gateways, apiKey, prefix, perSecond, bodyOf, onRefusal } = options
  const accepted: Accepted[] = []
  const refusals: Record<string, number> = {}
  const underWay = new Set<Promise<void>>()
  const givenUp: string[] = []
  let isStopped = false

  const startOne = async (n: number): Promise<void> => {
    const key = `${prefix}-${n}`
    const sentMs = performance.now()
    const call: ApiCall = {
      method: 'POST',
      path: '/v2/runs',
      headers: { authorization: `Bearer ${apiKey}`, 'idempotency-key': key, prefer: 'respond-async' },
      body: { ...bodyOf(key), metadata: { [orderField]: key } },
    }
    for (let tries = 0; performance.now() - sentMs < patienceMs; tries++) {
      const answer = await tryOnce(gateways[(n + tries) % gateways.length], call)
      if (answer && answer.status < 300) {
        const { id } = JSON.parse(answer.text) as { id: string }
        accepted.push({ key, runId: id, sentMs, atMs: performance.now() })
        return
      }
      const what = answer ? String(answer.status) : 'no answer'
      refusals[what] = (refusals[what] ?? 0) + 1
      onRefusal?.(what)
      await sleep(pauseMs)
    }
    givenUp.push(key)
  }

  const loop = (async () => {
    const begun = performance.now()
    for (let n = 0; !isStopped; n++) {
      const earlyMs = begun + (n * 1000) / perSecond - performance.now()
      if (earlyMs > 0) await sleep(earlyMs)
      const one = startOne(n).finally(() => underWay.delete(one))
      underWay.add(one)
    }
  })()

  return {
    accepted: () => accepted,
    refusals: () => refusals,
    stop: async () => {
      isStopped = true
      await loop
      await Promise.all(underWay)
      if (givenUp.length > 0)
        throw new Error(`${givenUp.length} requests were not accepted within ${patienceMs / 1000} s`)
    },
  }
}

const tryOnce = (gateway: ApiCaller | undefined, call: ApiCall): Promise<ApiAnswer | null> =>
  gateway?.call(call, { timeoutMs: callTimeoutMs }).catch(() => null) ?? Promise.resolve(null)

/** The longest time between two acknowledgements from this moment on; until the first one it counts from there. */
export const longestStallMs = (accepted: readonly Accepted[], fromMs: number, toMs: number): number => {
  const moments = accepted.map(({ atMs }) => atMs).filter((atMs) => atMs > fromMs && atMs < toMs)
  return [...moments, toMs].reduce(
    ({ longest, last }, atMs) => ({ longest: Math.max(longest, atMs - last), last: atMs }),
    { longest: 0, last: fromMs },
  ).longest
}
