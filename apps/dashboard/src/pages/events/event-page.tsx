import type { Delivery, Event, Webhook } from '@agent-run-service/sdk'
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { eventQuery } from '../../api/events.ts'
import { deliveriesOfEventQuery, useWebhookList } from '../../api/webhooks.ts'
import { useMay } from '../../session.ts'
import { pathOfId } from '../../shell/id-paths.ts'
import { MissingState } from '../../shell/missing-state.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { FactsLine } from '../../ui/detail-list.tsx'
import { Id } from '../../ui/id.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { attemptColumns } from '../webhooks/attempt-columns.tsx'
import { isSubscribed } from '../webhooks/event-groups.ts'
import { DeliveryBadge } from '../webhooks/webhook-parts.tsx'
import { subjectOf } from './event-subject.ts'

export const EventPage = () => {
  const { eventId }: { eventId: string } = useParams({ from: '/app/events/$eventId' })
  const { data: event, error, refetch } = useQuery(eventQuery(eventId))
  const mayReadWebhooks = useMay('webhooks:read')
  if (!event) {
    return error ? (
      <MissingState what="Event" id={eventId} error={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton />
    )
  }
  return (
    <>
      <PageHeader
        trail={
          <Link to="/events" className="hover:underline">
            Events
          </Link>
        }
        title={event.type}
      >
        <CopyButton text={() => JSON.stringify(event, null, 2)} label="Copy JSON">
          Copy JSON
        </CopyButton>
      </PageHeader>
      <FactsLine
        items={[
          ['Event', <Id key="id" id={event.id} />],
          ['What happened', wordOf(words.events, event.type)],
          ['Subject', <Subject key="subject" event={event} />],
          ['Created', <Time key="created" at={event.created_at} />],
        ]}
      />
      <div className="flex flex-col gap-6 p-4">
        {mayReadWebhooks && <DeliveriesOfEvent event={event} />}
        <section aria-label="JSON" className="min-w-0">
          <h2 className="mb-2 font-semibold">JSON</h2>
          <div className="overflow-auto rounded-lg border border-line bg-sunken p-3">
            <JsonView value={event} name={event.id} />
          </div>
        </section>
      </div>
    </>
  )
}

const Subject = ({ event }: { event: Event }) => {
  const id = subjectOf(event)
  if (id === null) return '–'
  if (pathOfId(id) === null) return <Id id={id} />
  return (
    <Link to="/go/$id" params={{ id }} className="font-mono text-accent text-xs hover:underline">
      {id}
    </Link>
  )
}

const maxAsked = 10

type Row = Delivery & { url: string }

/** The deliveries of the event. The API lists them per webhook, so the first ten that receive its type are asked. */
const DeliveriesOfEvent = ({ event }: { event: Event }) => {
  const { rows: webhooks, hasMore } = useWebhookList({})
  const receivers = webhooks.filter(({ events }) => isSubscribed(events, event.type))
  const asked: readonly Webhook[] = receivers.slice(0, maxAsked)
  const answers = useQueries({ queries: asked.map(({ id }) => deliveriesOfEventQuery(id, event.id)) })
  const rows: readonly Row[] = answers.flatMap(({ data = [] }, n) =>
    data.map((delivery) => ({ ...delivery, url: asked[n]?.url ?? '' })),
  )
  if (asked.length === 0) return null
  return (
    <section aria-label="Deliveries" className="min-w-0">
      <h2 className="mb-2 font-semibold">Deliveries</h2>
      {rows.length > 0 ? (
        <div className="rounded-lg border border-line">
          <DataTable
            label="Deliveries of the event"
            isInline
            rows={rows}
            columns={deliveryColumns}
            hrefOf={({ webhook_id, id }) => `/webhooks/${webhook_id}/deliveries/${id}`}
          />
        </div>
      ) : (
        <p className="text-ink-3">
          {answers.some(({ isPending }) => isPending) ? 'Looking for deliveries…' : 'It was delivered to no webhook.'}
        </p>
      )}
      {(receivers.length > maxAsked || hasMore) && (
        <p className="mt-1 text-ink-3 text-xs">
          Only the newest {maxAsked} webhooks that receive this type were asked. See the deliveries of a webhook for
          more.
        </p>
      )}
    </section>
  )
}

const deliveryColumns: readonly Column<Row>[] = [
  { id: 'status', title: 'Status', width: '8rem', cell: ({ status }) => <DeliveryBadge status={status} /> },
  { id: 'url', title: 'Webhook', cell: ({ url }) => <span className="[unicode-bidi:isolate]">{url}</span> },
  ...attemptColumns,
]
