import type { contract, Handlers } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import { requireWholeOrganisation } from '../whole-organisation.ts'
import type { DestinationService } from './destination.service.ts'

/** Alerts of all agents are posted there, so each operation needs access to the whole organisation. */
export const destinationApi = (destinations: DestinationService): Handlers<typeof contract.alertDestinations, Ctx> => ({
  list: async (ctx, page) => {
    requireWholeOrganisation(ctx)
    return destinations.list(ctx, page)
  },
  create: async (ctx, body) => {
    requireWholeOrganisation(ctx)
    return destinations.create(ctx, body)
  },
  delete: async (ctx, { id }) => {
    requireWholeOrganisation(ctx)
    return destinations.delete(ctx, id)
  },
})
