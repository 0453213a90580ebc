import type { contract, Handlers } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import type { RunService } from './run.service.ts'

export const runApi = (runs: RunService): Handlers<typeof contract.runs, Ctx> => ({
  create: (ctx, body) => runs.create(ctx, body),
  get: (ctx, { id }) => runs.get(ctx, id),
})
