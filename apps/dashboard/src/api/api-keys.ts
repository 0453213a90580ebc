import type { ApiKey, ApiKeysCreateParams, ApiKeysUpdateParams } from '@agent-run-service/sdk'
import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { client } from './client.ts'
import { collect } from './collect.ts'
import { mayPoll } from './connection.ts'
import { type List, useList } from './list.ts'

export const useApiKeyList = (): List<ApiKey> =>
  useList({ queryKey: ['api-keys', 'list'], fetchPage: (cursor) => client.apiKeys.list(cursor) })

/** `isWatched`: asks again every 10 s, while something may still use the key. */
export const apiKeyQuery = (id: string, isWatched = false) =>
  queryOptions({
    queryKey: ['api-keys', id],
    queryFn: async () => client.apiKeys.get(id),
    refetchInterval: () => (isWatched && mayPoll() ? 10_000 : false),
  })

const maxKeyNames = 1_000

/** The keys of the organisation for names and choices, newest first, at most 1,000. */
export const apiKeyNamesQuery = queryOptions({
  queryKey: ['api-keys', 'names'],
  queryFn: () => collect(client.apiKeys.list({ limit: 100 }), maxKeyNames),
  staleTime: 60_000,
})

const maxKeysShown = 100

/** The newest 100 keys that a key has created. */
export const keysBelowQuery = (id: string) =>
  queryOptions({
    queryKey: ['api-keys', id, 'below'],
    queryFn: async () => (await client.apiKeys.list({ created_by: id, limit: maxKeysShown })).data,
  })

/** The changes of keys. Each makes the lists and pages of keys ask again. */
export const useApiKeyChanges = () => {
  const queryClient = useQueryClient()
  const afterwards = async <Answer>(call: PromiseLike<Answer>): Promise<Answer> => {
    const answer = await call
    void queryClient.invalidateQueries({ queryKey: ['api-keys'] })
    return answer
  }
  return {
    create: (params: ApiKeysCreateParams) => afterwards(client.apiKeys.create(params)),
    update: (id: string, params: ApiKeysUpdateParams) => afterwards(client.apiKeys.update(id, params)),
    rotate: (id: string) => afterwards(client.apiKeys.rotate(id)),
    revoke: (id: string, withDescendants: boolean) =>
      afterwards(client.apiKeys.revoke(id, { descendants: withDescendants ? 'true' : 'false' })),
  }
}
