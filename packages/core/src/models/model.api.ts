import type { contract, Handlers } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import { toList } from '../page.ts'
import type { ModelList } from './model-list.service.ts'

/** The same for every organisation: the operator configures the models. */
export const modelApi = (models: ModelList): Handlers<typeof contract.models, Ctx> => ({
  list: async (_ctx, page) => toList(models.list(page), page),
})
