import { setTimeout as sleep } from 'node:timers/promises'
import { toUuid } from '@ars/platform/id'
import { waitFor } from '../../lab/condition.ts'
import { plantAgent } from '../../lab/stack/organisation.ts'
import { differences } from '../records.ts'
import type { RunOrder } from '../run-client.ts'
import { type Claim, measured, type Stage, scenario } from '../scenario.ts'

type Size = {
  cancels: number
  withoutRedis: number
  /** Model calls under way at the same time. */
  atOnce: number
}

type Cancelled = {
  runId: string
  /** From the sending of the DELETE to the end of the connection, as the vendor saw it. */
  closedAfterMs: number
  status: string
}

const mostMs = 1000
const mostWithoutRedisMs = 3000
const watchMs = 1500

/** A model that is talking; a customer who has heard enough. */
export const cancelStream = scenario<Size>({
  name: 'cancel-stream',
  promise:
    'Cancel reaches the model call: the vendor’s connection is closed at once, and no further token is counted or streamed.',
  sizes: { ci: { cancels: 10, withoutRedis: 5, atOnce: 5 }, full: { cancels: 200, withoutRedis: 50, atOnce: 5 } },
  play: async (stage, size) => {
    const { fleet } = stage
    const agentId = await plantAgent(fleet.records, fleet.organisation, {
      name: 'endless',
      config: { model: 'fake/endless', instructions: 'Talk.' },
    })
    const healthy = await cancelAll(stage, { agentId, name: 'healthy', runs: size.cancels, atOnce: size.atOnce })
    const bringBack = await fleet.supervision.takeDown('redis', 'kill')
    const withoutRedis = await cancelAll(stage, {
      agentId,
      name: 'without-redis',
      runs: size.withoutRedis,
      atOnce: size.atOnce,
    }).finally(bringBack)
    const ids = [...healthy, ...withoutRedis].map(({ runId }) => toUuid(runId))
    const before = await fleet.records.dump(ids)
    await sleep(watchMs)
    const changes = differences(before, await fleet.records.dump(ids))
    const afterwards = await deltasAfterCancel(stage, ids)
    return {
      metrics: [
        ['model calls cancelled', healthy.length],
        ['closed at the vendor after the DELETE, ms: p50, p95, most', spread(healthy)],
        ['cancelled while Redis was away', withoutRedis.length],
        ['closed then, ms: p50, p95, most', spread(withoutRedis)],
      ],
      claims: [
        measured(
          `p95 of the closing is within ${mostMs} ms`,
          percentile(healthy, 0.95) <= mostMs,
          `${Math.round(percentile(healthy, 0.95))} ms`,
        ),
        measured(
          `without Redis all are closed within ${mostWithoutRedisMs} ms`,
          percentile(withoutRedis, 1) <= mostWithoutRedisMs,
          `${Math.round(percentile(withoutRedis, 1))} ms`,
        ),
        {
          says: 'each ends cancelled',
          violations: [...healthy, ...withoutRedis]
            .filter(({ status }) => status !== 'cancelled')
            .map(({ runId, status }) => `${runId}: ${status}`),
        },
        { says: 'nothing is counted or streamed afterwards', violations: changes },
        afterwards,
      ],
    }
  },
})

const cancelAll = async (
  stage: Stage,
  { agentId, name, runs, atOnce }: { agentId: string; name: string; runs: number; atOnce: number },
): Promise<Cancelled[]> => {
  const cancelled: Cancelled[] = []
  for (let n = 0; n < runs; n += atOnce) {
    const names = Array.from({ length: Math.min(atOnce, runs - n) }, (_, at) => `${name}-${n + at}`)
    cancelled.push(...(await Promise.all(names.map((each) => cancelOne(stage, agentId, each)))))
    stage.say(`${cancelled.length} cancelled, ${name}`)
  }
  return cancelled
}

const cancelOne = async (stage: Stage, agentId: string, name: string): Promise<Cancelled> => {
  const { client, provider } = stage.fleet
  const key = stage.key(name)
  const order: RunOrder = { key, agentId, input: { query: `chaos:${key}` }, prefer: 'respond-async' }
  const { id: runId } = await client.accept(order)
  await waitFor('the model to be talking', () => (provider.calls(key)[0]?.pieces ?? 0) >= 5, {
    timeoutMs: 30_000,
    everyMs: 20,
  })
  await sleep(stage.random.fork(name).whole(100, 600))
  const sentMs = performance.now()
  await client.cancel(order, runId)
  const closedMs = await waitFor('the vendor to be left', () => provider.calls(key)[0]?.closedMs, {
    timeoutMs: 30_000,
    everyMs: 5,
  })
  const { status } = await client.awaitEnd(order, runId)
  return { runId, closedAfterMs: Math.max(0, closedMs - sentMs), status }
}

/** What the feed tells after `run.cancelling` must be the end, and no more text. */
const deltasAfterCancel = async ({ fleet }: Stage, ids: readonly string[]): Promise<Claim> => {
  const late = await fleet.records.query<{ run_id: string; deltas: number }>(
    `select d.run_id, count(*)::integer as deltas from run_deltas d
       join run_events e on e.run_id = d.run_id and e.type = 'run.cancelling' and d.seq > e.seq
      where d.run_id = any ($1) group by 1`,
    [ids],
  )
  return {
    says: 'no text follows run.cancelling in the feed',
    violations: late.map(({ run_id, deltas }) => `${run_id}: ${deltas} deltas`),
  }
}

const percentile = (cancelled: readonly Cancelled[], share: number): number => {
  const sorted = cancelled.map(({ closedAfterMs }) => closedAfterMs).toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

const spread = (cancelled: readonly Cancelled[]): string =>
  [0.5, 0.95, 1].map((share) => Math.round(percentile(cancelled, share))).join(', ')
