import { Answer, type contract, type Handlers, type RunId, type Run as WireRun } from '@ars/contract'
import type { Reacher } from '../agents/index.ts'
import type { Ctx } from '../ctx.ts'
import type { Replays } from '../replay.ts'
import type { Acted, ActionService, SendAction } from './action.service.ts'
import type { CancelService } from './cancel.service.ts'
import type { CreateRun, RunService } from './run.service.ts'
import type { StreamService } from './stream.service.ts'
import type { ViewService } from './view.service.ts'

type Services = {
  runs: RunService
  streams: StreamService
  actions: ActionService
  cancels: CancelService
  views: ViewService
  /** Refuses a run that the caller may not touch. */
  checkReach(ctx: Reacher, id: RunId): Promise<void>
}

export const runApi = ({
  runs,
  streams,
  actions,
  cancels,
  views,
  checkReach,
}: Services): Handlers<typeof contract.runs, Ctx> => {
  /** Each operation on a run asks first whether the caller may touch it. */
  const within =
    <Input extends { id: RunId }, Result>(handle: (ctx: Ctx, input: Input) => Promise<Result>) =>
    async (ctx: Ctx, input: Input): Promise<Result> => {
      await checkReach(ctx, input.id)
      return handle(ctx, input)
    }
  return {
    create: (ctx, body) => runs.create(ctx, body),
    stream: (ctx, body) => streams.begin(ctx, () => runs.accept(ctx, body)),
    list: (ctx, page) => runs.list(ctx, page),
    get: within((ctx, { id }) => runs.get(ctx, id)),
    watch: within((ctx, { id, after }: { id: RunId; after?: number | undefined }) => streams.watch(ctx, id, after)),
    steps: within(async (ctx, { id }) => {
      const data = await views.steps(ctx, id)
      return { object: 'list', data, has_more: false, first_id: null, last_id: null }
    }),
    diagnose: within((ctx, { id }) => views.diagnosis(ctx, id)),
    act: within(async (ctx, action: SendAction) => toAnswer(await actions.act(ctx, action))),
    cancel: within((ctx, { id }) => cancels.cancel(ctx, id)),
    erase: within((ctx, { id }) => runs.erase(ctx, id)),
  }
}

/** What these requests are answered when they were made before. Nothing is created, and no call is counted. */
export const runReplays = ({ runs, streams, actions, checkReach }: Services): Replays => ({
  'runs.create': (ctx, body: CreateRun) => runs.findReplay(ctx, body),
  'runs.stream': async (ctx, body: CreateRun) => {
    const uuid = await runs.findReplayed(ctx, body)
    return uuid === null ? null : streams.begin(ctx, () => Promise.resolve({ uuid, replayed: true }))
  },
  'runs.act': async (ctx, action: SendAction) => {
    await checkReach(ctx, action.id)
    const acted = await actions.findReplay(ctx, action)
    return acted && toAnswer(acted)
  },
})

const toAnswer = ({ run, replayed }: Acted): Answer<WireRun> => {
  const headers = { location: `/v2/runs/${run.id}`, 'x-run-id': run.id }
  return new Answer(run, { headers: { ...headers, ...(replayed ? { 'idempotency-replayed': 'true' } : {}) } })
}
