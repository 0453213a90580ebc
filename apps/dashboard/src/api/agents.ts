import type { Agent, AgentsListParams, CreateAgent, UpdateAgent } from '@agent-run-service/sdk'
import {
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useMemo } from 'react'
import { client } from './client.ts'
import { collect } from './collect.ts'
import { mayPoll } from './connection.ts'
import { type List, useList } from './list.ts'

const maxAgents = 1_000

/** The agents of the organisation for names and choices, newest first, at most 1,000. */
export const agentNamesQuery = queryOptions({
  queryKey: ['agents', 'names'],
  queryFn: () => collect(client.agents.list({ limit: 100 }), maxAgents),
  staleTime: 60_000,
})

export const agentQuery = (id: string) =>
  queryOptions({ queryKey: ['agents', id], queryFn: async () => client.agents.get(id) })

export const agentStatsQuery = (id: string) =>
  queryOptions({
    queryKey: ['agents', id, 'stats'],
    queryFn: async () => client.agents.stats(id),
    refetchInterval: () => (mayPoll() ? 15_000 : false),
  })

/** The last runs of an agent, without their payloads. */
export const agentRunsQuery = (id: string) =>
  queryOptions({
    queryKey: ['runs', 'of-agent', id],
    queryFn: async () => (await client.runs.list({ agent_id: id, view: 'summary', limit: 10 })).data,
    refetchInterval: () => (mayPoll() ? 15_000 : false),
  })

/** The messages that the model of an agent receives for an input, which is JSON. */
export const agentPromptQuery = (id: string, input: string) =>
  queryOptions({
    queryKey: ['agents', id, 'prompt', input],
    queryFn: async () => client.agents.prompt({ agent_id: id, input: JSON.parse(input) }),
    placeholderData: keepPreviousData,
    retry: false,
  })

export const agentDiffQuery = (id: string, from: number, to: number) =>
  queryOptions({
    queryKey: ['agents', id, 'diff', from, to],
    queryFn: async () => client.agents.diff(id, from, { to }),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** The name of an agent by its id; the id itself until it is known. */
export const useAgentName = (): ((id: string) => string) => {
  const { data } = useQuery(agentNamesQuery)
  return useMemo(() => {
    const names = new Map(data?.map(({ id, name }) => [id, name]))
    return (id) => names.get(id) ?? id
  }, [data])
}

export const useAgentList = (params: AgentsListParams): List<Agent> =>
  useList({
    queryKey: ['agents', 'list', params],
    fetchPage: (cursor) => client.agents.list({ ...params, ...cursor }),
  })

/** The versions of an agent, newest first, 50 at a time. A version has no id; its number is unique in the agent. */
export const useVersions = (id: string) =>
  useInfiniteQuery({
    queryKey: ['agents', id, 'versions'],
    queryFn: async ({ pageParam }) =>
      (await client.agents.versions(id, { limit: 50, ...(pageParam > 0 && { after: pageParam }) })).body,
    initialPageParam: 0,
    getNextPageParam: (last) => (last.has_more ? last.data.at(-1)?.version : null),
  })

/** After each of them, lists, names and the agent itself are read again. */
export const useAgentMutations = () => {
  const queryClient = useQueryClient()
  const onSuccess = async () => {
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: ['agents'] }),
      queryClient.invalidateQueries({ queryKey: ['deployments'] }),
    ])
  }
  return {
    create: useMutation({ mutationFn: async (body: CreateAgent) => client.agents.create(body), onSuccess }),
    update: useMutation({
      mutationFn: async ({ id, body }: { id: string; body: UpdateAgent }) => client.agents.update(id, body),
      onSuccess,
    }),
    archive: useMutation({ mutationFn: async (id: string) => client.agents.archive(id), onSuccess }),
    unarchive: useMutation({ mutationFn: async (id: string) => client.agents.unarchive(id), onSuccess }),
    rotateSecret: useMutation({
      mutationFn: async ({ id, hours }: { id: string; hours: number }) =>
        client.agents.rotateSigningSecret(id, { overlap_hours: hours }),
      onSuccess,
    }),
    hire: useMutation({
      mutationFn: async ({ key, name, tools }: { key: string; name: string; tools?: readonly string[] }) =>
        client.agents.hire(key, {
          name,
          ...(tools && { config: { tools: tools.map((connector_id) => ({ connector_id })) } }),
        }),
      onSuccess,
    }),
  }
}
