import type { PipelineRun, PipelineRunsCreateParams, PipelineRunsListParams } from '@agent-run-service/sdk'
import { queryOptions, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { client } from './client.ts'
import { mayPoll } from './connection.ts'
import { useFreshRows } from './fresh-rows.ts'
import { type List, useList } from './list.ts'
import { hasEnded } from './runs.ts'

const pageSize = 50

export const usePipelineRunList = (params: PipelineRunsListParams): List<PipelineRun> => {
  const list = useList({
    queryKey: ['pipeline-runs', 'list', params],
    fetchPage: (cursor) => client.pipelineRuns.list({ ...params, ...cursor }),
    pageSize,
  })
  // Without the filter by status, so that a row that has ended is found too.
  const { status: _, ...others } = params
  useFreshRows(list, {
    isMoving: (run) => !hasEnded(run),
    everyMs: 5_000,
    fetchFirst: () => client.pipelineRuns.list({ ...others, limit: pageSize }),
  })
  return list
}

export const pipelineRunQuery = (id: string) =>
  queryOptions({ queryKey: ['pipeline-runs', id], queryFn: async () => client.pipelineRuns.get(id) })

/** The last pipeline runs of a pipeline. */
export const runsOfPipelineQuery = (id: string) =>
  queryOptions({
    queryKey: ['pipeline-runs', 'of-pipeline', id],
    queryFn: async () => (await client.pipelineRuns.list({ pipeline_id: id, limit: 10 })).data,
    refetchInterval: () => (mayPoll() ? 15_000 : false),
  })

/** Pipeline runs that are asked one by one, because a list does not say their questions. */
const maxAsked = 20

/** The newest active pipeline runs whose approval steps ask a person. Questions of runs are in the list of approvals itself. */
export const askingPipelineRunsQuery = queryOptions({
  queryKey: ['pipeline-runs', 'asking'],
  queryFn: async () => {
    const { data } = await client.pipelineRuns.list({ status: ['running'], limit: 100 })
    const found = data.filter(mayAsk).slice(0, maxAsked)
    const asked = await Promise.all(found.map(async ({ id }) => client.pipelineRuns.get(id)))
    return asked.filter(({ required_actions }) => required_actions.some(({ run_id }) => run_id === null))
  },
  refetchInterval: () => (mayPoll() ? 30_000 : false),
})

/** An approval step runs and has no run. */
const mayAsk = ({ steps }: PipelineRun): boolean =>
  steps.some(({ status, run_id, items }) => status === 'running' && run_id === null && items.total <= 1)

export const pipelineDiagnosisQuery = (id: string) =>
  queryOptions({
    queryKey: ['pipeline-runs', id, 'diagnosis'],
    queryFn: async () => client.pipelineRuns.diagnose(id),
    staleTime: 0,
    refetchInterval: () => (mayPoll() ? 10_000 : false),
  })

/** The items of a step in the order of its list, 50 at a time. They are read again while the step runs. */
export const usePipelineItems = (id: string, step: string, isActive: boolean) =>
  useInfiniteQuery({
    queryKey: ['pipeline-runs', id, 'items', step],
    queryFn: async ({ pageParam }) =>
      (await client.pipelineRuns.items(id, step, { limit: 50, ...(pageParam >= 0 && { after: pageParam }) })).body,
    initialPageParam: -1,
    getNextPageParam: (last) => (last.has_more ? last.data.at(-1)?.item : null),
    refetchInterval: () => (isActive && mayPoll() ? 3_000 : false),
  })

/** The changes of pipeline runs. Each makes the pages that show them ask again. */
export const usePipelineRunChanges = () => {
  const queryClient = useQueryClient()
  const keep = async (call: PromiseLike<PipelineRun>): Promise<PipelineRun> => {
    const run = await call
    queryClient.setQueryData(pipelineRunQuery(run.id).queryKey, run)
    void queryClient.invalidateQueries({ queryKey: ['pipeline-runs', 'list'] })
    void queryClient.invalidateQueries({ queryKey: ['pipeline-runs', 'of-pipeline'] })
    return run
  }
  return {
    start: (pipelineId: string, params: PipelineRunsCreateParams) =>
      keep(client.pipelineRuns.create(pipelineId, params)),
    act: (id: string, params: Parameters<typeof client.pipelineRuns.act>[1]) =>
      keep(client.pipelineRuns.act(id, params)),
    cancel: (id: string) => keep(client.pipelineRuns.cancel(id)),
    rerun: (id: string, fromStep: string) => keep(client.pipelineRuns.rerun(id, { from_step: fromStep })),
    erase: (id: string) => keep(client.pipelineRuns.erase(id)),
  }
}
