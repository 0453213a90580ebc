import { EventStream, type PipelineRunId, type StreamSink } from '@ars/contract'
import { type Coalesced, createCoalesced } from '@ars/platform/coalesced'
import { toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import { createSemaphore } from '@ars/platform/semaphore'
import type { Ctx } from '../../ctx.ts'
import { Fault } from '../../fault.ts'
import { pipelinesBounds } from '../bounds.ts'
import { createPipelineChannel, type PipelineChannel } from './pipeline-channel.service.ts'
import { encodePipelineSnapshot, type PipelinePicture, pictureOf } from './pipeline-frame.ts'
import { changeChannelOf } from './pipeline-run.ts'
import {
  type PipelineRunSight,
  type PipelineRunView,
  requirePipelineSight,
  type ShownPipelineRun,
} from './pipeline-run-view.service.ts'

export type PipelineStreams = {
  /** Begins with the pipeline run as it is, so nothing is resumed but the count of the frames. */
  watch(ctx: PipelineRunSight & Pick<Ctx, 'lastEventId'>, id: PipelineRunId): Promise<EventStream>
  close(): void
}

type Deps = {
  view: Pick<PipelineRunView, 'read'>
  pubSub: PubSub
  log: Log
  /** How long a pipeline run is not read if no message comes. */
  lookEveryMs?: number
}

/** A large pipeline run changes many times a second. Its streams are told about all changes of this time at once. */
const readEveryMs = 250
/** Messages may be lost, so each watched pipeline run is read after this time. */
const unheardMs = 5_000
const unheardMsWithoutPubSub = 1_000
const tickMs = 250
/** Pipeline runs that one tick reads because no message came. If more are watched, each of them waits longer. */
const readsPerTick = pipelinesBounds.unheardReads.count
/** Pipeline runs that are read at once. The others wait here and hold no connection. */
const maxReadsAtOnce = pipelinesBounds.streamReads.count

type Reading = ShownPipelineRun & { picture: PipelinePicture }

/** The readers of a pipeline run and the subscription that they share while at least one of them holds it. */
type Shared = {
  channel: PipelineChannel
  hints: Coalesced
  subscribed: Promise<void>
  holds: number
  readAtMs: number
  /** The reading that is under way for new readers. */
  opening: Promise<Reading | null> | null
  release(): void
}

export const createPipelineStreams = (deps: Deps): PipelineStreams => {
  const shared = new Map<string, Shared>()
  const limitReads = createSemaphore(maxReadsAtOnce)
  let timer: NodeJS.Timeout | undefined
  let readings = 0

  const read = (org: string, uuid: string): Promise<Reading | null> =>
    limitReads(async () => {
      const reading = ++readings
      const shown = await deps.view.read(org, uuid)
      return shown && { ...shown, picture: pictureOf(shown.wire, reading) }
    })

  const lookAtUnheard = (): void => {
    const everyMs = deps.pubSub.isUp() ? (deps.lookEveryMs ?? unheardMs) : unheardMsWithoutPubSub
    const before = performance.now() - everyMs
    const unheard = [...shared.values()].filter(({ readAtMs }) => readAtMs < before)
    unheard.sort((one, other) => one.readAtMs - other.readAtMs)
    for (const each of unheard.slice(0, readsPerTick)) {
      each.readAtMs = performance.now()
      each.hints.call()
    }
  }

  const close = (): void => {
    clearInterval(timer)
    timer = undefined
  }

  const hold = (org: string, uuid: string): Shared => {
    // The organisation is part of the name, because the channel reads on its behalf.
    const name = changeChannelOf(org, uuid)
    const known = shared.get(name)
    if (known) {
      known.holds++
      return known
    }
    const release = (): void => {
      if (--made.holds > 0) return
      shared.delete(name)
      made.hints.close()
      made.subscribed.then(() => !shared.has(name) && deps.pubSub.unsubscribe(name)).catch(() => undefined)
      if (shared.size === 0) close()
    }
    const channel = createPipelineChannel({
      id: uuid,
      read: async () => {
        made.readAtMs = performance.now()
        return (await read(org, uuid))?.picture ?? null
      },
      onDetach: release,
      log: deps.log,
    })
    // A message is a hint: forged ones must not become a flood of queries.
    const hints = createCoalesced({ work: channel.look, everyMs: readEveryMs, onError: () => undefined })
    const made: Shared = {
      ...{ channel, hints, holds: 1, opening: null, release },
      subscribed: deps.pubSub.subscribe(name, hints.call),
      readAtMs: performance.now(),
    }
    shared.set(name, made)
    timer ??= setInterval(lookAtUnheard, tickMs)
    return made
  }

  /** Readers that open it at the same time share one reading. */
  const readFirst = (org: string, uuid: string, held: Shared): Promise<Reading | null> => {
    held.opening ??= read(org, uuid).finally(() => {
      held.opening = null
    })
    return held.opening
  }

  return {
    watch: async (ctx, id) => {
      const uuid = toUuid(id)
      const sent = sentBefore(ctx.lastEventId)
      const held = hold(ctx.org, uuid)
      try {
        // Subscribe first, then read, so that nothing in between is missed.
        await held.subscribed
        const shown = await readFirst(ctx.org, uuid, held)
        if (!shown) throw new Fault('not_found', `No pipeline run ${id}`)
        requirePipelineSight(ctx, shown.stored)
        const first = { snapshot: encodePipelineSnapshot(shown.wire), picture: shown.picture, sent }
        const attach = (sink: StreamSink): (() => void) => {
          const stop = held.channel.attach(sink, first)
          // A change between this reading and now was shown to the other readers only.
          held.hints.call()
          return stop
        }
        return new EventStream({ location: `/v2/pipeline-runs/${id}` }, attach)
      } catch (error) {
        held.release()
        throw error
      }
    },
    close,
  }
}

const sentBefore = (lastEventId: string | undefined): number => {
  if (lastEventId === undefined || lastEventId === '') return 0
  if (/^[0-9]{1,9}$/.test(lastEventId)) return Number(lastEventId)
  throw new Fault('invalid_request', 'Last-Event-ID must be the id of a frame, a whole number', {
    param: 'Last-Event-ID',
  })
}
