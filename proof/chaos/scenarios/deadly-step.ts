import { toUuid } from '@ars/platform/id'
import { allCompleted, orderOfSteps, playClients } from '../load.ts'
import { claim, scenario } from '../scenario.ts'

type Size = {
  others: number
  /** Runs that kill their worker, one after the other. */
  deadly: number
}

const maxClaims = 5
const deadlyAtStep = 2

/** A step that takes its worker down must not take all of them down, one after the other, for ever. */
export const deadlyStep = scenario<Size>({
  name: 'deadly-step',
  promise: 'A step that kills its worker each time ends its run as failed after five claims; the other runs complete.',
  expectsCrashes: true,
  sizes: { ci: { others: 40, deadly: 1 }, full: { others: 200, deadly: 4 } },
  play: async (stage, size) => {
    const { fleet, random, say } = stage
    const begunMs = performance.now()
    const others = Array.from({ length: size.others }, (_, n) =>
      orderOfSteps(fleet, stage.key(`other-${n}`), {
        input: { steps: 4, delay_ms: random.fork(`other-${n}`).whole(100, 400) },
      }),
    )
    const deadly = Array.from({ length: size.deadly }, (_, n) =>
      orderOfSteps(fleet, stage.key(`deadly-${n}`), {
        input: { steps: 3, delay_ms: 100, kill_worker_at_step: deadlyAtStep },
      }),
    )
    const watch = setInterval(() => say(`${fleet.supervision.outages.length} workers have died`), 1000)
    const [otherEnds, deadlyEnds] = await Promise.all([
      // As many at a time as keep both workers at work until the last deadly run has ended.
      playClients(stage, others, { clients: Math.ceil(size.others / (6 * size.deadly)) }),
      playClients(stage, deadly, { clients: 1 }),
    ]).finally(() => clearInterval(watch))
    await fleet.supervision.settle()

    const ledger = fleet.ledger()
    // A worker can get the step, and die of it, before it counts as started again.
    const deaths = fleet.supervision.outages
      .filter(({ cause, fromMs }) => cause === 'exited' && fromMs >= begunMs)
      .reduce((total, { failedStarts }) => total + 1 + failedStarts, 0)
    const begins = deadlyEnds.map(
      ({ runId }) =>
        ledger.filter((line) => runId !== '' && line.run_id === toUuid(runId) && line.step === deadlyAtStep).length,
    )
    return {
      metrics: [
        ['deadly runs', deadly.length],
        ['workers that died of them', deaths],
        ['times that each deadly step began', begins.join(', ')],
        ['other runs', others.length],
      ],
      claims: [
        {
          says: 'the deadly runs end failed with internal_error',
          violations: deadlyEnds
            .filter(({ status, errorCode }) => status !== 'failed' || errorCode !== 'internal_error')
            .map(({ key, status, errorCode }) => `${key}: ${status} ${errorCode ?? ''}`),
        },
        claim(
          `each deadly step began ${maxClaims} times`,
          begins.every((times) => times === maxClaims),
          `it began ${begins.join(', ')} times`,
        ),
        claim('each begin took one worker down', deaths === maxClaims * deadly.length, `${deaths} workers died`),
        allCompleted('the other runs complete', otherEnds),
      ],
    }
  },
})
