import type { Engine } from '@ars/platform/durable/engine'
import type { Log } from '@ars/platform/log/log'
import type { Sweep } from '@ars/platform/periodic'
import { segmentTarget } from '../run/segment.ts'

const killedPerRound = 200

/**
 * A segment that is retried after a crash, when its run has ended or was taken over, stops at its first step although
 * its journal contains later ones. It has nothing left to do, and the engine would retry it for ever, so it is ended
 * there. If its run is still active, the reconciler restarts it.
 */
export const mismatchSweep = (deps: { engine: Engine; log: Log; service?: string }): Sweep => ({
  name: 'mismatch',
  everyMs: 10_000,
  run: async () => {
    const mismatched = await deps.engine.listMismatched(deps.service ?? segmentTarget.service, killedPerRound)
    for (const invocation of mismatched) await deps.engine.kill(invocation)
    if (mismatched.length > 0) deps.log.info('segments without a run ended', { segments: mismatched.length })
  },
})
