import {
  type Delivery,
  type DeliveryStatus,
  deliveryStatuses,
  type EventType,
  eventTypes,
} from '@agent-run-service/sdk'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type DeliveryFilter, useDeliveryList } from '../../api/webhooks.ts'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterBar, FilterChip, FilterSelect } from '../../ui/filter-bar.tsx'
import { ListView } from '../../ui/list-view.tsx'
import { RangeFilter } from '../../ui/range-filter.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { attemptColumns } from './attempt-columns.tsx'
import { WebhookFrame } from './webhook-frame.tsx'
import { DeliveryBadge } from './webhook-parts.tsx'

type Search = {
  status?: string
  type?: EventType
  event_id?: string
  created_after?: string
  created_before?: string
}

/** The deliveries of a webhook, with its filters in the address. */
export const DeliveryListPage = () => {
  const { webhookId }: { webhookId: string } = useParams({ from: '/app/webhooks/$webhookId' })
  return <WebhookFrame id={webhookId}>{() => <Deliveries webhookId={webhookId} />}</WebhookFrame>
}

const Deliveries = ({ webhookId }: { webhookId: string }) => {
  const search: Search = useSearch({ from: '/app/webhooks/$webhookId' })
  const navigate = useNavigate({ from: '/webhooks/$webhookId' })
  const { status = '', type, event_id, created_after, created_before } = search
  const chosen = status.split(',').filter(Boolean) as DeliveryStatus[]
  const filter: DeliveryFilter = {
    ...(chosen.length > 0 && { status: chosen }),
    ...(type && { event_type: type }),
    ...(event_id && { event_id }),
    created_after,
    created_before,
  }
  const list = useDeliveryList(webhookId, filter)
  const isFiltered = Object.values(search).some((value) => value !== undefined)
  const change = (part: Search | Record<string, undefined>) =>
    void navigate({ search: { ...search, ...part }, replace: true })
  const clear = () => void navigate({ search: {} })
  const toggle = (one: DeliveryStatus) => {
    const next = chosen.includes(one) ? chosen.filter((each) => each !== one) : [...chosen, one]
    change({ status: next.join(',') || undefined } as Search)
  }
  return (
    <>
      <FilterBar onClear={isFiltered ? clear : undefined}>
        {deliveryStatuses.map((one) => (
          <FilterChip
            key={one}
            label={words.deliveryStatuses[one]}
            isOn={chosen.includes(one)}
            onToggle={() => toggle(one)}
          />
        ))}
        <FilterSelect
          label="Event type"
          value={type ?? ''}
          options={[['', 'All types'], ...eventTypes.map((each) => [each, each] as const)]}
          onChange={(value) => change({ type: value || undefined } as Search)}
        />
        <input
          key={event_id ?? ''}
          aria-label="Event id"
          placeholder="evt_…"
          defaultValue={event_id ?? ''}
          onBlur={({ target }) => {
            const value = target.value.trim()
            if (value !== (event_id ?? '')) change({ event_id: value || undefined } as Search)
          }}
          onKeyDown={({ key, currentTarget }) => {
            if (key === 'Enter') currentTarget.blur()
          }}
          className="h-7 w-40 rounded-md border border-line-strong bg-surface px-2 font-mono text-xs"
        />
        <RangeFilter range={{ created_after, created_before }} onChange={(range) => change(range as Search)} />
        <span className="ms-auto text-ink-3 text-xs">Newest first</span>
      </FilterBar>
      <ListView
        label="Deliveries"
        list={list}
        columns={columns}
        hrefOf={({ id }) => `/webhooks/${webhookId}/deliveries/${id}`}
        empty={
          isFiltered ? (
            <EmptyState
              title="No delivery passes these filters"
              action={<Button onClick={clear}>Clear the filters</Button>}
            />
          ) : (
            <EmptyState title="Nothing was sent to this endpoint yet">
              Send a test event to see what arrives, and what your endpoint answers.
            </EmptyState>
          )
        }
      />
    </>
  )
}

const columns: readonly Column<Delivery>[] = [
  { id: 'status', title: 'Status', width: '8rem', cell: ({ status }) => <DeliveryBadge status={status} /> },
  {
    id: 'event',
    title: 'Event',
    width: '14rem',
    cell: ({ event_type, event_id }) => (
      <span title={event_id} className="font-mono text-xs">
        {event_type}
      </span>
    ),
  },
  { id: 'source', title: 'Source', width: '7rem', cell: ({ source }) => wordOf(words.deliverySources, source) },
  ...attemptColumns,
]
