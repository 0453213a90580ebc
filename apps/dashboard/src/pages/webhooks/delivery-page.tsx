import type { Delivery } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { deliveryQuery, useWebhookChanges, webhookQuery } from '../../api/webhooks.ts'
import { useReason } from '../../session.ts'
import { MissingState } from '../../shell/missing-state.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { FactsLine } from '../../ui/detail-list.tsx'
import { Id } from '../../ui/id.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { toastProblem } from '../../ui/toast.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { AttemptLine } from './attempt-line.tsx'
import { AttemptView } from './attempt-view.tsx'
import { DeliveryBadge } from './webhook-parts.tsx'

const followMs = 60_000

/** Requests and responses of one delivery. A pending one is followed for a minute. */
export const DeliveryPage = () => {
  const { webhookId, deliveryId }: { webhookId: string; deliveryId: string } = useParams({
    from: '/app/webhooks/$webhookId/deliveries/$deliveryId',
  })
  return <OneDelivery key={deliveryId} webhookId={webhookId} deliveryId={deliveryId} />
}

const OneDelivery = ({ webhookId, deliveryId }: { webhookId: string; deliveryId: string }) => {
  const [isFollowed, setIsFollowed] = useState(true)
  useEffect(() => {
    if (!isFollowed) return
    const timer = setTimeout(() => setIsFollowed(false), followMs)
    return () => clearTimeout(timer)
  }, [isFollowed])
  const { data: delivery, error, refetch } = useQuery(deliveryQuery(webhookId, deliveryId, isFollowed))
  if (!delivery) {
    return error ? (
      <MissingState what="Delivery" id={deliveryId} error={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton />
    )
  }
  return (
    <>
      <DeliveryHead delivery={delivery} />
      {delivery.status === 'pending' && !isFollowed && (
        <Banner
          tone="info"
          action={
            <Button
              isSmall
              onClick={() => {
                setIsFollowed(true)
                void refetch()
              }}
            >
              Follow
            </Button>
          }
        >
          The delivery is still pending. This page stopped asking after a minute.
        </Banner>
      )}
      {delivery.waiting && <p className="num m-4 text-ink-2">{delivery.waiting.message}</p>}
      <Attempts delivery={delivery} />
    </>
  )
}

const DeliveryHead = ({ delivery }: { delivery: Delivery }) => {
  const { data: webhook } = useQuery(webhookQuery(delivery.webhook_id))
  const navigate = useNavigate()
  const reason = useReason('webhooks:write')
  const { redeliver } = useWebhookChanges()
  const [isBusy, setIsBusy] = useState(false)
  const inactive = webhook?.active === false ? 'Nothing is sent to a disabled webhook. Enable it first.' : undefined
  const send = async () => {
    setIsBusy(true)
    try {
      const { id: deliveryId } = await redeliver(delivery.webhook_id, delivery.id)
      await navigate({
        to: '/webhooks/$webhookId/deliveries/$deliveryId',
        params: { webhookId: delivery.webhook_id, deliveryId },
      })
    } catch (error) {
      toastProblem('Redeliver: failed', error)
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <>
      <PageHeader
        trail={
          <Link
            to="/webhooks/$webhookId"
            params={{ webhookId: delivery.webhook_id }}
            className="break-all [unicode-bidi:isolate] hover:underline"
          >
            {webhook?.url ?? delivery.webhook_id}
          </Link>
        }
        title={delivery.event_type}
        tabTitle={`Delivery of ${delivery.event_type}`}
      >
        <span role="status">
          <DeliveryBadge status={delivery.status} />
        </span>
        <Button isBusy={isBusy} reason={reason ?? inactive} onClick={() => void send()}>
          Redeliver
        </Button>
      </PageHeader>
      <FactsLine
        items={[
          ['Delivery', <Id key="id" id={delivery.id} />],
          [
            'Event',
            <span key="event" className="inline-flex items-center">
              {delivery.source === 'test' ? (
                <Id id={delivery.event_id} />
              ) : (
                <Link
                  to="/events/$eventId"
                  params={{ eventId: delivery.event_id }}
                  className="font-mono text-accent text-xs hover:underline"
                >
                  {delivery.event_id}
                </Link>
              )}
            </span>,
          ],
          ['Source', wordOf(words.deliverySources, delivery.source)],
          ['Created', <Time key="created" at={delivery.created_at} />],
          ['Ended', <Time key="ended" at={delivery.ended_at} />],
        ]}
      />
    </>
  )
}

const Attempts = ({ delivery }: { delivery: Delivery }) => {
  const { attempt }: { attempt?: number } = useSearch({ from: '/app/webhooks/$webhookId/deliveries/$deliveryId' })
  const shown = delivery.attempts.find(({ number }) => number === attempt) ?? delivery.attempts.at(-1)
  return (
    <div className="flex flex-col gap-4 p-4">
      {delivery.error !== null && (
        <p className="rounded-md bg-bad-soft px-3 py-2 [unicode-bidi:isolate]">{delivery.error}</p>
      )}
      <AttemptLine delivery={delivery} shown={shown?.number} />
      {shown ? (
        <AttemptView key={shown.number} attempt={shown} />
      ) : (
        <p className="text-ink-3">No attempt has ended yet.</p>
      )}
    </div>
  )
}
