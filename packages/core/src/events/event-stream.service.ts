import { EventId, EventStream, type EventType, type StreamSink } from '@ars/contract'
import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import { fromUuid, toUuid, uuidFloor } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import type { Wakeups } from '@ars/platform/redis/redis'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { createTurns } from '../turns.ts'
import type { Telling } from './envelope.service.ts'
import { type EventRow, encodeFrame } from './event.ts'
import { createEventChannel, type EventChannel, type EventFilter, type EventPiece } from './event-channel.service.ts'
import { createEventFeed } from './event-feed.service.ts'
import { findLastPlace, findPlace, findPlaceSince, listAfter, type Place, type PlacedRow } from './event-place.store.ts'

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
  system: Database
  wakeups: Wakeups
  clock: Clock
  log: Log
  tellAll(org: string, rows: readonly EventRow[], bytesMost: number): Promise<Telling>
}

// A page is bounded by rows and by bytes; only one event that is larger than the bound comes whole.
const pageRowsMost = 200
const pageBytesMost = 131_072
/** Organisations that are read for at once. The others wait here, where it costs nothing, and not in the pool. */
const readsAtOnceMost = 4

/** The readers of an organisation, and the subscription that they share for as long as one of them holds it. */
type Shared = { channel: EventChannel; watching: Promise<() => void>; holds: number; release(): void }

export const createEventStreams = (deps: Deps): EventStreams => {
  const { app, clock } = deps
  const feed = createEventFeed(deps)
  const shared = new Map<string, Shared>()
  const inTurn = createTurns(readsAtOnceMost)

  const read = async (org: string, after: Place, types: readonly EventType[] | null): Promise<EventPiece> => {
    const asked = { after, types, most: pageRowsMost, bytesMost: pageBytesMost }
    const { rows, last, isComplete } = await listAfter(app, org, asked)
    const { told, isCut } = await deps.tellAll(org, rows, pageBytesMost)
    const placed = new Map(rows.map((row) => [row.id, row]))
    const frames = told.map((one) => ({ ...placeOf(placed, one.row), text: encodeFrame(one) }))
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
      read: (after, types) => inTurn(() => read(org, after, types)),
      onDetach: release,
      log: deps.log,
    })
    const made: Shared = { channel, watching: feed.watch(org, channel.hear), holds: 1, release }
    shared.set(org, made)
    return made
  }

  const beginOf = async (org: string, { after, since }: { after: string | null; since: Date | null }) => {
    const end = (await findLastPlace(app, org)) ?? { position: 0, id: uuidFloor(clock.now()) }
    if (after !== null) {
      const found = await findPlace(app, org, after)
      if (!found) throw new Fault('not_found', `No event ${fromUuid('evt', after)}`)
      const { position, id } = found
      // One that has no place yet will get one behind all that have: the stream begins there, and leaves it out.
      return position === null ? { after: end, end, except: after } : { after: { position, id }, end, except: null }
    }
    const first = since && (await findPlaceSince(app, org, since))
    return { after: first ?? end, end, except: null }
  }

  return {
    watch: async ({ org, lastEventId }, asked) => {
      const since = asked.since === undefined ? null : new Date(asked.since)
      const after = resumeAfter(lastEventId) ?? asked.after
      const held = hold(org)
      try {
        // Whoever watches subscribes first, then reads: what comes in between is then heard.
        await held.watching
        const { except, ...begin } = await beginOf(org, { after: after === undefined ? null : toUuid(after), since })
        const filter: EventFilter = { types: asked.type ? new Set(asked.type) : null, since, except }
        const attach = (sink: StreamSink): (() => void) => {
          // A stream that begins now says where that is, so that one that breaks before its first event loses none.
          if (after === undefined && since === null && begin.end.position > 0) sink.write(placeLine(begin.end), 0)
          return held.channel.attach(sink, { ...begin, filter })
        }
        return new EventStream({}, attach, { isEndless: true })
      } catch (error) {
        held.release()
        throw error
      }
    },
    close: feed.close,
  }
}

/** The header wins: a client that reconnects repeats the address that it began with. */
const resumeAfter = (lastEventId: string | undefined): EventId | undefined => {
  if (lastEventId === undefined || lastEventId === '') return undefined
  const parsed = EventId.safeParse(lastEventId)
  if (parsed.success) return parsed.data
  throw new Fault('invalid_request', 'Last-Event-ID must be the id of an event, evt_…', { param: 'Last-Event-ID' })
}

/** By the rules of such streams it is no event: it only tells where to go on. */
const placeLine = ({ id }: Place): string => `id: ${fromUuid('evt', id)}\n\n`

const placeOf = (placed: ReadonlyMap<string, PlacedRow>, { id, type, created_at }: EventRow) => ({
  id,
  type,
  createdAt: created_at,
  position: placed.get(id)?.position ?? 0,
})
