import type { contract, Handlers, TryPolicy } from '@ars/contract'
import type { Ctx } from '../../ctx.ts'
import type { Replays } from '../../replay.ts'
import type { TrialService } from './trial.service.ts'

export const trialApi = (trials: TrialService): Handlers<typeof contract.policyTrials, Ctx> => ({
  create: (ctx, body) => trials.create(ctx, body),
  list: (ctx, page) => trials.list(ctx, page),
  get: (ctx, ids) => trials.get(ctx, ids),
  cancel: (ctx, ids) => trials.cancel(ctx, ids),
})

/** The responses to repeated requests. */
export const trialReplays = (trials: TrialService): Replays => ({
  'policyTrials.create': (ctx, body: TryPolicy) => trials.findReplay(ctx, body),
})
