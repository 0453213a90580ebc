import { systemClock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import { createIdMaker } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { createInFlight } from '../src/runs/execute/in-flight.ts'
import { createSegments } from '../src/runs/execute/segment.service.ts'
import { createDeltas } from '../src/runs/feed/delta.service.ts'
import type { Feed } from '../src/runs/feed/feed.service.ts'
import type { StepService } from '../src/steps/index.ts'
import { unguarded } from './test-guard.ts'

const log = createLog({ level: 'silent' })
const nobody = () => Promise.reject(new Error('nobody follows'))
const nobodysFeed: Feed = { tell: () => undefined, follow: nobody, watch: nobody, close: () => undefined }

/** Executes steps without an engine: a test calls each one, and nobody admits or dispatches what follows. */
export const idleSegments = ({ app, steps, feed = nobodysFeed }: { app: Database; steps: StepService; feed?: Feed }) =>
  createSegments({
    app,
    ...unguarded(app),
    steps,
    feed,
    deltas: createDeltas({ app, feed, clock: systemClock, log }),
    admission: { nudge: () => undefined, slotFreed: () => undefined },
    dispatcher: { send: () => undefined, sendNow: () => Promise.resolve() },
    inFlight: createInFlight(),
    historyBytesMax: 1_000_000,
    newId: createIdMaker(systemClock),
    clock: systemClock,
    log,
    onStep: () => undefined,
    noteEnd: () => undefined,
  })
