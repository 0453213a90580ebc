import type { CreatePipeline, contract, Handlers } from '@ars/contract'
import type { Ctx } from '../../ctx.ts'
import type { Replays } from '../../replay.ts'
import { requireWholeOrganisation } from '../../whole-organisation.ts'
import type { PipelineService } from './pipeline.service.ts'

/**
 * A pipeline can name every agent of the organisation, and its definition says what other agents are asked. So a credential for a part
 * of the organisation neither reads nor changes one: it cannot name an agent outside of its list either. It can start a pipeline run,
 * whose steps are then refused at the agents that the credential may not use.
 */
const whole = (ctx: Ctx): Ctx => {
  requireWholeOrganisation(ctx)
  return ctx
}

export const pipelineApi = (pipelines: PipelineService): Handlers<(typeof contract)['pipelines'], Ctx> => ({
  list: async (ctx, page) => pipelines.list(whole(ctx), page),
  create: async (ctx, body) => pipelines.create(whole(ctx), body),
  check: async (ctx, body) => pipelines.check(whole(ctx), body),
  get: async (ctx, { id }) => pipelines.get(whole(ctx), id),
  update: async (ctx, body) => pipelines.update(whole(ctx), body),
  archive: async (ctx, { id }) => pipelines.archive(whole(ctx), id),
  unarchive: async (ctx, { id }) => pipelines.unarchive(whole(ctx), id),
  versions: async (ctx, page) => pipelines.versions(whole(ctx), page),
  version: async (ctx, asked) => pipelines.version(whole(ctx), asked),
  diff: async (ctx, asked) => pipelines.diff(whole(ctx), asked),
})

/** The responses to repeated requests. */
export const pipelineReplays = (pipelines: PipelineService): Replays => ({
  'pipelines.create': async (ctx, body: CreatePipeline) => pipelines.findReplay(whole(ctx), body),
})
