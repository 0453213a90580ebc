import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMissedList } from '../../api/webhooks.ts'
import { defined } from '../../search.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { ListView } from '../../ui/list-view.tsx'
import type { RangeSearch } from '../../ui/range.ts'
import { RangeFilter } from '../../ui/range-filter.tsx'
import { missedColumns } from './missed-columns.tsx'
import { WebhookFrame } from './webhook-frame.tsx'

/** The events that the endpoint never acknowledged. */
export const WebhookMissedPage = () => {
  const { webhookId }: { webhookId: string } = useParams({ from: '/app/webhooks/$webhookId/missed' })
  return <WebhookFrame id={webhookId}>{() => <Missed webhookId={webhookId} />}</WebhookFrame>
}

const Missed = ({ webhookId }: { webhookId: string }) => {
  const range: RangeSearch = useSearch({ from: '/app/webhooks/$webhookId/missed' })
  const navigate = useNavigate({ from: '/webhooks/$webhookId/missed' })
  const list = useMissedList(webhookId, range)
  const isFiltered = range.created_after !== undefined || range.created_before !== undefined
  const clear = () => void navigate({ search: {} })
  return (
    <>
      <FilterBar onClear={isFiltered ? clear : undefined}>
        <RangeFilter range={range} onChange={(search) => void navigate({ search: defined(search), replace: true })} />
        <span className="ms-auto text-ink-3 text-xs">Newest first</span>
      </FilterBar>
      <ListView
        label="Missed events"
        list={list}
        columns={missedColumns}
        hrefOf={({ id }) => `/events/${id}`}
        empty={
          <EmptyState
            title="No event was missed"
            action={isFiltered && <Button onClick={clear}>Clear the filter</Button>}
          >
            {isFiltered
              ? 'In this time the endpoint acknowledged every event, or it is still being sent.'
              : 'The endpoint acknowledged every event, or it is still being sent.'}
          </EmptyState>
        }
      />
    </>
  )
}
