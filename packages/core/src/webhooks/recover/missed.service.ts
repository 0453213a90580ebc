import type { EventId, WebhookId, Event as WireEvent } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { fromUuid, toUuid } from '@ars/platform/id'
import type { EventService } from '../../events/index.ts'
import { Fault } from '../../fault.ts'
import { createdWithin, pageSize } from '../../page.ts'
import { webhooksBounds } from '../bounds.ts'
import { firstIdAfter, idsWithin, narrow } from '../webhook/id-window.ts'
import { findWebhook } from '../webhook/webhook.store.ts'
import { requireWebhook, type Webhook } from '../webhook/webhook.ts'
import { lookForMissed } from './missed.store.ts'
import type { Portion, Search } from './missed.ts'

export type MissedPage = {
  id: WebhookId
  limit?: number | undefined
  after?: EventId | undefined
  before?: EventId | undefined
  created_after?: string | undefined
  created_before?: string | undefined
}

/** Events that an endpoint never acknowledged, newest first. */
export type MissedService = (ctx: { org: string }, page: MissedPage) => Promise<MissedList>

export type MissedList = {
  object: 'list'
  data: WireEvent[]
  has_more: boolean
  first_id: string | null
  last_id: string | null
}

const portion = { events: 10_000, fitting: 1_000 } as const
/** How much one request searches. When more must be searched, the page ends early and says where to continue. */
const portionsPerPage = webhooksBounds.portionsSearched.count
/** An event may have many megabytes: a page that reaches this size ends early too. */
const pageBytes = webhooksBounds.missedPage.bytes
const eventsAtOnce = webhooksBounds.missedTogether.count

type Deps = {
  app: Database
  events: Pick<EventService, 'envelopesOf'>
}

export const createMissed = ({ app, events }: Deps): MissedService => {
  const get = async (org: string, id: WebhookId): Promise<Webhook> =>
    requireWebhook(await findWebhook(app, org, toUuid(id)), id)

  /** Ids in the order of the page, one beyond its size if there is one; `next` is where the search stopped. */
  const search = async (org: string, asked: Search, page: { order: Portion['order']; size: number }) => {
    const found: string[] = []
    let { ids } = asked
    for (let n = 0; n < portionsPerPage; n++) {
      const { missed, next } = await lookForMissed(app, org, { ...asked, ids }, { order: page.order, ...portion })
      found.push(...missed.map(({ id }) => id))
      if (next === null || found.length > page.size) return { found, next: null }
      ids = page.order === 'oldest first' ? { ...ids, from: next } : { ...ids, to: next }
    }
    return { found, next: page.order === 'oldest first' ? ids.from : ids.to }
  }

  /** As many of them as fit into a page, in their order. */
  const read = async (org: string, ids: readonly string[]): Promise<{ data: WireEvent[]; isCut: boolean }> => {
    const data: WireEvent[] = []
    let bytes = 0
    for (let at = 0; at < ids.length; at += eventsAtOnce) {
      const some = ids.slice(at, at + eventsAtOnce)
      const envelopes = await events.envelopesOf(org, some)
      // A missing one was dropped with its day a moment ago.
      for (const event of some.map((id) => envelopes.get(id)).filter((found) => found !== undefined)) {
        bytes += Buffer.byteLength(JSON.stringify(event))
        if (bytes > pageBytes && data.length > 0) return { data, isCut: true }
        data.push(event)
      }
    }
    return { data, isCut: false }
  }

  return async ({ org }, page) => {
    const asked = searchOf(await get(org, page.id), page)
    const order = page.before === undefined ? 'newest first' : 'oldest first'
    const size = pageSize(page)
    const { found, next } = await search(org, asked, { order, size })
    const chosen = found.slice(0, size)
    const { data, isCut } = await read(org, chosen)
    const hasMore = isCut || found.length > size || next !== null
    // The search may have gone further than the last event of the page: the next page continues from there.
    const end =
      isCut || !hasMore ? data.at(-1)?.id : fromUuid('evt', (found.length > size ? chosen.at(-1) : next) ?? '')
    const shown = order === 'newest first' ? data : data.toReversed()
    return {
      object: 'list',
      data: shown,
      has_more: hasMore,
      first_id: (order === 'newest first' ? shown[0]?.id : end) ?? null,
      last_id: (order === 'newest first' ? end : shown.at(-1)?.id) ?? null,
    }
  }
}

/** The search for events that an endpoint missed between two times, since its creation. */
export const searchFor = (
  webhook: Pick<Webhook, 'id' | 'events' | 'created_at'>,
  { since, until }: { since: Date | null; until: Date | null },
): Search => ({
  webhookId: webhook.id,
  types: webhook.events,
  since: since !== null && since > webhook.created_at ? since : webhook.created_at,
  until,
  ids: narrow(idsWithin({ since, until }), { above: firstIdAfter(webhook), below: null }),
})

const searchOf = (webhook: Webhook, page: MissedPage): Search => {
  const { createdAfter: since, createdBefore: until } = createdWithin(page)
  const asked = searchFor(webhook, { since, until })
  const bounds = {
    above: page.before === undefined ? null : toUuid(page.before),
    below: page.after === undefined ? null : toUuid(page.after),
  }
  return { ...asked, ids: narrow(asked.ids, bounds) }
}

export const requireOrder = (since: Date | null, until: Date | null): void => {
  if (since === null || until === null || since <= until) return
  throw new Fault('input_invalid', 'until lies before since', { param: 'until' })
}
