import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '../../lab/condition.ts'
import { addQuietCustomers, type Customer, dwells, percentile, playQuiet, shown } from '../quiet-customers.ts'
import type { RunOrder } from '../run-client.ts'
import { claim, measured, type Stage, scenario } from '../scenario.ts'

type Size = {
  /** Added to the baseline: with few samples a p99 is one unlucky run. The larger of the two bounds applies. */
  slackMs: number
  soloSeconds: number
  besideSeconds: number
  /** Under way at the same time. More than 256 once filled the engine, whatever the number of slots. */
  longRuns: number
}

const longRunMs = 30_000
const startedAtOnce = 20

/** One customer has many long runs under way, with the default settings: the cell has room, so nobody may notice. */
export const neighbours = scenario<Size>({
  name: 'neighbours',
  promise: 'Long runs of one customer do not hold up others while slots are free, with the default settings.',
  sizes: {
    ci: { soloSeconds: 15, besideSeconds: 15, longRuns: 300, slackMs: 250 },
    full: { soloSeconds: 120, besideSeconds: 300, longRuns: 400, slackMs: 0 },
  },
  play: async (stage, size) => {
    const quiet = await addQuietCustomers(stage)
    const long = await stage.fleet.addOrganisation('long', { concurrentRuns: 500 })
    const resume = await stage.fleet.neighbour.pause()
    try {
      await playQuiet(stage, quiet, 'warm-up', 2)
      await playQuiet(stage, quiet, 'solo', size.soloSeconds)
      const solo = await dwells(stage, 'solo')
      stage.say(`alone: ${shown(solo)}`)
      const underWay = await keepUnderWay(stage, long, size.longRuns)
      await playQuiet(stage, quiet, 'beside', size.besideSeconds)
      const { executing } = await underWay.end()
      const beside = await dwells(stage, 'beside')
      const [alone, p99] = [percentile(solo, 0.99), percentile(beside, 0.99)]
      const slack = size.slackMs > 0 ? `, or ${size.slackMs} ms more` : ''
      return {
        metrics: [
          ['long runs that executed when the others stopped', executing],
          ['dwell alone, runs; ms: p50, p95, p99, most', `${solo.length}; ${shown(solo)}`],
          ['dwell beside long runs, runs; ms: p50, p95, p99, most', `${beside.length}; ${shown(beside)}`],
        ],
        claims: [
          measured(
            `p99 of the quiet customers’ dwell is at most twice that alone${slack}`,
            p99 <= Math.max(2 * alone, alone + size.slackMs),
            `${p99} ms against ${alone} ms`,
          ),
          measured('nine in ten of the long runs executed', executing >= 0.9 * size.longRuns, `${executing}`),
          claim('there is enough to tell', Math.min(solo.length, beside.length) >= 90, `${beside.length}`),
        ],
      }
    } finally {
      resume()
    }
  },
})

/** Resolves when all execute. A run that ends is followed by another one; the rest are cancelled at the end. */
const keepUnderWay = async (stage: Stage, { id, client, agentId }: Customer, runs: number) => {
  let sent = 0
  let isOver = false
  const accepted: { key: string; id: string }[] = []
  const start = async (): Promise<void> => {
    const order: RunOrder = {
      key: stage.key(`long-${sent++}`),
      agentId: agentId('test-steps'),
      input: { steps: 1, delay_ms: longRunMs },
      prefer: 'respond-async',
    }
    const run = await client.accept(order)
    accepted.push({ key: order.key, id: run.id })
  }
  const count = async (): Promise<{ executing: number; active: number }> => {
    const [row] = await stage.fleet.records.query<{ executing: number; active: number }>(
      `select count(*) filter (where status = 'running')::integer as executing, count(*)::integer as active
         from run_heads where org_id = $1`,
      [id],
    )
    return row ?? { executing: 0, active: 0 }
  }
  const refill = async (): Promise<void> => {
    const missing = runs - (await count()).active
    await Promise.all(Array.from({ length: Math.min(startedAtOnce, Math.max(0, missing)) }, start))
  }
  await waitFor(
    'the long runs to execute',
    async () => {
      await refill()
      return (await count()).executing >= 0.9 * runs
    },
    { timeoutMs: 120_000 },
  )
  const refilling = (async () => {
    while (!isOver && !stage.hopeless.aborted) {
      await refill()
      await sleep(100)
    }
  })()
  return {
    end: async () => {
      const { executing } = await count()
      isOver = true
      await refilling
      while (accepted.length > 0)
        await Promise.all(accepted.splice(-startedAtOnce).map((run) => client.cancel(run, run.id)))
      return { executing }
    },
  }
}
