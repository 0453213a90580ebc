import { setTimeout as sleep } from 'node:timers/promises'
import { toUuid } from '@ars/platform/id'
import type { Organisation } from '../organisation.ts'
import type { RunClient, RunOrder } from '../run-client.ts'
import { claim, type Stage, scenario } from '../scenario.ts'

interface Size {
  /** Added to what is alone measured: with few samples a p99 is one unlucky run. The larger of the two bounds holds. */
  slackMs: number
  soloSeconds: number
  crowdedSeconds: number
}

type Customer = Organisation & { client: RunClient }

/** What the cell carries at once. A fifth of it is kept for those who have little under way. */
const cellSlots = 30
const quietCustomers = 9
const runMs = [200, 400] as const
/** Longer than those of the quiet ones: who waits for one of them to end, waits long. */
const noisyRunMs = [800, 1600] as const
const quietEveryMs = 1200
/** Fifty times its share of the cell, and more whenever it gets below. */
const noisyQueued = Math.ceil((50 * cellSlots) / (quietCustomers + 1))
const noisyAtFirst = 5 * noisyQueued

/** One customer queues far more than its share; the others must hardly notice. */
export const fairness = scenario<Size>({
  name: 'fairness',
  promise:
    'A noisy customer does not hurt others: with 50 times its share queued, the quiet ones wait at most twice as long as alone.',
  serverEnv: { ARS_CELL_SLOTS: String(cellSlots) },
  sizes: {
    ci: { soloSeconds: 15, crowdedSeconds: 15, slackMs: 250 },
    full: { soloSeconds: 120, crowdedSeconds: 300, slackMs: 0 },
  },
  play: async (stage, { soloSeconds, crowdedSeconds, slackMs }) => {
    const { fleet, say } = stage
    const quiet: Customer[] = []
    for (let n = 1; n <= quietCustomers; n++) {
      quiet.push(await fleet.addOrganisation(`quiet-${n}`, { concurrentRuns: 50 }))
    }
    const resume = await fleet.neighbour.pause()
    try {
      await playQuiet(stage, quiet, 'warm-up', 2)
      await playQuiet(stage, quiet, 'solo', soloSeconds)
      const solo = await dwells(stage, 'solo')
      say(`alone: ${shown(solo)}`)
      const noise = await makeNoise(stage)
      const busy = watchCell(stage)
      await playQuiet(stage, quiet, 'crowded', crowdedSeconds)
      const inUse = busy.end()
      const left = await noise.stop()
      const crowded = await dwells(stage, 'crowded')
      const [alone, beside] = [percentile(solo, 0.99), percentile(crowded, 0.99)]
      return {
        figures: [
          ['quiet customers', quiet.length],
          ['their runs alone, and beside the noisy one', `${solo.length}, ${crowded.length}`],
          ['dwell alone, ms: p50, p95, p99, most', shown(solo)],
          ['dwell beside the noisy one', shown(crowded)],
          ['ratio of the p99', (beside / alone).toFixed(2)],
          ['runs that the noisy one had queued at first, and at the end', `${noisyAtFirst}, ${left}`],
          ['runs of the noisy one that ended meanwhile', await noise.completed()],
          ['share of the cell in use meanwhile', `${Math.round(inUse * 100)} %`],
        ],
        claims: [
          claim(
            `p99 of the quiet customers’ dwell is at most twice that alone${slackMs > 0 ? `, or ${slackMs} ms more` : ''}`,
            beside <= Math.max(2 * alone, alone + slackMs),
            `${beside} ms against ${alone} ms`,
          ),
          claim('the noisy one had work queued all the time', left > 0, 'its queue ran empty'),
          claim('the cell is not left idle', inUse >= 0.8, `${Math.round(inUse * 100)} % in use`),
          claim(
            'there is enough to tell',
            solo.length >= 90 && crowded.length >= 90,
            `${solo.length}, ${crowded.length}`,
          ),
        ],
      }
    } finally {
      resume()
    }
  },
})

/** A run now and then, at moments of each customer's own; the same moments in both parts. */
async function playQuiet(stage: Stage, customers: readonly Customer[], part: string, seconds: number): Promise<void> {
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
          input: { steps: 1, delay_ms: dice.whole(...runMs) },
          prefer: 'wait=10',
        }
        underWay.push(client.carryOut(order))
        atMs += Math.round(quietEveryMs * (0.5 + dice.next()))
      }
      await Promise.all(underWay)
    }),
  )
}

/** Fills its queue at once and keeps it full; what is left at the end is cancelled. */
async function makeNoise(stage: Stage) {
  const { fleet, random } = stage
  const { client, organisation } = fleet
  const dice = random.fork('noise')
  let sent = 0
  let isStopped = false
  const open: { order: RunOrder; id: string }[] = []
  const send = async (): Promise<void> => {
    const order: RunOrder = {
      key: stage.key(`noise-${sent++}`),
      agentId: fleet.agentId('test-steps'),
      input: { steps: 1, delay_ms: dice.whole(...noisyRunMs) },
      prefer: 'respond-async',
    }
    open.push({ order, id: (await client.accept(order)).id })
  }
  const queued = async (): Promise<number> => {
    const text = 'select count(*)::integer as runs from run_heads where org_id = $1 and rank is not null'
    return (await fleet.records.query<{ runs: number }>(text, [organisation.id]))[0]?.runs ?? 0
  }
  const fill = async (wanted: number): Promise<void> => {
    for (let missing = wanted - (await queued()); missing > 0; missing -= 10) {
      await Promise.all(Array.from({ length: Math.min(10, missing) }, send))
    }
  }
  await fill(noisyAtFirst)
  const filling = (async () => {
    while (!isStopped) {
      await sleep(500)
      // Submitting costs processor time that the quiet ones would be billed for: it is topped up rarely and little.
      if ((await queued()) < 2 * noisyQueued) await fill(3 * noisyQueued)
    }
  })()
  return {
    completed: async () => {
      const text = `select count(*)::integer as runs from run_results where org_id = $1 and status = 'completed' and run_id = any ($2)`
      return (
        (await fleet.records.query<{ runs: number }>(text, [organisation.id, open.map(({ id }) => toUuid(id))]))[0]
          ?.runs ?? 0
      )
    },
    stop: async () => {
      isStopped = true
      await filling
      const left = await queued()
      const all = [...open]
      while (all.length > 0) await Promise.all(all.splice(-10).map(({ order, id }) => client.cancel(order, id)))
      return left
    },
  }
}

/** From accepted to the first claim, by the database's clock. */
async function dwells({ fleet, key }: Stage, part: string): Promise<number[]> {
  const rows = await fleet.records.query<{ ms: number }>(
    `select extract(epoch from x.started_at - r.created_at)::float8 * 1000 as ms
       from runs r join run_results x on x.run_id = r.id where r.metadata ->> 'chaos_key' like $1 || '%'`,
    [key(`${part}-`)],
  )
  return rows.map(({ ms }) => ms).toSorted((a, b) => a - b)
}

function watchCell({ fleet }: Stage): { end(): number } {
  const samples: number[] = []
  const timer = setInterval(() => {
    void fleet.records
      .query<{ runs: number }>('select count(*)::integer as runs from cell_slots where run_id is not null')
      .then(([row]) => samples.push(row?.runs ?? 0))
      .catch(() => undefined)
  }, 250)
  return {
    end: () => {
      clearInterval(timer)
      return samples.reduce((sum, runs) => sum + runs, 0) / Math.max(1, samples.length) / cellSlots
    },
  }
}

function percentile(sorted: readonly number[], share: number): number {
  return Math.round(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN)
}

function shown(sorted: readonly number[]): string {
  return [0.5, 0.95, 0.99, 1].map((share) => percentile(sorted, share)).join(', ')
}
