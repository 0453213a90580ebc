import type {
  PoliciesAttachParams,
  PoliciesCreateParams,
  PoliciesUpdateParams,
  Policy,
  PolicyStatus,
  PolicyTrial,
  PolicyTrialsCreateParams,
} from '@agent-run-service/sdk'
import { queryOptions, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMay } from '../session.ts'
import { client } from './client.ts'
import { collect } from './collect.ts'
import { mayPoll } from './connection.ts'
import { type List, useList } from './list.ts'

const maxPolicies = 1_000
/** As many as an organisation can have. */
const maxAttachments = 500
const trialPollMs = 1_000

export const usePolicyList = (status: readonly PolicyStatus[]): List<Policy> =>
  useList({
    queryKey: ['policies', 'list', { status }],
    fetchPage: (cursor) => client.policies.list({ ...(status.length > 0 && { status }), ...cursor }),
  })

export const policyQuery = (id: string) =>
  queryOptions({ queryKey: ['policies', id], queryFn: async () => client.policies.get(id) })

export const policyAttachmentsQuery = (id: string) =>
  queryOptions({
    queryKey: ['policies', id, 'attachments'],
    queryFn: () => collect(client.policies.attachments(id, { limit: 100 }), maxAttachments),
    staleTime: 60_000,
  })

export const policyTemplatesQuery = queryOptions({
  queryKey: ['policy-templates'],
  queryFn: () => collect(client.policyTemplates.list({ limit: 100 }), 100),
  staleTime: Number.POSITIVE_INFINITY,
})

const policyNamesQuery = queryOptions({
  queryKey: ['policies', 'names'],
  queryFn: () => collect(client.policies.list({ limit: 100 }), maxPolicies),
  staleTime: 60_000,
})

/** The name of a policy by its id; undefined until it is known, and for people who may not see policies. */
export const usePolicyName = (isNeeded: boolean): ((id: string) => string | undefined) => {
  const { data = [] } = useQuery({ ...policyNamesQuery, enabled: useMay('policies:read') && isNeeded })
  return (id) => data.find((policy) => policy.id === id)?.name
}

/** The versions of a policy, newest first, 20 at a time. */
export const usePolicyVersions = (id: string) =>
  useInfiniteQuery({
    queryKey: ['policies', id, 'versions'],
    queryFn: async ({ pageParam }) =>
      (await client.policies.versions(id, { limit: 20, ...(pageParam > 0 && { after: pageParam }) })).body,
    initialPageParam: 0,
    getNextPageParam: (last) => (last.has_more ? last.data.at(-1)?.version : null),
  })

export const useTrialList = (id: string): List<PolicyTrial> =>
  useList({
    queryKey: ['policy-trials', id, 'list'],
    fetchPage: (cursor) => client.policyTrials.list(id, cursor),
    pageSize: 20,
    isFresh: false,
  })

export const isTrialUnderWay = ({ status }: { status: string }): boolean => status === 'queued' || status === 'running'

/** A trial, read every second while it is under way. */
export const trialQuery = (id: string, trialId: string) =>
  queryOptions({
    queryKey: ['policy-trials', id, trialId],
    queryFn: async () => client.policyTrials.get(id, trialId),
    refetchInterval: ({ state: { data } }) => (data && isTrialUnderWay(data) && mayPoll() ? trialPollMs : false),
  })

/** The changes of policies. Each makes the pages that show policies ask again. */
export const usePolicyChanges = () => {
  const queryClient = useQueryClient()
  const afterwards = async <Answer>(call: PromiseLike<Answer>, resource = 'policies'): Promise<Answer> => {
    const answer = await call
    void queryClient.invalidateQueries({ queryKey: [resource] })
    return answer
  }
  return {
    create: (params: PoliciesCreateParams) => afterwards(client.policies.create(params)),
    update: (id: string, params: PoliciesUpdateParams) => afterwards(client.policies.update(id, params)),
    archive: (id: string) => afterwards(client.policies.archive(id)),
    attach: (id: string, params: PoliciesAttachParams) => afterwards(client.policies.attach(id, params)),
    detach: (id: string, attachmentId: string) => afterwards(client.policies.detach(id, attachmentId)),
    tryOut: (id: string, params: PolicyTrialsCreateParams) =>
      afterwards(client.policyTrials.create(id, params), 'policy-trials'),
    cancelTrial: (id: string, trialId: string) => afterwards(client.policyTrials.cancel(id, trialId), 'policy-trials'),
  }
}
