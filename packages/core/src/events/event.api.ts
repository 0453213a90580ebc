import type { contract, Handlers } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import { requireWholeOrganisation } from '../whole-organisation.ts'
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
    list: whole((ctx, page) => events.list(ctx, page)),
    get: whole((ctx, { id }) => events.get(ctx, id)),
    watch: whole((ctx, asked) => events.watch(ctx, asked)),
  }
}
