import { Answer, type contract, type Handlers } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import type { ActionService } from './action.service.ts'
import type { CancelService } from './cancel.service.ts'
import type { RunService } from './run.service.ts'
import type { StreamService } from './stream.service.ts'
import type { ViewService } from './view.service.ts'

export const runApi = ({
  runs,
  streams,
  actions,
  cancels,
  views,
}: {
  runs: RunService
  streams: StreamService
  actions: ActionService
  cancels: CancelService
  views: ViewService
}): Handlers<typeof contract.runs, Ctx> => ({
  create: (ctx, body) => runs.create(ctx, body),
  stream: (ctx, body) => streams.begin(ctx, () => runs.accept(ctx, body)),
  list: (ctx, page) => runs.list(ctx, page),
  get: (ctx, { id }) => runs.get(ctx, id),
  watch: (ctx, { id, after }) => streams.watch(ctx, id, after),
  steps: async (ctx, { id }) => {
    const data = await views.steps(ctx, id)
    return { object: 'list', data, has_more: false, first_id: null, last_id: null }
  },
  diagnose: (ctx, { id }) => views.diagnosis(ctx, id),
  act: async (ctx, action) => {
    const { run, replayed } = await actions.act(ctx, action)
    const headers = { location: `/v2/runs/${run.id}`, 'x-run-id': run.id }
    return new Answer(run, { headers: { ...headers, ...(replayed ? { 'idempotency-replayed': 'true' } : {}) } })
  },
  cancel: (ctx, { id }) => cancels.cancel(ctx, id),
  erase: (ctx, { id }) => runs.erase(ctx, id),
})
