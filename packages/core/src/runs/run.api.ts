import { Answer, type contract, type Handlers, type Run as WireRun } from '@ars/contract'
import type { RunShareService } from '../access/index.ts'
import type { AllowedAgents } from '../agent-access.ts'
import type { Ctx } from '../ctx.ts'
import type { Replays } from '../replay.ts'
import type { CreateRun, CreateRunService } from './accept/create-run.service.ts'
import type { Acted, ActionService, SendAction } from './control/action.service.ts'
import type { CancelService } from './control/cancel.service.ts'
import type { StreamService } from './feed/stream.service.ts'
import type { RunReader } from './read/run-reader.service.ts'
import type { ViewService } from './read/view.service.ts'
import type { AccessibleRun } from './run/accessible-run.ts'

type Services = {
  creation: CreateRunService
  reader: RunReader
  streams: StreamService
  actions: ActionService
  cancels: CancelService
  views: ViewService
  shares: RunShareService
}

type Things = { run: AccessibleRun; agents: AllowedAgents }

export const runApi = ({
  creation,
  reader,
  streams,
  actions,
  cancels,
  views,
  shares,
}: Services): Handlers<typeof contract.runs, Ctx, Things> => ({
  create: (ctx, body) => creation.create(ctx, body),
  stream: (ctx, body) => streams.begin(ctx, () => creation.accept(ctx, body)),
  list: (ctx, page, within) => reader.list(ctx, page, within),
  get: (ctx, _input, run) => reader.get(ctx, run),
  watch: (ctx, asked, run) => streams.watch(ctx, run, asked),
  steps: (ctx, page, run) => views.steps(ctx, page, run),
  diagnose: (ctx, _input, run) => views.diagnosis(ctx, run),
  held: (ctx, asked, run) => views.held(ctx, asked, run),
  act: async (ctx, action, run) => toAnswer(await actions.act(ctx, action, run)),
  cancel: (ctx, _input, run) => cancels.cancel(ctx, run),
  erase: (ctx, _input, run) => reader.erase(ctx, run),
  share: (ctx, asked, run) => shares.create(ctx, asked, run),
  shares: (ctx, page, run) => shares.list(ctx, page, run),
  revokeShare: (ctx, asked, run) => shares.revoke(ctx, asked, run),
})

/** What these requests are answered when they were made before. Nothing is created, and no call is counted. */
export const runReplays = ({ creation, streams, actions, shares }: Services): Replays => ({
  'runs.create': (ctx, body: CreateRun) => creation.findReplay(ctx, body),
  'runs.stream': async (ctx, body: CreateRun) => {
    const run = await creation.findReplayed(ctx, body)
    return run && streams.begin(ctx, () => Promise.resolve({ run, replayed: true }))
  },
  'runs.act': async (ctx, action: SendAction, run: AccessibleRun) => {
    const acted = await actions.findReplay(ctx, action, run)
    return acted && toAnswer(acted)
  },
  'runs.share': (ctx, asked: { expires_in_seconds?: number }, run: AccessibleRun) => shares.findReplay(ctx, asked, run),
})

const toAnswer = ({ run, replayed }: Acted): Answer<WireRun> => {
  const headers = { location: `/v2/runs/${run.id}`, 'x-run-id': run.id }
  return new Answer(run, { headers: { ...headers, ...(replayed ? { 'idempotency-replayed': 'true' } : {}) } })
}
