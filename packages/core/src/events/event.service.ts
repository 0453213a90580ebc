import type { Event, EventId, EventStream, EventType } from '@ars/contract'
import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import { toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { createdWithin, pageSize, toList } from '../page.ts'
import { eventsBounds } from './bounds.ts'
import { createEventRenderer, type Lookups } from './envelope.service.ts'
import { findEvent, readEvents } from './event.store.ts'
import { createBodies } from './event-body.service.ts'
import { listEvents } from './event-list.store.ts'
import { createEventStreams, type WatchEvents } from './event-stream.service.ts'
import type { HistoryWatch } from './history-watch.service.ts'

export type EventService = {
  /**
   * Newest first. A page is also bounded in bytes, so it may hold fewer events than requested while `has_more` is
   * true.
   */
  list(ctx: Pick<Ctx, 'org'>, page: ListEvents): Promise<ReturnType<typeof toList<Event>>>
  get(ctx: Pick<Ctx, 'org'>, id: EventId): Promise<Event>
  /** A stream of events from the position at which the caller stopped. */
  watch(ctx: Pick<Ctx, 'org' | 'lastEventId'>, asked: WatchEvents): Promise<EventStream>
  /**
   * Envelopes by event UUID, for all events that exist. One envelope may have many megabytes, so callers ask for few
   * at once.
   */
  envelopesOf(org: string, ids: readonly string[]): Promise<Map<string, Event>>
  /**
   * The exact bytes of an event, identical for every attempt. The first caller stores them. Null: the event, or the
   * run that it describes, is no longer kept.
   */
  bodyOf(org: string, id: string): Promise<string | null>
  close(): void
}

export type ListEvents = {
  limit?: number | undefined
  after?: EventId | undefined
  before?: EventId | undefined
  type?: readonly EventType[] | undefined
  created_after?: string | undefined
  created_before?: string | undefined
}

export type EventDeps = Lookups & {
  app: Database
  feedReads: Database
  pubSub: PubSub
  /** Undefined: nothing is streamed here. */
  history?: Pick<HistoryWatch, 'onWentBack' | 'onClosed'> | undefined
  /** Of looks into the database. Omitted: by whether notifications arrive. */
  lookEveryMs?: number
  clock: Clock
  log: Log
}

const maxPageBytes = eventsBounds.page.bytes

export const createEvents = (deps: EventDeps): EventService => {
  const { app, clock } = deps
  const renderAll = createEventRenderer(deps)
  const streams = createEventStreams({ ...deps, renderAll })

  return {
    list: async ({ org }, page) => {
      const size = pageSize(page)
      const found = await listEvents(app, org, { ...toBounds(page), limit: size + 1 }, clock.now())
      const { rendered, isCut } = await renderAll(org, found.rows.slice(0, size), maxPageBytes)
      const list = toList(
        rendered.map(({ event }) => event),
        page,
      )
      return { ...list, has_more: rendered.length > 0 && (found.isCut || isCut || found.rows.length > size) }
    },
    get: async ({ org }, id) => {
      const row = await findEvent(app, org, toUuid(id))
      const [one] = row ? (await renderAll(org, [row], maxPageBytes)).rendered : []
      if (!one) throw new Fault('not_found', `No event ${id}`)
      return one.event
    },
    watch: streams.watch,
    envelopesOf: async (org, ids) => {
      const { rendered } = await renderAll(org, await readEvents(app, org, ids), Number.POSITIVE_INFINITY)
      return new Map(rendered.map(({ row, event }) => [row.id, event]))
    },
    bodyOf: createBodies({ app, renderAll }),
    close: streams.close,
  }
}

const toBounds = (page: ListEvents) => ({
  after: page.after === undefined ? null : toUuid(page.after),
  before: page.before === undefined ? null : toUuid(page.before),
  types: page.type ?? null,
  ...createdWithin(page),
})
