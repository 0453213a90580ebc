import { setTimeout as sleep } from 'node:timers/promises'
import { toUuid } from '@ars/platform/id'
import type { ServerPart } from '../../dev/server.ts'
import { checkStoredStepsStay } from '../checks/steps.ts'
import { waitFor } from '../condition.ts'
import { orderOfSteps, playClients } from '../load.ts'
import { claim, type Stage, scenario } from '../scenario.ts'
import { countStepsOf } from '../step-metrics.ts'

interface Size {
  rounds: number
  runs: number
}

const steps = 3
const stepDelayMs = 2000
/** Long enough for whatever the thawed worker still means to do: its timers are all overdue and fire at once. */
const watchMs = 8000

/** R9 for a worker that hangs instead of dying: it comes back and believes that nothing has happened. */
export const thawedWorker = scenario<Size>({
  name: 'thawed-worker',
  promise: 'A thawed worker cannot write: what ended while it was frozen stays as it is, to the last byte.',
  sizes: { ci: { rounds: 1, runs: 16 }, full: { rounds: 3, runs: 24 } },
  play: async (stage, { rounds, runs }) => {
    const played: Awaited<ReturnType<typeof playRound>>[] = []
    for (let n = 1; n <= rounds; n++) played.push(await playRound(stage, n, runs))
    const ledger = stage.fleet.ledger()
    const outcomes = played.flatMap(({ ended }) => ended)
    return {
      figures: [
        ['rounds', rounds],
        ['runs', outcomes.length],
        ['steps taken from the frozen worker, in each round', played.map(({ takenOver }) => takenOver).join(', ')],
        ['seconds until all runs had ended without it', played.map(({ seconds }) => seconds.toFixed(1)).join(', ')],
        ['steps that the thawed worker gave up', played.map(({ givenUp }) => givenUp).join(', ')],
        ['rows compared', played.reduce((sum, { rows }) => sum + rows, 0)],
      ],
      claims: [
        {
          says: 'all runs complete while the worker is frozen',
          violations: outcomes
            .filter(({ status }) => status !== 'completed')
            .map(({ key, status }) => `${key}: ${status}`),
        },
        { says: 'no row changes after the thaw', violations: played.flatMap(({ changes }) => changes) },
        claim(
          'in every round the worker was frozen inside a step',
          played.every(({ takenOver }) => takenOver > 0),
          'in one round no step changed hands',
        ),
        {
          says: 'no stored step is repeated',
          violations: checkStoredStepsStay(ledger, await stage.fleet.records.read()),
        },
      ],
    }
  },
})

async function playRound(stage: Stage, round: number, runs: number) {
  const { fleet, say } = stage
  const orders = Array.from({ length: runs }, (_, n) =>
    orderOfSteps(fleet, `thaw-${round}-${n}`, { input: { steps, delay_ms: stepDelayMs } }),
  )
  const begunBefore = fleet.ledger().length
  const finishedBefore = await Promise.all(fleet.workers.map(countFinished))
  const clients = playClients(stage, orders, { clients: runs })
  await waitFor('every run to be inside its second step', () => fleet.ledger().length - begunBefore >= 2 * runs, {
    timeoutMs: 60_000,
    everyMs: 50,
  })
  // The engine fills one connection before it opens the next, so a worker may have nothing to do. We want the other one.
  const finished = await Promise.all(fleet.workers.map(countFinished))
  const gains = finished.map((count, at) => count - (finishedBefore[at] ?? 0))
  const worker = (gains[1] ?? 0) > (gains[0] ?? 0) ? fleet.workers[1] : fleet.workers[0]
  const givenUpBefore = await countGivenUp(worker)
  const outage = fleet.supervision.noteOutage(worker.name, 'frozen')
  const frozenAt = performance.now()
  worker.freeze()
  say(`round ${round}: ${worker.name} is frozen`)
  try {
    const ended = await clients
    const seconds = (performance.now() - frozenAt) / 1000
    const ids = ended.filter(({ runId }) => runId !== '').map(({ runId }) => toUuid(runId))
    const first = await fleet.records.dump(ids)
    worker.thaw()
    outage.end()
    say(`round ${round}: ${worker.name} is thawed`)
    await sleep(watchMs)
    const givenUp = (await countGivenUp(worker)) - givenUpBefore
    const second = await fleet.records.dump(ids)
    const takenOver = countTakenOver(fleet, ids)
    return { ended, seconds, rows: first.length, changes: differences(first, second), takenOver, givenUp }
  } finally {
    worker.thaw()
  }
}

function differences(first: readonly string[], second: readonly string[]): string[] {
  const [before, after] = [new Set(first), new Set(second)]
  return [
    ...first.filter((line) => !after.has(line)).map((line) => `gone: ${line}`),
    ...second.filter((line) => !before.has(line)).map((line) => `new: ${line}`),
  ]
}

/** Steps of which the ledger knows an earlier begin than the one that was stored: they changed hands. */
function countTakenOver({ ledger }: Stage['fleet'], ids: readonly string[]): number {
  const begins = Map.groupBy(
    ledger().filter(({ run_id }) => ids.includes(run_id)),
    ({ run_id, step }) => `${run_id} ${step}`,
  )
  return [...begins.values()].filter(({ length }) => length > 1).length
}

async function countFinished(worker: ServerPart): Promise<number> {
  return [...(await countStepsOf(worker)).values()].reduce((sum, count) => sum + count, 0)
}

async function countGivenUp(worker: ServerPart): Promise<number> {
  return (await countStepsOf(worker)).get('stale') ?? 0
}
