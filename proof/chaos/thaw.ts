import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerPart } from '@ars/tools/dev/server'
import { waitFor } from '../lab/condition.ts'
import type { Fleet } from './fleet.ts'
import { orderOfSteps, playClients, uuidsOf } from './load.ts'
import { differences } from './records.ts'
import type { Stage } from './scenario.ts'
import { countStepsOf } from './step-metrics.ts'

const steps = 3
const stepDelayMs = 1500
/** Long enough for whatever the thawed worker still means to do: its timers are all overdue and fire at once. */
const watchMs = 5000

/**
 * A worker that hangs instead of dying: it comes back and believes that nothing has happened. What ended while it was
 * frozen must stay as it is, to the last byte.
 */
export const freezeAndThaw = async (stage: Stage, name: string, { runs }: { runs: number }) => {
  const { fleet, say } = stage
  const orders = Array.from({ length: runs }, (_, n) =>
    orderOfSteps(fleet, stage.key(`${name}-${n}`), { input: { steps, delay_ms: stepDelayMs } }),
  )
  const busiest = await watchBusiest(fleet)
  const clients = playClients(stage, orders, { clients: runs })
  await waitForSteps(stage, `${name}-`, { step: 2, runs })
  const worker = await busiest()
  const givenUpBefore = await countGivenUp(worker)
  const outage = fleet.supervision.noteOutage(worker.name, 'frozen')
  const frozenAt = performance.now()
  worker.freeze()
  say(`${worker.name} is frozen`)
  try {
    const ended = await clients
    const seconds = (performance.now() - frozenAt) / 1000
    const ids = uuidsOf(ended)
    const first = await fleet.records.dump(ids)
    worker.thaw()
    outage.end()
    await sleep(watchMs)
    const givenUp = (await countGivenUp(worker)) - givenUpBefore
    const changes = differences(first, await fleet.records.dump(ids))
    return { ended, seconds, rows: first.length, changes, takenOver: countTakenOver(fleet, ids), givenUp }
  } finally {
    worker.thaw()
  }
}

/** Waits until this many runs of the scenario, with this key prefix, have begun that step. */
export const waitForSteps = async (
  stage: Stage,
  name: string,
  { step, runs }: { step: number; runs: number },
): Promise<void> => {
  await waitFor(
    `${runs} runs to be inside step ${step}`,
    async () => {
      const begun = stage.ledgerOf(await recordsOf(stage, name)).filter((line) => line.step === step)
      return new Set(begun.map(({ run_id }) => run_id)).size >= runs
    },
    { timeoutMs: 60_000, everyMs: 150 },
  )
}

const recordsOf = async (stage: Stage, name: string) => {
  const records = await stage.records()
  const prefix = stage.key(name)
  return { ...records, runs: records.runs.filter(({ key }) => key?.startsWith(prefix)) }
}

/**
 * The engine fills one connection before it opens the next, so a worker may have nothing to do. We want the other one:
 * the one that finished more steps since.
 */
export const watchBusiest = async (fleet: Fleet): Promise<() => Promise<ServerPart>> => {
  const before = await Promise.all(fleet.workers.map(countFinished))
  return async () => {
    const gains = (await Promise.all(fleet.workers.map(countFinished))).map((count, at) => count - (before[at] ?? 0))
    return (gains[1] ?? 0) > (gains[0] ?? 0) ? fleet.workers[1] : fleet.workers[0]
  }
}

export const countGivenUp = async (worker: ServerPart): Promise<number> =>
  (await countStepsOf(worker)).get('stale') ?? 0

/** Steps of which the ledger knows an earlier begin than the one that was stored: they changed hands. */
const countTakenOver = ({ ledger }: Fleet, ids: readonly string[]): number => {
  const begins = Map.groupBy(
    ledger().filter(({ run_id }) => ids.includes(run_id)),
    ({ run_id, step }) => `${run_id} ${step}`,
  )
  return [...begins.values()].filter(({ length }) => length > 1).length
}

const countFinished = async (worker: ServerPart): Promise<number> =>
  [...(await countStepsOf(worker)).values()].reduce((sum, count) => sum + count, 0)
