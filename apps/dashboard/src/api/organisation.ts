import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

export const organisationQuery = queryOptions({
  queryKey: ['organisation'],
  queryFn: async () => client.organisation.get(),
  staleTime: 60_000,
})
