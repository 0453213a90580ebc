import type { CreatePipeline, contract, Handlers } from '@ars/contract'
import type { Ctx } from '../../ctx.ts'
import type { Replays } from '../../replay.ts'
import type { PipelineService } from './pipeline.service.ts'

export const pipelineApi = (pipelines: PipelineService): Handlers<(typeof contract)['pipelines'], Ctx> => ({
  list: (ctx, page) => pipelines.list(ctx, page),
  create: (ctx, body) => pipelines.create(ctx, body),
  check: (ctx, body) => pipelines.check(ctx, body),
  get: (ctx, { id }) => pipelines.get(ctx, id),
  update: (ctx, body) => pipelines.update(ctx, body),
  archive: (ctx, { id }) => pipelines.archive(ctx, id),
  unarchive: (ctx, { id }) => pipelines.unarchive(ctx, id),
  versions: (ctx, page) => pipelines.versions(ctx, page),
  version: (ctx, asked) => pipelines.version(ctx, asked),
  diff: (ctx, asked) => pipelines.diff(ctx, asked),
})

/** The responses to repeated requests. */
export const pipelineReplays = (pipelines: PipelineService): Replays => ({
  'pipelines.create': (ctx, body: CreatePipeline) => pipelines.findReplay(ctx, body),
})
