import type { contract, Handlers } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import type { ApiKeyService } from './api-key.service.ts'

export const apiKeyApi = (keys: ApiKeyService): Handlers<typeof contract.apiKeys, Ctx> => ({
  list: (ctx, page) => keys.list(ctx, page),
  create: (ctx, body) => keys.create(ctx, body),
  get: (ctx, { id }) => keys.get(ctx, id),
  update: (ctx, body) => keys.update(ctx, body),
  revoke: (ctx, { id, descendants }) => keys.revoke(ctx, id, { descendants: descendants === 'true' }),
  rotate: (ctx, { id }) => keys.rotate(ctx, id),
})
