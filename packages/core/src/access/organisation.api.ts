import type { contract, Handlers } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import type { OrganisationDetailsService } from './organisation-details.service.ts'

export const organisationApi = (
  organisation: OrganisationDetailsService,
): Handlers<typeof contract.organisation, Ctx> => ({
  get: (ctx) => organisation.get(ctx),
  update: (ctx, body) => organisation.update(ctx, body),
})
