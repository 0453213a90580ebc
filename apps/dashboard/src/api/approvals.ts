import type { Run } from '@agent-run-service/sdk'
import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { mayPoll } from './connection.ts'

const maxRuns = 300

/** The runs that wait for a person, newest first, at most 300. `api/live.ts` asks again when one more waits. */
export const approvalsQuery = queryOptions({
  queryKey: ['approvals'],
  queryFn: async (): Promise<{ runs: readonly Run[]; hasMore: boolean }> => {
    const runs: Run[] = []
    for await (const run of client.runs.list({ status: 'requires_action', view: 'summary', limit: 100 })) {
      if (runs.length >= maxRuns) return { runs, hasMore: true }
      runs.push(run)
    }
    return { runs, hasMore: false }
  },
  refetchInterval: () => (mayPoll() ? 10_000 : false),
})
