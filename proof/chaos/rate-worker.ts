import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { type ApiCaller, apiCaller } from '../lab/client/api-caller.ts'
import { ratedPath } from '../lab/stack/rated-keys.ts'
import type { RatedCall } from './checks/rates.ts'
import type { RateAnswer, RateOrder, RateSetup } from './rate-clients.ts'

// The clients, on a thread of their own: the toxic edges of the fleet live on the main one, and a Redis behind an edge that
// is never served looks like one that is away.
const { ports, ca, timeOrigin } = workerData as RateSetup
const gateways = ports.map((port) => apiCaller({ port, ca: Buffer.from(ca) }))

const maxInFlight = 32

/** On the clock of the main thread. */
const nowMs = (): number => performance.timeOrigin + performance.now() - timeOrigin

parentPort?.on('message', (order: RateOrder) => {
  carryOut(order).then(
    (calls) => parentPort?.postMessage({ number: order.number, calls } satisfies RateAnswer),
    (error: unknown) => parentPort?.postMessage({ number: order.number, error: String(error) } satisfies RateAnswer),
  )
})

const carryOut = (order: RateOrder): Promise<RatedCall[]> => {
  switch (order.kind) {
    case 'once':
      return askOnce(gateways, order.gateway, order.apiKey).then((call) => [call])
    case 'all':
      return askAll(gateways, order.apiKeys, order.clients)
    case 'until refused':
      return askUntilRefused(gateways, order.apiKey, order)
    default:
      return askSteadily(gateways, order.apiKey, order)
  }
}

/** Asks once; whatever comes back is an answer, and silence is one too. */
const askOnce = async (gateways: readonly ApiCaller[], gateway: number, apiKey: string): Promise<RatedCall> => {
  const sentMs = nowMs()
  const headers = { authorization: `Bearer ${apiKey}` }
  const answer = await gateways[gateway]
    ?.call({ method: 'GET', path: ratedPath, headers }, { timeoutMs: 10_000 })
    .catch(() => null)
  const retryAfter = answer?.headers['retry-after']
  return {
    sentMs,
    answeredMs: nowMs(),
    gateway,
    status: answer?.status ?? 0,
    retryAfterSeconds: retryAfter === undefined ? undefined : Number(retryAfter),
  }
}

/** This many calls, as fast as the clients can send them, alternating between the gateways. */
const askAll = async (
  gateways: readonly ApiCaller[],
  apiKeys: readonly string[],
  clients: number,
): Promise<RatedCall[]> => {
  const calls: RatedCall[] = []
  let next = 0
  const client = async (): Promise<void> => {
    for (let at = next++; at < apiKeys.length; at = next++) {
      const apiKey = apiKeys[at]
      if (apiKey !== undefined) calls[at] = await askOnce(gateways, at % gateways.length, apiKey)
    }
  }
  await Promise.all(Array.from({ length: Math.min(clients, apiKeys.length) }, client))
  return calls
}

/** As fast as the clients can send, until each was refused: then the bucket is empty. */
const askUntilRefused = async (
  gateways: readonly ApiCaller[],
  apiKey: string,
  { clients, maxSeconds }: { clients: number; maxSeconds: number },
): Promise<RatedCall[]> => {
  const calls: RatedCall[] = []
  const untilMs = nowMs() + maxSeconds * 1000
  const client = async (n: number): Promise<void> => {
    for (let gateway = n % gateways.length; nowMs() < untilMs; gateway = (gateway + 1) % gateways.length) {
      const call = await askOnce(gateways, gateway, apiKey)
      calls.push(call)
      if (call.status === 429) return
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, n) => client(n)))
  return calls
}

/** Calls at their own pace over both gateways in turn. Those that a slow machine has no room for are left out. */
const askSteadily = async (
  gateways: readonly ApiCaller[],
  apiKey: string,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<RatedCall[]> => {
  const begun = nowMs()
  const calls: RatedCall[] = []
  const underWay = new Set<Promise<void>>()
  for (let n = 0; n < perSecond * seconds; n++) {
    const earlyMs = begun + (n * 1000) / perSecond - nowMs()
    if (earlyMs > 0) await sleep(earlyMs)
    if (underWay.size >= maxInFlight) continue
    const one = askOnce(gateways, n % gateways.length, apiKey).then((call) => {
      calls.push(call)
      underWay.delete(one)
    })
    underWay.add(one)
  }
  await Promise.all(underWay)
  return calls
}
