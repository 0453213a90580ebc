import type { contract, Handlers } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import type { SessionTokenService } from './session-token.service.ts'

export const sessionTokenApi = (tokens: SessionTokenService): Handlers<typeof contract.sessionTokens, Ctx> => ({
  create: (ctx, body) => tokens.create(ctx, body),
})
