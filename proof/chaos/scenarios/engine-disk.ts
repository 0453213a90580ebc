import { waitFor } from '../../lab/condition.ts'
import { checkStoredStepsStay, countSteps } from '../checks/steps.ts'
import { allCompleted, type Ended, orderOfSteps, playClients } from '../load.ts'
import { keyField } from '../records.ts'
import { claim, measured, scenario } from '../scenario.ts'

type Size = {
  runs: number
  /** How often the engine loses its disk, each time with that many runs anew. */
  losses: number
}

const steps = 4
const stepDelayMs = [300, 900] as const

/** The engine is not trusted with anything that Postgres does not know. */
export const engineDisk = scenario<Size>({
  name: 'engine-disk',
  promise: 'If the engine loses its disk, all runs end and no stored step is repeated.',
  // Otherwise a run must stand still for 15 s before the reconciler asks after it.
  serverEnv: { ARS_RECONCILE_AFTER_MS: '3000' },
  sizes: { ci: { runs: 40, losses: 1 }, full: { runs: 120, losses: 3 } },
  play: async (stage, { runs, losses }) => {
    const { fleet, random, say } = stage
    const underWay: number[] = []
    const outcomes: Ended[] = []
    for (let loss = 1; loss <= losses; loss++) {
      const orders = Array.from({ length: runs }, (_, n) =>
        orderOfSteps(fleet, stage.key(`${loss}-${n}`), {
          input: { steps, delay_ms: random.fork(`run-${loss}-${n}`).whole(...stepDelayMs) },
        }),
      )
      const clients = playClients(stage, orders, { clients: runs })
      // In mid-work: many runs have something to lose, and none of these is done.
      const active = await waitFor(
        'half of the runs to have stored a step',
        async () => {
          const [row] = await fleet.records.query<{ runs: number }>(
            `select count(*)::integer as runs from run_heads h join runs r on r.id = h.run_id
              where h.step >= 1 and r.metadata ->> '${keyField}' like $1 || '%'`,
            [stage.key('')],
          )
          return (row?.runs ?? 0) >= runs / 2 && row?.runs
        },
        { timeoutMs: 120_000, everyMs: 50 },
      )
      underWay.push(active)
      say(`loss ${loss}: the engine forgets ${active} runs that are under way`)
      await fleet.supervision.kill('restate', { lose: () => fleet.stack.restate.wipe() })
      outcomes.push(...(await clients))
      await fleet.supervision.settle()
    }
    const records = await stage.records()
    const ledger = stage.ledgerOf(records)
    const counts = countSteps(ledger, records)
    const resubmitted = new Set(records.steps.filter(({ epoch }) => epoch > 1).map(({ run_id }) => run_id)).size
    return {
      metrics: [
        ['runs', outcomes.length],
        ['losses of the disk', losses],
        ['runs under way at each loss', underWay.join(', ')],
        ['runs submitted again under a new epoch', resubmitted],
        ['steps begun', counts.begun],
        ['steps stored', counts.stored],
        ['steps that ran twice', counts.ranTwice],
      ],
      claims: [
        allCompleted('all runs end completed', outcomes),
        { says: 'no stored step is repeated', violations: checkStoredStepsStay(ledger, records) },
        claim(`every run has its ${steps} steps`, counts.stored === outcomes.length * steps, `${counts.stored} stored`),
        measured('not vacuous: the engine lost runs', resubmitted > 0, 'no run was submitted again'),
      ],
    }
  },
})
