import { EventId, EventStream, type EventType, type StreamSink } from '@ars/contract'
import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import { fromUuid, toUuid, uuidFloor } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import { createSemaphore } from '@ars/platform/semaphore'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { eventsBounds } from './bounds.ts'
import type { RenderedEvents } from './envelope.service.ts'
import { type EventRow, encodeEventFrame } from './event.ts'
import {
  createEventChannel,
  type EventChannel,
  type EventFilter,
  type EventFrameRange,
} from './event-channel.service.ts'
import { createEventFeed } from './event-feed.service.ts'
import {
  type EventPosition,
  findLastPosition,
  findPosition,
  findPositionSince,
  listAfter,
  type PositionedRow,
} from './event-position.store.ts'
import type { HistoryWatch } from './history-watch.service.ts'

export type WatchEvents = {
  type?: readonly EventType[] | undefined
  after?: EventId | undefined
  since?: string | undefined
}

export type EventStreams = {
  watch(ctx: Pick<Ctx, 'org' | 'lastEventId'>, asked: WatchEvents): Promise<EventStream>
  close(): void
}

type Deps = {
  app: Database
  feedReads: Database
  pubSub: PubSub
  /** Undefined: nothing is streamed here. */
  history?: Pick<HistoryWatch, 'onWentBack' | 'onClosed'> | undefined
  clock: Clock
  log: Log
  renderAll(org: string, rows: readonly EventRow[], maxBytes: number): Promise<RenderedEvents>
}

// A page is bounded in rows and in bytes; a single event that is larger than the bound is still sent whole.
const maxPageRows = eventsBounds.streamPage.count
const maxPageBytes = eventsBounds.streamPage.bytes
/** Organisations that are read for at once. The others wait here and hold no connection. */
const maxReadsAtOnce = eventsBounds.streamReads.count

/** The readers of an organisation and the subscription that they share while at least one of them holds it. */
type Shared = { channel: EventChannel; watching: Promise<() => void>; holds: number; release(): void }

export const createEventStreams = (deps: Deps): EventStreams => {
  const { app, clock } = deps
  const feed = createEventFeed(deps)
  const shared = new Map<string, Shared>()
  const limitReads = createSemaphore(maxReadsAtOnce)

  const read = async (
    org: string,
    after: EventPosition,
    types: readonly EventType[] | null,
  ): Promise<EventFrameRange> => {
    const asked = { after, types, maxEvents: maxPageRows, maxBytes: maxPageBytes }
    const { rows, last, isComplete } = await listAfter(app, org, asked)
    const { rendered, isCut } = await deps.renderAll(org, rows, maxPageBytes)
    const positioned = new Map(rows.map((row) => [row.id, row]))
    const frames = rendered.map((one) => ({ ...framePositionOf(positioned, one.row), text: encodeEventFrame(one) }))
    const lastFrame = frames.at(-1)
    return isCut && lastFrame
      ? { after, frames, last: { position: lastFrame.position, id: lastFrame.id }, isComplete: false }
      : { after, frames, last, isComplete }
  }

  const hold = (org: string): Shared => {
    const known = shared.get(org)
    if (known) {
      known.holds++
      return known
    }
    const release = (): void => {
      if (--made.holds > 0) return
      shared.delete(org)
      made.watching.then((stop) => stop()).catch(() => undefined)
    }
    const channel = createEventChannel({
      read: (after, types) => limitReads(() => read(org, after, types)),
      onDetach: release,
      log: deps.log,
    })
    const made: Shared = { channel, watching: feed.watch(org, channel), holds: 1, release }
    shared.set(org, made)
    return made
  }

  const beginOf = async (org: string, { after, since }: { after: string | null; since: Date | null }) => {
    const end = (await findLastPosition(app, org)) ?? { position: 0, id: uuidFloor(clock.now()) }
    if (after !== null) {
      const found = await findPosition(app, org, after)
      if (!found) {
        const message = `No event ${fromUuid('evt', after)}. Read the stream without Last-Event-ID, from a time on with since`
        throw new Fault('not_found', message)
      }
      const { position, id } = found
      // An event without a position gets a later one than all that have one: the stream begins there and leaves it
      // out.
      return position === null ? { after: end, end, except: after } : { after: { position, id }, end, except: null }
    }
    const first = since && (await findPositionSince(app, org, since))
    return { after: first ?? end, end, except: null }
  }

  return {
    watch: async ({ org, lastEventId }, asked) => {
      const since = asked.since === undefined ? null : new Date(asked.since)
      const after = resumeAfter(lastEventId) ?? asked.after
      const held = hold(org)
      try {
        // Subscribe first, then read, so that nothing in between is missed.
        await held.watching
        const { except, ...begin } = await beginOf(org, { after: after === undefined ? null : toUuid(after), since })
        const filter: EventFilter = { types: asked.type ? new Set(asked.type) : null, since, except }
        const attach = (sink: StreamSink): (() => void) => {
          // A stream that begins now sends its position, so that one that breaks before its first event loses none.
          if (after === undefined && since === null && begin.end.position > 0) sink.write(positionLine(begin.end), 0)
          return held.channel.attach(sink, { ...begin, filter })
        }
        return new EventStream({}, attach)
      } catch (error) {
        held.release()
        throw error
      }
    },
    close: feed.close,
  }
}

/** The header wins: a client that reconnects repeats its first URL. */
const resumeAfter = (lastEventId: string | undefined): EventId | undefined => {
  if (lastEventId === undefined || lastEventId === '') return undefined
  const parsed = EventId.safeParse(lastEventId)
  if (parsed.success) return parsed.data
  throw new Fault('invalid_request', 'Last-Event-ID must be the id of an event, evt_…', { param: 'Last-Event-ID' })
}

/** A frame without data: clients do not see it as an event, but remember its id. */
const positionLine = ({ id }: EventPosition): string => `id: ${fromUuid('evt', id)}\n\n`

const framePositionOf = (positioned: ReadonlyMap<string, PositionedRow>, { id, type, created_at }: EventRow) => ({
  id,
  type,
  createdAt: created_at,
  position: positioned.get(id)?.position ?? 0,
})
