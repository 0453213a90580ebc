import type {
  CreatePipelineRun,
  contract,
  Handlers,
  SendPipelineAction,
  PipelineItem as WirePipelineItem,
} from '@ars/contract'
import type { Ctx } from '../../ctx.ts'
import type { Replays } from '../../replay.ts'
import type { PipelineRunService, RerunPipeline } from './pipeline-run.service.ts'
import type { PipelineStreams } from './pipeline-stream.service.ts'

type Services = { runs: PipelineRunService; streams: Pick<PipelineStreams, 'watch'> }

export const pipelineRunApi = ({ runs, streams }: Services): Handlers<typeof contract.pipelineRuns, Ctx> => ({
  create: (ctx, body) => runs.create(ctx, body),
  list: (ctx, page) => runs.list(ctx, page),
  get: (ctx, { id }) => runs.get(ctx, id),
  watch: (ctx, { id }) => streams.watch(ctx, id),
  items: async (ctx, page) => toItemList(await runs.items(ctx, page)),
  diagnose: (ctx, { id }) => runs.diagnose(ctx, id),
  act: (ctx, action) => runs.act(ctx, action),
  cancel: (ctx, { id }) => runs.cancel(ctx, id),
  rerun: (ctx, body) => runs.rerun(ctx, body),
  erase: (ctx, { id }) => runs.erase(ctx, id),
})

/** The responses to repeated requests. */
export const pipelineRunReplays = (runs: PipelineRunService): Replays => ({
  'pipelineRuns.create': (ctx, body: CreatePipelineRun) => runs.findReplay(ctx, body),
  'pipelineRuns.rerun': (ctx, body: RerunPipeline) => runs.findReplay(ctx, body),
  'pipelineRuns.act': (ctx, action: SendPipelineAction) => runs.findActReplay(ctx, action),
})

/** The cursor of an item is its number. */
const toItemList = ({ items, hasMore }: { items: WirePipelineItem[]; hasMore: boolean }) => ({
  object: 'list' as const,
  data: items,
  has_more: hasMore,
  first_id: items[0] ? String(items[0].item) : null,
  last_id: items.length > 0 ? String(items.at(-1)?.item) : null,
})
