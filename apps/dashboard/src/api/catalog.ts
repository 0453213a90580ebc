import type { CatalogAgent } from '@agent-run-service/sdk'
import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { type List, useList } from './list.ts'

export const catalogEntryQuery = (key: string) =>
  queryOptions({
    queryKey: ['catalog', key],
    queryFn: async () => client.catalog.get(key),
    staleTime: 300_000,
  })

export const useCatalogList = (q: string | undefined): List<CatalogAgent> =>
  useList({
    queryKey: ['catalog', 'list', { q }],
    fetchPage: (cursor) => client.catalog.list({ ...(q !== undefined && { q }), ...cursor }),
    isFresh: false,
  })
