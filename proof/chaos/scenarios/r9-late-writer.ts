import { setTimeout as sleep } from 'node:timers/promises'
import { toUuid } from '@ars/platform/id'
import { orderOfSteps } from '../load.ts'
import { differences } from '../records.ts'
import type { HeardRun } from '../run-client.ts'
import { measured, type Stage, scenario } from '../scenario.ts'
import { countGivenUp, waitForSteps, watchBusiest } from '../thaw.ts'

type Size = {
  /** Each kind once, then again. */
  stops: readonly Kind[]
  runs: number
}

type Kind = 'cancel' | 'timeout'

/** A run whose time is up is in its last step by then, on whichever worker. */
const stepMs = { cancel: 2500, timeout: 3500 }
const timeoutSeconds = 6
/** Overdue timers of a thawed process fire at once; then it still has its whole step to end. */
const watchMs = 4000

/** The worker hangs in the last step; meanwhile the run is ended from outside; then the worker wants to write. */
export const lateWriter = scenario<Size>({
  name: 'R9',
  promise: 'A late writer cannot resurrect a run: a run cancelled or timed out while its worker hung stays ended.',
  serverEnv: { ARS_CANCEL_GRACE_MS: '1000' },
  sizes: {
    ci: { stops: ['cancel', 'timeout'], runs: 20 },
    full: { stops: Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? 'cancel' : 'timeout')), runs: 20 },
  },
  play: async (stage, { stops, runs }) => {
    const played: Awaited<ReturnType<typeof playStop>>[] = []
    for (const [at, kind] of stops.entries()) played.push(await playStop(stage, { at, kind, runs }))
    const all = played.flatMap((each) => each.ended)
    // On a busy machine the first runs complete before the last ones are in their last step. To stop them has no effect.
    const ended = all.filter(({ hadCompleted }) => !hadCompleted)
    return {
      metrics: [
        ['stops', stops.join(', ')],
        ['runs', all.length],
        ['of which completed before they were stopped', all.length - ended.length],
        ['seconds from the stop to the last end', played.map(({ seconds }) => seconds.toFixed(1)).join(', ')],
        ['steps that the thawed worker gave up', played.map(({ givenUp }) => givenUp).join(', ')],
        ['rows compared', played.reduce((sum, { rows }) => sum + rows, 0)],
      ],
      claims: [
        {
          says: 'each run keeps the end that was set from outside',
          violations: ended
            .filter(({ kind, run }) => !endsAs(kind, run))
            .map(({ kind, run }) => `${run.id} after ${kind}: ${run.status} ${run.error?.code ?? ''}`),
        },
        {
          says: 'a run that had completed before it was stopped stays completed',
          violations: all
            .filter(({ hadCompleted, run }) => hadCompleted && run.status !== 'completed')
            .map(({ run }) => `${run.id}: ${run.status}`),
        },
        measured('most runs are stopped in time', ended.length > all.length / 2, `${ended.length} of ${all.length}`),
        {
          says: 'status, output and tokens are unchanged after the thaw',
          violations: played.flatMap(({ changes }) => changes),
        },
        measured(
          'each time the worker was frozen inside a last step',
          played.every(({ givenUp }) => givenUp > 0),
          `it gave up ${played.map(({ givenUp }) => givenUp).join(', ')} steps`,
        ),
      ],
    }
  },
})

const playStop = async (stage: Stage, { at, kind, runs }: { at: number; kind: Kind; runs: number }) => {
  const { fleet, say } = stage
  const { client } = fleet
  const orders = Array.from({ length: runs }, (_, n) =>
    orderOfSteps(fleet, stage.key(`${at}-${n}`), {
      input: { steps: 2, delay_ms: stepMs[kind] },
      ...(kind === 'timeout' && { timeoutSeconds }),
    }),
  )
  const busiest = await watchBusiest(fleet)
  const begun = await Promise.all(orders.map((order) => client.accept(order)))
  await waitForSteps(stage, `${at}-`, { step: 2, runs })
  const worker = await busiest()
  const givenUpBefore = await countGivenUp(worker)
  const outage = fleet.supervision.noteOutage(worker.name, 'frozen')
  worker.freeze()
  const frozenMs = performance.now()
  say(`${worker.name} is frozen; now ${kind}`)
  try {
    const stopped =
      kind === 'cancel' ? await Promise.all(begun.map((run, n) => client.cancel(orders[n]!, run.id))) : begun
    const ended = await Promise.all(begun.map((run, n) => client.awaitEnd(orders[n]!, run.id)))
    const seconds = (performance.now() - frozenMs) / 1000
    const ids = ended.map(({ id }) => toUuid(id))
    const first = await fleet.records.dump(ids)
    worker.thaw()
    outage.end()
    await sleep(watchMs)
    const changes = differences(first, await fleet.records.dump(ids))
    const givenUp = (await countGivenUp(worker)) - givenUpBefore
    const told = ended.map((run, n) => ({ kind, run, hadCompleted: stopped[n]?.status === 'completed' }))
    return { ended: told, seconds, rows: first.length, changes, givenUp }
  } finally {
    worker.thaw()
  }
}

const endsAs = (kind: Kind, { status, error }: HeardRun): boolean =>
  kind === 'cancel' ? status === 'cancelled' : status === 'failed' && error?.code === 'run_timeout'
