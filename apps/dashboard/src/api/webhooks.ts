import type {
  Delivery,
  Event,
  Recovery,
  Webhook,
  WebhooksCreateParams,
  WebhooksDeliveriesParams,
  WebhooksListParams,
  WebhooksRecoverParams,
  WebhooksRotateSecretParams,
  WebhooksUpdateParams,
} from '@agent-run-service/sdk'
import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { absoluteRange, type RangeSearch } from '../ui/range.ts'
import { client } from './client.ts'
import { mayPoll } from './connection.ts'
import { type List, useList } from './list.ts'

export const useWebhookList = (params: Pick<WebhooksListParams, 'status'>): List<Webhook> =>
  useList({
    queryKey: ['webhooks', 'list', params],
    fetchPage: (cursor) => client.webhooks.list({ ...params, ...cursor }),
  })

export const webhookQuery = (id: string) =>
  queryOptions({ queryKey: ['webhooks', id], queryFn: async () => client.webhooks.get(id) })

export type DeliveryFilter = RangeSearch & Pick<WebhooksDeliveriesParams, 'status' | 'event_type' | 'event_id'>

const refreshMs = 10_000

/** Deliveries, newest first. While one of them is pending, the first page is read again every 10 s. */
export const useDeliveryList = (id: string, { created_after, created_before, ...filter }: DeliveryFilter) => {
  const range = { created_after, created_before }
  const fetchPage = (cursor: { limit: number }) =>
    client.webhooks.deliveries(id, { ...filter, ...absoluteRange(range, Date.now()), ...cursor })
  const list: List<Delivery> = useList({ queryKey: ['deliveries', id, 'list', filter, range], fetchPage })
  const isMoving = list.rows.slice(0, 100).some(({ status }) => status === 'pending')
  const { patch } = list
  // biome-ignore lint/correctness/useExhaustiveDependencies: the filter is part of the list, which `patch` follows.
  useEffect(() => {
    if (!isMoving) return
    const read = async () => {
      if (!mayPoll()) return
      try {
        patch((await fetchPage({ limit: 100 })).data)
      } catch {
        // The bars below the header tell about it; the next turn asks again.
      }
    }
    const timer = setInterval(() => void read(), refreshMs)
    return () => clearInterval(timer)
  }, [isMoving, patch])
  return list
}

/** The deliveries of one event to one webhook. */
export const deliveriesOfEventQuery = (webhookId: string, eventId: string) =>
  queryOptions({
    queryKey: ['deliveries', webhookId, 'of-event', eventId],
    queryFn: async () => (await client.webhooks.deliveries(webhookId, { event_id: eventId, limit: 10 })).data,
  })

const largeBodyChars = 262_144

/** A delivery. `isFollowed`: read every second while it is pending, seldom if its body is large. */
export const deliveryQuery = (id: string, deliveryId: string, isFollowed: boolean) =>
  queryOptions({
    queryKey: ['deliveries', id, deliveryId],
    queryFn: async () => client.webhooks.delivery(id, deliveryId),
    refetchInterval: ({ state: { data } }) => {
      if (!isFollowed || data?.status !== 'pending' || !mayPoll()) return false
      const isLarge = (data.attempts.at(-1)?.request.body?.length ?? 0) > largeBodyChars
      return isLarge ? refreshMs : 1_000
    },
  })

export const useMissedList = (id: string, range: RangeSearch): List<Event> =>
  useList({
    queryKey: ['webhooks', id, 'missed', range],
    fetchPage: (cursor) => client.webhooks.missed(id, { ...absoluteRange(range, Date.now()), ...cursor }),
    pageSize: 20,
    isFresh: false,
  })

export const useRecoveryList = (id: string): List<Recovery> =>
  useList({
    queryKey: ['recoveries', id, 'list'],
    fetchPage: (cursor) => client.webhooks.recoveries(id, cursor),
    isFresh: false,
  })

/** A recovery, read every 2 s while it runs. */
export const recoveryQuery = (start: Recovery) =>
  queryOptions({
    queryKey: ['recoveries', start.webhook_id, start.id],
    queryFn: async () => client.webhooks.recovery(start.webhook_id, start.id),
    initialData: start,
    refetchInterval: ({ state: { data } }) => (data?.status === 'running' && mayPoll() ? 2_000 : false),
  })

/** The changes of webhooks. Each makes the pages that show the webhook ask again. */
export const useWebhookChanges = () => {
  const queryClient = useQueryClient()
  const afterwards = async <Answer>(call: PromiseLike<Answer>, resource: string): Promise<Answer> => {
    const answer = await call
    void queryClient.invalidateQueries({ queryKey: [resource] })
    return answer
  }
  return {
    create: (params: WebhooksCreateParams) => afterwards(client.webhooks.create(params), 'webhooks'),
    update: (id: string, params: WebhooksUpdateParams) => afterwards(client.webhooks.update(id, params), 'webhooks'),
    rotateSecret: (id: string, params: WebhooksRotateSecretParams) =>
      afterwards(client.webhooks.rotateSecret(id, params), 'webhooks'),
    remove: async (id: string): Promise<void> => {
      await client.webhooks.delete(id)
      void queryClient.invalidateQueries({ queryKey: ['webhooks', 'list'] })
    },
    test: (id: string, eventType: string) =>
      afterwards(client.webhooks.test(id, { event_type: eventType }), 'deliveries'),
    redeliver: (id: string, deliveryId: string) => afterwards(client.webhooks.redeliver(id, deliveryId), 'deliveries'),
    recover: (id: string, params: WebhooksRecoverParams) =>
      afterwards(client.webhooks.recover(id, params), 'recoveries'),
    cancelRecovery: (id: string, recoveryId: string) =>
      afterwards(client.webhooks.cancelRecovery(id, recoveryId), 'recoveries'),
  }
}
