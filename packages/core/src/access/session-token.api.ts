import type { contract, Handlers, RunId } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import type { SessionTokenService } from './session-token.service.ts'

/** `getRun` refuses a run that the caller may not touch: a token must not see more than its creator. */
export const sessionTokenApi = (
  tokens: SessionTokenService,
  getRun: (ctx: Ctx, id: RunId) => Promise<unknown>,
): Handlers<typeof contract.sessionTokens, Ctx> => ({
  create: async (ctx, body) => {
    if (body.run_id !== undefined) await getRun(ctx, body.run_id)
    return tokens.create(ctx, body)
  },
})
