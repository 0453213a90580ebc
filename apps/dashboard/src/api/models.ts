import type { Model } from '@agent-run-service/sdk'
import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

const maxModels = 500

/** The models that agents can use, at most 500. */
export const modelsQuery = queryOptions({
  queryKey: ['models', 'list'],
  queryFn: async (): Promise<readonly Model[]> => {
    const models: Model[] = []
    for await (const model of client.models.list({ limit: 100 })) {
      models.push(model)
      if (models.length >= maxModels) break
    }
    return models
  },
  staleTime: 300_000,
})
