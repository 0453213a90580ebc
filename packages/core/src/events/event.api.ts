import { contract, type EventType, type Handlers, isEventType, subscribable } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import { holdsRuns, requireStored, seesRuns } from '../whole-organisation.ts'
import type { EventService } from './event.service.ts'

export const eventApi = (events: EventService): Handlers<typeof contract.events, Ctx> => ({
  list: async (ctx, page) => events.list(ctx, { ...page, type: visibleTypes(ctx, page.type) }),
  get: async (ctx, { id }) => {
    const event = await events.get(ctx, id)
    if (holdsRuns(event.type)) requireStored(ctx, contract.events.get, 'event_of_run')
    return event
  },
  watch: async (ctx, asked) => events.watch(ctx, { ...asked, type: visibleTypes(ctx, asked.type) }),
})

/** Without a request for types, a caller that does not see runs gets all others. */
const visibleTypes = (ctx: Ctx, asked: readonly EventType[] | undefined): readonly EventType[] | undefined => {
  if (seesRuns(ctx)) return asked
  return asked ?? withoutRuns
}

const withoutRuns = subscribable.filter(isEventType).filter((type) => !holdsRuns(type))
