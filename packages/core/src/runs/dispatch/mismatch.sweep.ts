import type { Engine } from '@ars/platform/durable/engine'
import type { Log } from '@ars/platform/log/log'
import { type Sweep, whilePagesAreFull } from '@ars/platform/periodic'
import { segmentTarget } from '../run/segment.ts'

const killedPerPage = 200

/**
 * A segment that is retried after a crash, when its run has ended or was taken over, stops at its first step although
 * its journal contains later ones. It has nothing left to do, and the engine would retry it for ever, so it is ended
 * there. If its run is still active, the reconciler restarts it.
 */
export const mismatchSweep = (deps: { engine: Engine; log: Log; service?: string }): Sweep => ({
  name: 'mismatch',
  everyMs: 10_000,
  run: () =>
    whilePagesAreFull(killedPerPage, async () => {
      const mismatched = await deps.engine.listMismatched(deps.service ?? segmentTarget.service, killedPerPage)
      let killed = 0
      for (const invocation of mismatched) {
        // One that cannot be killed must not keep the others.
        await deps.engine.kill(invocation).then(
          () => killed++,
          (error: unknown) => deps.log.warn('a segment without a run could not be ended', { invocation, error }),
        )
      }
      if (killed > 0) deps.log.info('segments without a run ended', { segments: killed })
      return killed
    }),
})
