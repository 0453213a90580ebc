import { checkStoredStepsStay, countSteps } from '../checks/steps.ts'
import { allCompleted, orderOfSteps, playArrivals, uuidsOf } from '../load.ts'
import { newRelease } from '../new-release.ts'
import { claim, measured, scenario } from '../scenario.ts'
import { waitForSteps } from '../thaw.ts'

type Size = { runs: number; steps: number }

const stepMs = 2000
const maxWaitMs = 30_000
/** A burst of all runs would be shed. */
const perSecond = 25

/** The addresses of all workers are gone, and nobody drained them. Whatever the engine had begun there must go on elsewhere. */
export const workerMoves = scenario<Size>({
  name: 'worker-moves',
  promise:
    'If all workers are replaced at another address, every run under way completes; none waits longer than 30 s.',
  sizes: { ci: { runs: 20, steps: 8 }, full: { runs: 500, steps: 40 } },
  // All of them at once: an organisation alone gets four fifths.
  serverEnv: { ARS_CELL_SLOTS: '700' },
  play: async (stage, { runs, steps }) => {
    const { fleet, say } = stage
    const orders = Array.from({ length: runs }, (_, n) =>
      orderOfSteps(fleet, stage.key(n), { input: { steps, delay_ms: stepMs } }),
    )
    const clients = playArrivals(stage, orders, { perSecond })
    await waitForSteps(stage, '', { step: 3, runs })
    const release = newRelease(stage)
    const returns: (() => Promise<void>)[] = []
    try {
      await release.start()
      say('the new release is up')
      const underWay = await fleet.records.query<{ runs: number }>('select count(*)::integer as runs from run_heads')
      for (const { name } of fleet.workers) returns.push(await fleet.supervision.takeDown(name, 'kill'))
      const ended = await clients
      const gaps = await fleet.records.query<{ ms: number }>(
        `select (extract(epoch from started_at - lag(started_at) over (partition by run_id order by step)) * 1000)::integer as ms
           from run_steps where run_id = any ($1)`,
        [uuidsOf(ended)],
      )
      const longestMs = gaps.reduce((longest, { ms }) => Math.max(longest, ms), 0)
      const records = await stage.records()
      const ledger = stage.ledgerOf(records)
      const counts = countSteps(ledger, records)
      const again = new Set(records.steps.filter(({ epoch }) => epoch > 1).map(({ run_id }) => run_id)).size
      return {
        metrics: [
          ['runs', ended.length],
          ['runs under way when the workers were killed', underWay[0]?.runs ?? 0],
          ['runs that were started again under a new epoch', again],
          ['seconds between the starts of two steps, at the most', (longestMs / 1000).toFixed(1)],
          ['steps that ran twice', counts.ranTwice],
        ],
        claims: [
          allCompleted('every run completes', ended),
          claim(`every run has its ${steps} steps`, counts.stored === runs * steps, `${counts.stored} stored`),
          { says: 'a step whose result was stored never ran again', violations: checkStoredStepsStay(ledger, records) },
          measured(
            'not vacuous: nine in ten runs were under way when the workers were killed',
            (underWay[0]?.runs ?? 0) >= 0.9 * runs,
            `${underWay[0]?.runs}`,
          ),
          measured('no run waits longer than 30 s', longestMs <= maxWaitMs, `${longestMs} ms`),
        ],
      }
    } finally {
      await Promise.all(returns.map((bringUp) => bringUp()))
      await release.stop()
    }
  },
})
