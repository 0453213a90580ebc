import type { contract, Handlers, TryPolicy } from '@ars/contract'
import type { Ctx } from '../../ctx.ts'
import type { Replays } from '../../replay.ts'
import { requireWholeOrganisation } from '../../whole-organisation.ts'
import type { TrialService } from './trial.service.ts'

/** A trial reads runs of every agent, and a policy concerns all of them. */
const whole = (ctx: Ctx): Ctx => {
  requireWholeOrganisation(ctx)
  return ctx
}

export const trialApi = (trials: TrialService): Handlers<typeof contract.policyTrials, Ctx> => ({
  create: async (ctx, body) => trials.create(whole(ctx), body),
  list: async (ctx, page) => trials.list(whole(ctx), page),
  get: async (ctx, ids) => trials.get(whole(ctx), ids),
  cancel: async (ctx, ids) => trials.cancel(whole(ctx), ids),
})

/** The responses to repeated requests. */
export const trialReplays = (trials: TrialService): Replays => ({
  'policyTrials.create': async (ctx, body: TryPolicy) => trials.findReplay(whole(ctx), body),
})
