import type { contract, Handlers } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import type { SessionTokenService, TokenRun } from './session-token.service.ts'

/** A token must not see more than its creator, so the gateway resolves its run under the access of the creator. */
export const sessionTokenApi = (
  tokens: SessionTokenService,
): Handlers<typeof contract.sessionTokens, Ctx, { run: TokenRun }> => ({
  create: (ctx, body, run) => tokens.create(ctx, body, run),
})
