import type { Connector, CreateConnector, UpdateConnector } from '@agent-run-service/sdk'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { client } from './client.ts'
import { type List, useList } from './list.ts'

/** All connectors of the organisation for choices: an organisation has at most 100. */
export const connectorNamesQuery = queryOptions({
  queryKey: ['connectors', 'names'],
  queryFn: async () => (await client.connectors.list({ limit: 100 })).data,
  staleTime: 60_000,
})

export const connectorQuery = (id: string) =>
  queryOptions({ queryKey: ['connectors', id], queryFn: async () => client.connectors.get(id) })

export const connectorToolsQuery = (id: string) =>
  queryOptions({
    queryKey: ['connectors', id, 'tools'],
    queryFn: async () => (await client.connectors.listTools(id)).data,
  })

export const useConnectorList = (): List<Connector> =>
  useList({ queryKey: ['connectors', 'list', {}], fetchPage: (cursor) => client.connectors.list({ ...cursor }) })

export const useConnectorMutations = () => {
  const queryClient = useQueryClient()
  const onSuccess = async () => queryClient.invalidateQueries({ queryKey: ['connectors'] })
  return {
    create: useMutation({ mutationFn: async (body: CreateConnector) => client.connectors.create(body), onSuccess }),
    update: useMutation({
      mutationFn: async ({ id, body }: { id: string; body: UpdateConnector }) => client.connectors.update(id, body),
      onSuccess,
    }),
    remove: useMutation({ mutationFn: async (id: string) => client.connectors.delete(id), onSuccess }),
    refresh: useMutation({ mutationFn: async (id: string) => client.connectors.refresh(id), onSuccess }),
    approve: useMutation({
      mutationFn: async ({ id, name, hash }: { id: string; name: string; hash: string }) =>
        client.connectors.approveTool(id, name, { hash }),
      onSuccess,
    }),
  }
}
