import type { CreateBatch, contract, Handlers } from '@ars/contract'
import type { AllowedAgents } from '../agent-access.ts'
import type { Ctx } from '../ctx.ts'
import type { Replays } from '../replay.ts'
import type { BatchService } from './batch.service.ts'

type Things = { agents: AllowedAgents }
type Operations = Omit<(typeof contract)['batches'], 'export'>

/** `export` responds with lines and not with JSON, so the gateway needs a separate route for `BatchService.export`. */
export const batchApi = (batches: BatchService): Handlers<Operations, Ctx, Things> => ({
  create: (ctx, body) => batches.create(ctx, body),
  list: (ctx, page, within) => batches.list(ctx, page, within),
  get: (ctx, { id }, within) => batches.get(ctx, id, within),
  results: (ctx, page, within) => batches.results(ctx, page, within),
  cancel: (ctx, { id }, within) => batches.cancel(ctx, id, within),
  erase: (ctx, { id }, within) => batches.erase(ctx, id, within),
})

/** The responses to repeated requests. */
export const batchReplays = (batches: BatchService): Replays => ({
  'batches.create': ((ctx: Ctx, body: CreateBatch) => batches.findReplay(ctx, body)) as Replays[string],
})
