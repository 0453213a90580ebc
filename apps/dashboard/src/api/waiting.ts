import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { mayPoll } from './connection.ts'

/** How many runs wait for a decision, counted up to 100. `api/live.ts` asks again when one more waits. */
export const waitingCountQuery = queryOptions({
  queryKey: ['runs', 'waiting-count'],
  queryFn: async () => (await client.runs.list({ status: 'requires_action', view: 'summary', limit: 100 })).data.length,
  refetchInterval: () => (mayPoll() ? 60_000 : false),
})
