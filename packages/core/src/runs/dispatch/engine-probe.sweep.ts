import type { Clock } from '@ars/platform/clock'
import { type Engine, ServiceUnknown, type Target } from '@ars/platform/durable/engine'
import type { Log } from '@ars/platform/log/log'
import type { Sweep } from '@ars/platform/periodic'
import { runsBounds } from '../bounds.ts'
import { partitionOf } from './engine-partition.ts'
import { engineProbeTarget, markTarget } from './engine-probe.ts'
import { upPartitionsOf } from './reconcile.ts'
import type { Registration } from './registration.service.ts'

/** The last probe results of each partition of the engine. */
export type EngineHealth = {
  /** Milliseconds of the last round trip. Null: no answer. Empty until the first round. */
  readonly partitions: ReadonlyMap<number, number | null>
  /** The partitions that do not answer. */
  upPartitions(): ReadonlySet<number>
  /** When a worker last answered a probe, on the monotonic clock. Before the first answer: -Infinity. */
  answeredMs(): number
}

const keysPerPartition = 6
const answerTimeoutMs = runsBounds.probeAnswer.ms
/** Rounds without any answer, after which this worker registers its address again. */
const maxUnansweredRounds = runsBounds.probesUnanswered.count

/** Probes every partition every ten seconds: an engine can be up while one of its partitions is stuck. */
export const createEngineProbe = (deps: {
  engine: Engine
  registration: Registration
  clock: Clock
  log: Log
  partitionCount: number
}): { sweep: Sweep; health: EngineHealth } => {
  const partitions = new Map<number, number | null>()
  const silentRounds = new Map<number, number>()
  /** One object key per partition, found by trial. */
  let keys = new Map<number, string>()
  let answeredMs = Number.NEGATIVE_INFINITY
  let unansweredRounds = 0

  const ping = async (target: Target): Promise<number | null> => {
    const beganMs = deps.clock.monotonicMs()
    const at = deps.clock.now().toISOString()
    const answered = await Promise.race([
      deps.engine.call(target, { at }).then(
        () => true,
        async (error: unknown) => {
          if (error instanceof ServiceUnknown) await deps.registration.ensure().catch(() => undefined)
          return false
        },
      ),
      new Promise<false>((resolve) => setTimeout(() => resolve(false), answerTimeoutMs).unref()),
    ])
    if (!answered) return null
    answeredMs = deps.clock.monotonicMs()
    return answeredMs - beganMs
  }

  const findKeys = async (): Promise<void> => {
    await readKeys()
    if (keys.size === deps.partitionCount) return
    const tried = Array.from({ length: deps.partitionCount * keysPerPartition }, (_, n) => `canary-${n}`)
    await Promise.all(tried.map((object) => ping({ ...markTarget, object })))
    await readKeys()
  }

  const readKeys = async (): Promise<void> => {
    const rows = await deps.engine.query<{ service_key: string; partition_key: number }>(
      `select service_key, partition_key from state where service_name = '${engineProbeTarget.service}'`,
    )
    keys = new Map(rows.map((row) => [partitionOf(row.partition_key, deps.partitionCount), row.service_key]))
  }

  /**
   * A worker that registered later is gone, and the engine calls its address only. If all probes are slow, this changes
   * nothing that matters: any worker can continue any run.
   */
  const registerAgain = async (): Promise<void> => {
    if (++unansweredRounds < maxUnansweredRounds) return
    await deps.registration.ensure().catch((error: unknown) => deps.log.warn('registration failed', { error }))
  }

  const run = async (): Promise<void> => {
    const beganMs = deps.clock.monotonicMs()
    if (keys.size < deps.partitionCount) await findKeys()
    await Promise.all(
      [...keys].map(async ([partition, key]) => {
        const tookMs = await ping({ ...engineProbeTarget, object: key })
        if (tookMs === null) deps.log.error('engine partition does not answer', { partition })
        partitions.set(partition, tookMs)
        silentRounds.set(partition, tookMs === null ? (silentRounds.get(partition) ?? 0) + 1 : 0)
      }),
    )
    if (answeredMs >= beganMs) unansweredRounds = 0
    else await registerAgain()
  }

  return {
    sweep: { name: 'canary', everyMs: 10_000, run },
    health: { partitions, upPartitions: () => upPartitionsOf(silentRounds), answeredMs: () => answeredMs },
  }
}
