import type {
  Alert,
  AlertRulesCreateParams,
  AlertRulesPreviewParams,
  AlertRulesUpdateParams,
  AlertsListParams,
} from '@agent-run-service/sdk'
import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query'
import { client } from './client.ts'
import { collect } from './collect.ts'
import { mayPoll } from './connection.ts'
import { type List, useList } from './list.ts'

const pollMs = 15_000
const maxRules = 100

export const useAlertList = (params: Pick<AlertsListParams, 'status' | 'severity' | 'rule_id'>): List<Alert> =>
  useList({
    queryKey: ['alerts', 'list', params],
    fetchPage: (cursor) => client.alerts.list({ ...params, ...cursor }),
  })

export const alertQuery = (id: string) =>
  queryOptions({
    queryKey: ['alerts', id],
    queryFn: async () => client.alerts.get(id),
    refetchInterval: ({ state }) => (state.data?.status === 'firing' && mayPoll() ? pollMs : false),
  })

/** All rules of the organisation, newest first. It has at most 100. */
export const alertRulesQuery = queryOptions({
  queryKey: ['alert-rules', 'all'],
  queryFn: () => collect(client.alertRules.list({ limit: 100 }), maxRules),
  refetchInterval: () => (mayPoll() ? pollMs : false),
})

export const alertRuleQuery = (id: string) =>
  queryOptions({
    queryKey: ['alert-rules', id],
    queryFn: async () => client.alertRules.get(id),
    refetchInterval: () => (mayPoll() ? pollMs : false),
  })

/** The chat channels that are told of alerts. An organisation has at most 10. */
export const alertDestinationsQuery = queryOptions({
  queryKey: ['alert-destinations'],
  queryFn: async () => (await client.alertDestinations.list({ limit: 100 })).data,
})

export const useAlertDestinationChanges = () => {
  const queryClient = useQueryClient()
  const again = () => queryClient.invalidateQueries({ queryKey: ['alert-destinations'] })
  return {
    create: async (url: string): Promise<void> => {
      await client.alertDestinations.create({ type: 'slack', url })
      await again()
    },
    remove: async (id: string): Promise<void> => {
      await client.alertDestinations.delete(id)
      await again()
    },
  }
}

/** When a rule would have fired in the last 7 days. */
export const alertPreviewQuery = (terms: AlertRulesPreviewParams) =>
  queryOptions({
    queryKey: ['alert-rules', 'preview', terms],
    queryFn: async () => client.alertRules.preview(terms),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })

/** The changes of rules. Afterwards the pages that show rules and alerts ask again. */
export const useAlertRuleChanges = () => {
  const queryClient = useQueryClient()
  const afterwards = async <Answer>(call: PromiseLike<Answer>): Promise<Answer> => {
    const answer = await call
    void queryClient.invalidateQueries({ queryKey: ['alert-rules'] })
    void queryClient.invalidateQueries({ queryKey: ['alerts'] })
    return answer
  }
  return {
    create: (params: AlertRulesCreateParams) => afterwards(client.alertRules.create(params)),
    update: (id: string, params: AlertRulesUpdateParams) => afterwards(client.alertRules.update(id, params)),
    remove: async (id: string): Promise<void> => {
      await client.alertRules.delete(id)
      void queryClient.invalidateQueries({ queryKey: ['alert-rules', 'all'] })
      void queryClient.invalidateQueries({ queryKey: ['alerts'] })
    },
    test: async (id: string) => client.alertRules.test(id),
  }
}
