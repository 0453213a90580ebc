import type { contract, Handlers } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import { toList } from '../page.ts'
import type { ModelList } from './model-list.service.ts'
import type { ProviderKeyService } from './provider-key.service.ts'

/** Those of the operator, and those of vendors of which the organisation has a key. */
export const modelApi = (
  models: ModelList,
  keys: Pick<ProviderKeyService, 'providersOf'>,
): Handlers<typeof contract.models, Ctx> => ({
  list: async ({ org }, page) => toList(models.withKeysOf(await keys.providersOf(org)).list(page), page),
})
