import { type contract, type EventType, type Handlers, isEventType, subscribable } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import { holdsRuns, requireRuns, requireWholeOrganisation, seesRuns } from '../whole-organisation.ts'
import type { EventService } from './event.service.ts'

export const eventApi = (events: EventService): Handlers<typeof contract.events, Ctx> => {
  /** Events describe everything in the organisation, so each operation requires access to all of it. */
  const whole =
    <Input, Result>(handle: (ctx: Ctx, input: Input) => Promise<Result>) =>
    async (ctx: Ctx, input: Input): Promise<Result> => {
      requireWholeOrganisation(ctx)
      return handle(ctx, input)
    }
  return {
    list: whole((ctx, page) => events.list(ctx, { ...page, type: visibleTypes(ctx, page.type) })),
    get: whole(async (ctx, { id }) => {
      const event = await events.get(ctx, id)
      if (holdsRuns(event.type)) requireRuns(ctx)
      return event
    }),
    watch: whole((ctx, asked) => events.watch(ctx, { ...asked, type: visibleTypes(ctx, asked.type) })),
  }
}

/** Without a request for types, a caller that does not see runs gets all others. */
const visibleTypes = (ctx: Ctx, asked: readonly EventType[] | undefined): readonly EventType[] | undefined => {
  if (seesRuns(ctx)) return asked
  if (asked?.some(holdsRuns)) requireRuns(ctx)
  return asked ?? withoutRuns
}

const withoutRuns = subscribable.filter(isEventType).filter((type) => !holdsRuns(type))
