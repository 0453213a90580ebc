import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { mayPoll } from './connection.ts'

/** Limits and usage of a month, such as `2026-11`; of this month without one. */
export const usageQuery = (month?: string) =>
  queryOptions({
    queryKey: ['usage', month ?? null],
    queryFn: async () => client.usage.get(month === undefined ? {} : { month }),
    refetchInterval: () => (month === undefined && mayPoll() ? 60_000 : false),
  })
