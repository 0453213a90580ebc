import type { Deployment } from '@agent-run-service/sdk'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { client } from './client.ts'
import { mayPoll } from './connection.ts'
import { type List, useList } from './list.ts'

/** All canaries of the organisation, at most 100. */
export const canariesQuery = queryOptions({
  queryKey: ['deployments', 'canaries'],
  queryFn: async () => (await client.deployments.list({ status: 'canary', limit: 100 })).data,
  refetchInterval: () => (mayPoll() ? 60_000 : false),
})

/** The deployments of an agent that receive runs: the running version and at most one canary. */
export const openDeploymentsQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['deployments', 'open', agentId],
    queryFn: async () =>
      (await client.deployments.list({ agent_id: agentId, status: ['active', 'canary'], limit: 10 })).data,
    refetchInterval: () => (mayPoll() ? 15_000 : false),
  })

export const deploymentQuery = (id: string) =>
  queryOptions({
    queryKey: ['deployments', id],
    queryFn: async () => client.deployments.get(id),
    // A rule can roll a canary back at any time. The event says so at once; this is for people who may not see events.
    refetchInterval: ({ state }) => (state.data?.status === 'canary' && mayPoll() ? 10_000 : false),
  })

/** The figures of a canary move, the others are final. */
export const comparisonQuery = (id: string) =>
  queryOptions({
    queryKey: ['deployments', id, 'comparison'],
    queryFn: async () => client.deployments.compare(id),
    refetchInterval: ({ state }) => (state.data?.status === 'canary' && mayPoll() ? 10_000 : false),
  })

export const useDeploymentList = (agentId: string): List<Deployment> =>
  useList({
    queryKey: ['deployments', 'list', { agent_id: agentId }],
    fetchPage: (cursor) => client.deployments.list({ agent_id: agentId, ...cursor }),
  })

export const useDeploymentMutations = () => {
  const queryClient = useQueryClient()
  const onSuccess = async () => {
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: ['deployments'] }),
      queryClient.invalidateQueries({ queryKey: ['agents'] }),
    ])
  }
  return {
    promote: useMutation({ mutationFn: async (id: string) => client.deployments.promote(id), onSuccess }),
    changeShare: useMutation({
      mutationFn: async ({ id, percent }: { id: string; percent: number }) =>
        client.deployments.promote(id, { traffic_percent: percent }),
      onSuccess,
    }),
    rollBack: useMutation({
      mutationFn: async ({ id, reason }: { id: string; reason: string }) => client.deployments.rollback(id, { reason }),
      onSuccess,
    }),
  }
}
