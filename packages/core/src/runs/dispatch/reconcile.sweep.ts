import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import type { Engine } from '@ars/platform/durable/engine'
import type { Log } from '@ars/platform/log/log'
import { type Sweep, whilePagesAreFull } from '@ars/platform/periodic'
import { runsBounds } from '../bounds.ts'
import { type Segment, segmentKey, segmentTarget } from '../run/segment.ts'
import { listStalled, resubmit } from './dispatch.store.ts'
import type { Dispatcher } from './dispatcher.service.ts'
import type { EngineHealth } from './engine-probe.sweep.ts'
import { type Invocation, isLost } from './reconcile.ts'

const runsPerPage = runsBounds.stalledRunsTogether.count
/** Of segments that the engine did not know, for the next round. */
const maxRemembered = runsBounds.unknownSegmentsKnown.count
const rememberMs = 60_000

/**
 * Restarts runs that the engine has lost. For runs without progress it asks the engine whether their invocation
 * exists: a slow model is not a dead worker, so a live invocation is left to its deadline. What the engine does not
 * know is asked again a round later: a node that has just taken over a partition may answer before it has caught up.
 */
export const reconcileSweep = (deps: {
  system: Database
  engine: Engine
  dispatcher: Dispatcher
  health: EngineHealth
  partitionCount: number
  clock: Clock
  log: Log
  quietMs: number
}): Sweep => {
  const everyMs = Math.min(5_000, deps.quietMs)
  const unknownSince = new Map<string, number>()
  // Slow but healthy runs stay in the list; the sweep pages through it to reach those behind them.
  let after: string | null = null

  /** True if it was unknown in an earlier round too. */
  const isStillUnknown = (key: string): boolean => {
    const nowMs = deps.clock.monotonicMs()
    const sinceMs = unknownSince.get(key)
    if (sinceMs === undefined && unknownSince.size < maxRemembered) unknownSince.set(key, nowMs)
    return sinceMs !== undefined && nowMs - sinceMs >= everyMs
  }

  const forgetOld = (): void => {
    const oldestMs = deps.clock.monotonicMs() - rememberMs
    for (const [key, sinceMs] of unknownSince) if (sinceMs < oldestMs) unknownSince.delete(key)
  }

  const restartLost = async (): Promise<number> => {
    const stalled = await listStalled(deps.system, { limit: runsPerPage, quietMs: deps.quietMs, after })
    after = stalled.length < runsPerPage ? null : (stalled.at(-1)?.run ?? null)
    if (stalled.length === 0) return 0
    const known = await askEngine(deps.engine, stalled)
    const upPartitions = deps.health.upPartitions()
    for (const segment of stalled) {
      const key = segmentKey(segment)
      const invocation = known.get(key)
      if (!isLost(invocation, upPartitions, deps.partitionCount)) continue
      if (!invocation && !isStillUnknown(key)) continue
      unknownSince.delete(key)
      const again = await resubmit(deps.system, segment)
      if (!again) continue
      deps.log.warn('run submitted again', {
        run_id: segment.run,
        epoch: again.epoch,
        engine_status: invocation?.status ?? 'unknown',
      })
      deps.dispatcher.send(again)
    }
    return stalled.length
  }
  const run = (): Promise<void> => {
    forgetOld()
    return whilePagesAreFull(runsPerPage, restartLost)
  }

  return { name: 'reconcile', everyMs, run }
}

const askEngine = async (engine: Engine, segments: readonly Segment[]): Promise<Map<string, Invocation>> => {
  // The keys consist of our own ids and numbers, so nothing needs quoting.
  const keys = segments.map((segment) => `'${segmentKey(segment)}'`).join(', ')
  const rows = await engine.query<Invocation & { idempotency_key: string }>(
    `select i.idempotency_key, i.status, s.partition_key
       from sys_invocation i join sys_invocation_status s on s.id = i.id
      where i.target_service_name = '${segmentTarget.service}' and i.idempotency_key in (${keys})`,
  )
  return new Map(rows.map(({ idempotency_key, status, partition_key }) => [idempotency_key, { status, partition_key }]))
}
