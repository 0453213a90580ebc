import type { Run } from '@agent-run-service/sdk'
import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { mayPoll } from './connection.ts'

const pollMs = 30_000
const poll = () => (mayPoll() ? pollMs : false)

/** The newest failed runs of the last 24 hours, at most 100. */
export const failuresQuery = queryOptions({
  queryKey: ['home', 'failures'],
  queryFn: async (): Promise<readonly Run[]> => {
    const since = new Date(Date.now() - 86_400_000).toISOString()
    return (await client.runs.list({ status: 'failed', created_after: since, view: 'summary', limit: 100 })).data
  },
  refetchInterval: poll,
})

export const waitingRunsQuery = queryOptions({
  queryKey: ['home', 'waiting'],
  queryFn: async () => (await client.runs.list({ status: 'requires_action', view: 'summary', limit: 10 })).data,
  refetchInterval: poll,
})

export const canariesQuery = queryOptions({
  queryKey: ['deployments', 'canaries'],
  queryFn: async () => (await client.deployments.list({ status: 'canary', limit: 20 })).data,
  refetchInterval: poll,
})

/** Webhooks that fail or were disabled. */
export const brokenWebhooksQuery = queryOptions({
  queryKey: ['webhooks', 'broken'],
  queryFn: async () =>
    (await client.webhooks.list({ limit: 100 })).data.filter(
      ({ status, failing_since }) => failing_since !== null || status === 'disabled',
    ),
  refetchInterval: poll,
})

export const newestRunQuery = queryOptions({
  queryKey: ['home', 'newest'],
  queryFn: async () => (await client.runs.list({ view: 'summary', limit: 1 })).data[0] ?? null,
  refetchInterval: poll,
})

/** Whether any API key has been used. The first steps end with it. */
export const usedKeyQuery = queryOptions({
  queryKey: ['api-keys', 'used'],
  queryFn: async () =>
    (await client.apiKeys.list({ limit: 100 })).data.some(({ last_used_at }) => last_used_at !== null),
})
