import type { Clock } from '@ars/platform/clock'
import { type Engine, ServiceUnknown } from '@ars/platform/durable/engine'
import type { Log } from '@ars/platform/log/log'
import type { Sweep } from '@ars/platform/periodic'
import { partitionOf } from './engine-partition.ts'
import { engineProbeTarget } from './engine-probe.ts'
import { upPartitionsOf } from './reconcile.ts'
import type { Registration } from './registration.service.ts'

/** The last probe results of each partition of the engine. */
export type EngineHealth = {
  /** Milliseconds of the last round trip. Null: no answer. Empty until the first round. */
  readonly partitions: ReadonlyMap<number, number | null>
  /** The partitions that do not answer. */
  upPartitions(): ReadonlySet<number>
}

const keysPerPartition = 6
const answerTimeoutMs = 5000

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

  const ping = async (key: string): Promise<number | null> => {
    const beganMs = deps.clock.monotonicMs()
    const at = deps.clock.now().toISOString()
    const answered = await Promise.race([
      deps.engine.call({ ...engineProbeTarget, object: key }, { at }).then(
        () => true,
        async (error: unknown) => {
          if (error instanceof ServiceUnknown) await deps.registration.ensure().catch(() => undefined)
          return false
        },
      ),
      new Promise<false>((resolve) => setTimeout(() => resolve(false), answerTimeoutMs).unref()),
    ])
    return answered ? deps.clock.monotonicMs() - beganMs : null
  }

  const findKeys = async (): Promise<void> => {
    const tried = Array.from({ length: deps.partitionCount * keysPerPartition }, (_, n) => `canary-${n}`)
    await Promise.all(tried.map(ping))
    const rows = await deps.engine.query<{ service_key: string; partition_key: number }>(
      `select service_key, partition_key from state where service_name = '${engineProbeTarget.service}'`,
    )
    keys = new Map(rows.map((row) => [partitionOf(row.partition_key, deps.partitionCount), row.service_key]))
  }

  const run = async (): Promise<void> => {
    if (keys.size < deps.partitionCount) await findKeys()
    await Promise.all(
      [...keys].map(async ([partition, key]) => {
        const tookMs = await ping(key)
        if (tookMs === null) deps.log.error('engine partition does not answer', { partition })
        partitions.set(partition, tookMs)
        silentRounds.set(partition, tookMs === null ? (silentRounds.get(partition) ?? 0) + 1 : 0)
      }),
    )
  }

  return {
    sweep: { name: 'canary', everyMs: 10_000, run },
    health: { partitions, upPartitions: () => upPartitionsOf(silentRounds) },
  }
}
