import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import type { BackingOff, Engine } from '@ars/platform/durable/engine'
import type { Log } from '@ars/platform/log/log'
import type { Sweep } from '@ars/platform/periodic'
import { runsBounds } from '../bounds.ts'
import { segmentOfKey, segmentTarget } from '../run/segment.ts'
import { resubmit } from './dispatch.store.ts'
import type { Dispatcher } from './dispatcher.service.ts'
import type { EngineHealth } from './engine-probe.sweep.ts'
import { engineProbeTarget } from './engine-probe.ts'
import { isLost } from './lost.ts'

const maxKilledPerRound = runsBounds.lostInvocationsEnded.count
const maxListed = runsBounds.invocationsListed.count

type Deps = {
  system: Database
  engine: Engine
  dispatcher: Pick<Dispatcher, 'send'>
  health: Pick<EngineHealth, 'answeredMs'>
  clock: Clock
  log: Log
  onLost: () => void
  services?: readonly string[]
}

/**
 * Ends invocations that the engine retries in vain, and starts their runs again under the next epoch. While no worker
 * answers the engine's probes, none is ended for want of an answer.
 */
export const lostSweep = (deps: Deps): Sweep => {
  const { services = [segmentTarget.service, engineProbeTarget.service] } = deps
  let refusedSince = new Map<string, number>()

  const run = async (): Promise<void> => {
    const listed = await deps.engine.listBackingOff(services, maxListed)
    const nowMs = deps.clock.monotonicMs()
    refusedSince = new Map(
      listed.filter(({ isUnreachable }) => isUnreachable).map(({ id }) => [id, refusedSince.get(id) ?? nowMs] as const),
    )
    const lost = listed.filter(
      ({ id, isMismatch }) =>
        isMismatch || isLost({ refusedSinceMs: refusedSince.get(id), answeredMs: deps.health.answeredMs(), nowMs }),
    )
    for (const invocation of lost.slice(0, maxKilledPerRound)) await startAgain(deps, invocation)
  }

  return { name: 'lost', everyMs: 5_000, run }
}

/** The epoch first: if this worker stops before the kill, the next round finds the invocation without a run. */
const startAgain = async (deps: Deps, { id, key }: BackingOff): Promise<void> => {
  const lost = key === null ? null : segmentOfKey(key)
  const again = lost && (await resubmit(deps.system, lost))
  if (again) deps.dispatcher.send(again)
  // One that cannot be ended must not keep the others; the next round finds it again.
  await deps.engine.kill(id).then(
    () => {
      deps.onLost()
      deps.log.warn('lost invocation ended', { invocation: id, run_id: lost?.run, epoch: again?.epoch })
    },
    (error: unknown) =>
      deps.log.warn('a lost invocation could not be ended', { invocation: id, run_id: lost?.run, error }),
  )
}
