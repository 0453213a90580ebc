import { type CreateBatch, type contract, type Handlers, LineStream } from '@ars/contract'
import type { AllowedAgents } from '../agent-access.ts'
import type { Ctx } from '../ctx.ts'
import type { Replays } from '../replay.ts'
import type { BatchService } from './batch.service.ts'

type Things = { agents: AllowedAgents }

export const batchApi = (batches: BatchService): Handlers<typeof contract.batches, Ctx, Things> => ({
  create: (ctx, body) => batches.create(ctx, body),
  list: (ctx, page, within) => batches.list(ctx, page, within),
  get: (ctx, { id }, within) => batches.get(ctx, id, within),
  results: (ctx, page, within) => batches.results(ctx, page, within),
  export: async (ctx, { id }, within) =>
    new LineStream(
      { 'content-disposition': `attachment; filename="${id}.jsonl"` },
      await batches.export(ctx, id, within),
    ),
  cancel: (ctx, { id }, within) => batches.cancel(ctx, id, within),
  erase: (ctx, { id }, within) => batches.erase(ctx, id, within),
})

/** The responses to repeated requests. */
export const batchReplays = (batches: BatchService): Replays => ({
  'batches.create': (ctx, body: CreateBatch) => batches.findReplay(ctx, body),
})
