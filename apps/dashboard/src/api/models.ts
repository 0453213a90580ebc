import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { collect } from './collect.ts'

const maxModels = 500

/** The models that agents can use, at most 500. */
export const modelsQuery = queryOptions({
  queryKey: ['models', 'list'],
  queryFn: () => collect(client.models.list({ limit: 100 }), maxModels),
  staleTime: 300_000,
})
