import type { AnalyticsGetParams } from '@agent-run-service/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { absoluteTime } from '../ui/range.ts'
import { client } from './client.ts'
import { mayPoll } from './connection.ts'

/** Figures of a period. Relative times such as `-7d` become absolute at each request. */
export const analyticsQuery = (asked: Omit<AnalyticsGetParams, 'from' | 'to'> & { from: string; to?: string }) =>
  queryOptions({
    queryKey: ['analytics', asked],
    queryFn: async () => {
      const { from, to, ...rest } = asked
      const [after, before] = [from, to].map((each) => absoluteTime(each, Date.now()))
      return client.analytics.get({
        ...rest,
        ...(after !== undefined && { from: after }),
        ...(before !== undefined && { to: before }),
      })
    },
    // The figures stay on screen while those of other filters are loaded.
    placeholderData: keepPreviousData,
    refetchInterval: () => (asked.to === undefined && mayPoll() ? 60_000 : false),
  })
