import type {
  Schedule,
  ScheduleFiring,
  SchedulesCreateParams,
  SchedulesListParams,
  SchedulesUpdateParams,
} from '@agent-run-service/sdk'
import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { client } from './client.ts'
import { mayPoll } from './connection.ts'
import { useFreshRows } from './fresh-rows.ts'
import { type List, useList } from './list.ts'

export const useScheduleList = (params: SchedulesListParams): List<Schedule> =>
  useList({
    queryKey: ['schedules', 'list', params],
    fetchPage: (cursor) => client.schedules.list({ ...params, ...cursor }),
  })

export const scheduleQuery = (id: string) =>
  queryOptions({
    queryKey: ['schedules', id],
    queryFn: async () => client.schedules.get(id),
    refetchInterval: () => (mayPoll() ? 30_000 : false),
  })

export const lastFiringQuery = (id: string) =>
  queryOptions({
    queryKey: ['schedules', id, 'last-firing'],
    queryFn: async () => (await client.schedules.firings(id, { limit: 1 })).data[0] ?? null,
    staleTime: 30_000,
  })

const firingsPageSize = 50

export const useFiringList = (id: string): List<ScheduleFiring> => {
  const list = useList({
    queryKey: ['schedules', id, 'firings'],
    fetchPage: (cursor) => client.schedules.firings(id, cursor),
    pageSize: firingsPageSize,
  })
  useFreshRows(list, {
    isMoving: ({ status }) => status === 'due' || status === 'queued',
    everyMs: 2_000,
    fetchFirst: () => client.schedules.firings(id, { limit: firingsPageSize }),
  })
  return list
}

/** The changes of schedules. Each makes the pages that show schedules ask again. */
export const useScheduleChanges = () => {
  const queryClient = useQueryClient()
  const afterwards = async <Answer>(call: PromiseLike<Answer>): Promise<Answer> => {
    const answer = await call
    void queryClient.invalidateQueries({ queryKey: ['schedules'] })
    return answer
  }
  return {
    create: (params: SchedulesCreateParams) => afterwards(client.schedules.create(params)),
    update: (id: string, params: SchedulesUpdateParams) => afterwards(client.schedules.update(id, params)),
    /** Its page still shows it: that one is not asked again. */
    remove: async (id: string) => {
      await client.schedules.delete(id)
      void queryClient.invalidateQueries({ queryKey: ['schedules', 'list'] })
    },
    pause: (id: string) => afterwards(client.schedules.pause(id)),
    resume: (id: string) => afterwards(client.schedules.resume(id)),
    run: (id: string) => afterwards(client.schedules.run(id)),
  }
}
