import type { RunShare } from '@agent-run-service/sdk'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { client } from './client.ts'

/** The links to a run that work. A run has at most 20. */
export const sharesQuery = (runId: string) =>
  queryOptions({
    queryKey: ['runs', runId, 'shares'],
    queryFn: async (): Promise<readonly RunShare[]> => (await client.runs.shares(runId, { limit: 100 })).data,
  })

export const useShareMutations = (runId: string) => {
  const queryClient = useQueryClient()
  const onSettled = () => queryClient.invalidateQueries({ queryKey: ['runs', runId, 'shares'] })
  return {
    create: useMutation({
      mutationFn: async (seconds: number) => client.runs.share(runId, { expires_in_seconds: seconds }),
      onSettled,
    }),
    revoke: useMutation({
      mutationFn: async (shareId: string) => client.runs.revokeShare(runId, shareId),
      onSettled,
    }),
  }
}
