import type { contract, Handlers } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import { toList } from '../page.ts'
import type { CatalogService } from './catalog.service.ts'
import { toWire } from './catalog.ts'

/** The same for every organisation: what can be hired is the operator's to say. */
export const catalogApi = (catalog: CatalogService): Handlers<typeof contract.catalog, Ctx> => ({
  list: async (_ctx, page) => toList(catalog.list(page).map(toWire), page),
  get: async (_ctx, { key }) => toWire(catalog.get(key)),
})
