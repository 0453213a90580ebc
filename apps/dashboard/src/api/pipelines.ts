import type {
  Pipeline,
  PipelinesCreateParams,
  PipelinesListParams,
  PipelinesUpdateParams,
} from '@agent-run-service/sdk'
import { queryOptions, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMay } from '../session.ts'
import { client } from './client.ts'
import { collect } from './collect.ts'
import { type List, useList } from './list.ts'

/** As many as an organisation can have. */
const maxPipelines = 1_000

export const usePipelineList = (params: PipelinesListParams): List<Pipeline> =>
  useList({
    queryKey: ['pipelines', 'list', params],
    fetchPage: (cursor) => client.pipelines.list({ ...params, ...cursor }),
  })

export const pipelineQuery = (id: string) =>
  queryOptions({ queryKey: ['pipelines', id], queryFn: async () => client.pipelines.get(id) })

/** A version never changes. */
export const pipelineVersionQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: ['pipelines', id, 'versions', version],
    queryFn: async () => client.pipelines.version(id, version),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const pipelineDiffQuery = (id: string, from: number, to: number) =>
  queryOptions({
    queryKey: ['pipelines', id, 'diff', from, to],
    queryFn: async () => client.pipelines.diff(id, from, { to }),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** The pipelines of the organisation for names and choices, newest first. */
export const pipelineNamesQuery = queryOptions({
  queryKey: ['pipelines', 'names'],
  queryFn: () => collect(client.pipelines.list({ limit: 100 }), maxPipelines),
  staleTime: 60_000,
})

/** The name of a pipeline by its id; the id until it is known, and for people who may not see pipelines. */
export const usePipelineName = (): ((id: string) => string) => {
  const { data = [] } = useQuery({ ...pipelineNamesQuery, enabled: useMay('pipelines:read') })
  return (id) => data.find((pipeline) => pipeline.id === id)?.name ?? id
}

/** The versions of a pipeline, newest first, 50 at a time. */
export const usePipelineVersions = (id: string) =>
  useInfiniteQuery({
    queryKey: ['pipelines', id, 'versions'],
    queryFn: async ({ pageParam }) =>
      (await client.pipelines.versions(id, { limit: 50, ...(pageParam > 0 && { after: pageParam }) })).body,
    initialPageParam: 0,
    getNextPageParam: (last) => (last.has_more ? last.data.at(-1)?.version : null),
  })

/** The changes of pipelines. Each makes the pages that show pipelines ask again. */
export const usePipelineChanges = () => {
  const queryClient = useQueryClient()
  const afterwards = async <Answer>(call: PromiseLike<Answer>): Promise<Answer> => {
    const answer = await call
    void queryClient.invalidateQueries({ queryKey: ['pipelines'] })
    return answer
  }
  return {
    create: (params: PipelinesCreateParams) => afterwards(client.pipelines.create(params)),
    update: (id: string, params: PipelinesUpdateParams) => afterwards(client.pipelines.update(id, params)),
    archive: (id: string) => afterwards(client.pipelines.archive(id)),
    unarchive: (id: string) => afterwards(client.pipelines.unarchive(id)),
  }
}
