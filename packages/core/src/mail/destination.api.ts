import type { contract, Handlers } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import type { DestinationService } from './destination.service.ts'

export const destinationApi = (destinations: DestinationService): Handlers<typeof contract.alertDestinations, Ctx> => ({
  list: (ctx, page) => destinations.list(ctx, page),
  create: (ctx, body) => destinations.create(ctx, body),
  delete: (ctx, { id }) => destinations.delete(ctx, id),
})
