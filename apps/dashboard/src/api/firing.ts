import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { mayPoll } from './connection.ts'

/** The alerts that fire now, newest first, at most 100. `api/live.ts` asks again when one more fires. */
export const firingQuery = queryOptions({
  queryKey: ['alerts', 'firing'],
  queryFn: async () => (await client.alerts.list({ status: 'firing', limit: 100 })).data,
  refetchInterval: () => (mayPoll() ? 60_000 : false),
})
