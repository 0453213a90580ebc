import type { SetProviderKey } from '@agent-run-service/sdk'
import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { client } from './client.ts'
import { collect } from './collect.ts'

const maxModels = 500

/** The models that agents can use, at most 500. */
export const modelsQuery = queryOptions({
  queryKey: ['models', 'list'],
  queryFn: () => collect(client.models.list({ limit: 100 }), maxModels),
  staleTime: 300_000,
})

/** The keys of vendors that the organisation has entered, at most one of each. */
export const providerKeysQuery = queryOptions({
  queryKey: ['provider-keys'],
  queryFn: async () => (await client.providerKeys.list({ limit: 100 })).data,
})

/** Afterwards the pages that show keys and models ask again. */
export const useProviderKeyChanges = () => {
  const queryClient = useQueryClient()
  const again = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: ['provider-keys'] }),
      queryClient.invalidateQueries({ queryKey: ['models'] }),
    ])
  return {
    set: async (provider: SetProviderKey['provider'], key: string): Promise<void> => {
      await client.providerKeys.set({ provider, key })
      await again()
    },
    remove: async (provider: SetProviderKey['provider']): Promise<void> => {
      await client.providerKeys.delete(provider)
      await again()
    },
  }
}
