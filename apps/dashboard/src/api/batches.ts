import type { Batch, BatchesCreateParams, BatchesListParams } from '@agent-run-service/sdk'
import { queryOptions, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { apiAddress, client } from './client.ts'
import { mayPoll } from './connection.ts'
import { useFreshRows } from './fresh-rows.ts'
import { type List, useList } from './list.ts'

export const isBatchActive = ({ status }: { status: string }): boolean =>
  status === 'running' || status === 'cancelling'

export const useBatchList = (params: BatchesListParams): List<Batch> => {
  const list = useList({
    queryKey: ['batches', 'list', params],
    fetchPage: (cursor) => client.batches.list({ ...params, ...cursor }),
  })
  useFreshRows(list, {
    isMoving: (batch: Batch) => isBatchActive(batch),
    everyMs: 5_000,
    fetchFirst: () => client.batches.list({ ...params, limit: 100 }),
  })
  return list
}

/** Read every 2 s while the batch is active. */
export const batchQuery = (id: string) =>
  queryOptions({
    queryKey: ['batches', id],
    queryFn: async () => client.batches.get(id),
    refetchInterval: ({ state: { data } }) => (data && isBatchActive(data) && mayPoll() ? 2_000 : false),
  })

/** The results in the order of the items, 50 at a time. They are read again while the batch is active. */
export const useBatchResults = (id: string, isActive: boolean) =>
  useInfiniteQuery({
    queryKey: ['batches', id, 'results'],
    queryFn: async ({ pageParam }) =>
      (await client.batches.results(id, { limit: 50, ...(pageParam !== '' && { after: pageParam }) })).body,
    initialPageParam: '',
    getNextPageParam: (last) => (last.has_more ? last.last_id : null),
    refetchInterval: () => (isActive && mayPoll() ? 5_000 : false),
  })

/** The browser downloads it: a large file does not pass through the memory of the page. */
export const batchExportUrl = (id: string): string => `${apiAddress}/batches/${id}/export`

/** The changes of batches. Each makes the pages that show batches ask again. */
export const useBatchChanges = () => {
  const queryClient = useQueryClient()
  const afterwards = async (call: PromiseLike<Batch>): Promise<Batch> => {
    const batch = await call
    void queryClient.invalidateQueries({ queryKey: ['batches'] })
    return batch
  }
  return {
    create: (params: BatchesCreateParams) => afterwards(client.batches.create(params)),
    cancel: (id: string) => afterwards(client.batches.cancel(id)),
    erase: (id: string) => afterwards(client.batches.erase(id)),
  }
}
