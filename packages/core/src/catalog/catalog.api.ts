import type { contract, Handlers } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import { toList } from '../page.ts'
import type { CatalogService } from './catalog.service.ts'
import { toWireCatalogAgent } from './catalog.ts'

/** The same for every organisation: the operator decides what can be hired. */
export const catalogApi = (catalog: CatalogService): Handlers<typeof contract.catalog, Ctx> => ({
  list: async (_ctx, page) => toList(catalog.list(page).map(toWireCatalogAgent), page),
  get: async (_ctx, { key }) => toWireCatalogAgent(catalog.get(key)),
})
