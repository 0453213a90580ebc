import { checkStoredStepsStay, countSteps } from '../checks/steps.ts'
import { allCompleted, orderOfSteps, playClients } from '../load.ts'
import { newRelease } from '../new-release.ts'
import { claim, measured, type Stage, scenario } from '../scenario.ts'
import { waitForSteps } from '../thaw.ts'

type Size = {
  runs: number
  /** Enough for a release to come and go on a slow machine; with many runs its workers take long to start. */
  steps: number
}

const stepMs = 2000

/** A release goes out while runs are in their second step, and is rolled back while they are in a later one. */
export const deploy = scenario<Size>({
  name: 'R12',
  promise:
    'Deploys do not break running work: a new release carries on what the old one began, and so does a roll-back.',
  sizes: { ci: { runs: 20, steps: 14 }, full: { runs: 200, steps: 60 } },
  play: async (stage, size) => {
    const { fleet, say } = stage
    const { steps } = size
    const orders = Array.from({ length: size.runs }, (_, n) =>
      orderOfSteps(fleet, stage.key(n), { input: { steps, delay_ms: stepMs } }),
    )
    const clients = playClients(stage, orders, { clients: size.runs })
    await waitForSteps(stage, '', { step: 2, runs: size.runs })
    const release = newRelease(stage)
    const returns: (() => Promise<void>)[] = []
    try {
      await release.start()
      say('the new release is up')
      for (const { name } of fleet.workers) returns.push(await fleet.supervision.takeDown(name, 'stop'))
      const moved = await countSegments(stage, 1)
      say('rolling back')
      // Both are up for a moment; the one that registered last is given the work.
      await returns.shift()?.()
      await release.stop()
      const rolledBack = await countSegments(stage, 2)
      const ended = await clients
      const records = await stage.records()
      const ledger = stage.ledgerOf(records)
      const counts = countSteps(ledger, records)
      return {
        metrics: [
          ['runs', ended.length],
          ['runs handed over by the release, and by the roll-back', `${moved}, ${rolledBack}`],
          ['steps stored', counts.stored],
          ['steps that ran twice', counts.ranTwice],
        ],
        claims: [
          allCompleted('every run completes', ended),
          claim(`every run has its ${steps} steps`, counts.stored === size.runs * steps, `${counts.stored} stored`),
          { says: 'a step whose result was stored never ran again', violations: checkStoredStepsStay(ledger, records) },
          measured('a drain interrupts no step', counts.ranTwice === 0, `${counts.ranTwice} steps ran twice`),
          measured('the old release handed its runs over', moved === size.runs, `${moved} of ${size.runs}`),
          measured(
            'the new release handed its runs over too',
            rolledBack === size.runs,
            `${rolledBack} of ${size.runs}`,
          ),
        ],
      }
    } finally {
      await Promise.all(returns.map((bringUp) => bringUp()))
      await release.stop()
    }
  },
})

/** Runs beyond this segment: they were handed over. */
const countSegments = async ({ fleet, key }: Stage, segments: number): Promise<number> => {
  const [row] = await fleet.records.query<{ runs: number }>(
    `select count(*)::integer as runs from run_heads h join runs r on r.id = h.run_id
      where h.segment > $2 and r.metadata ->> 'chaos_key' like $1 || '%'`,
    [key(''), segments],
  )
  return row?.runs ?? 0
}
