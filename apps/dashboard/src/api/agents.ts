import type { Agent } from '@agent-run-service/sdk'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { client } from './client.ts'

const maxAgents = 1_000

/** The agents of the organisation for names and choices, newest first, at most 1,000. */
export const agentNamesQuery = queryOptions({
  queryKey: ['agents', 'names'],
  queryFn: async (): Promise<readonly Agent[]> => {
    const agents: Agent[] = []
    for await (const agent of client.agents.list({ limit: 100 })) {
      agents.push(agent)
      if (agents.length >= maxAgents) break
    }
    return agents
  },
  staleTime: 60_000,
})

export const agentQuery = (id: string) =>
  queryOptions({ queryKey: ['agents', id], queryFn: async () => client.agents.get(id) })

/** The name of an agent by its id; the id itself until it is known. */
export const useAgentName = (): ((id: string) => string) => {
  const { data = [] } = useQuery(agentNamesQuery)
  return (id) => data.find((agent) => agent.id === id)?.name ?? id
}
