import type { Sweep } from '@ars/platform/periodic'
import type { Advancer } from './advance.service.ts'

// A worker that stops waits for the end of a round, so a round is bounded.
const maxLooks = 20

/** Advances the pipeline runs that are due: a wake makes them due, or a time. */
export const advanceSweep = ({ advancer, isDraining }: { advancer: Advancer; isDraining: () => boolean }): Sweep => ({
  name: 'pipeline-runs',
  everyMs: 1_000,
  run: async () => {
    for (let look = 0; look < maxLooks && !isDraining(); look++) if ((await advancer.advanceSome()) === 0) return
  },
})
