import type { contract, Handlers } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import type { ProviderKeyService } from './provider-key.service.ts'

export const providerKeyApi = (keys: ProviderKeyService): Handlers<typeof contract.providerKeys, Ctx> => ({
  list: (ctx, page) => keys.list(ctx, page),
  set: (ctx, body) => keys.set(ctx, body),
  delete: (ctx, { id }) => keys.delete(ctx, id),
})
