import { type Event, type EventsListType, eventsListTypes } from '@agent-run-service/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEventList } from '../../api/events.ts'
import { defined } from '../../search.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterBar, FilterChip, FilterSelect } from '../../ui/filter-bar.tsx'
import { ListView } from '../../ui/list-view.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import type { RangeSearch } from '../../ui/range.ts'
import { RangeFilter } from '../../ui/range-filter.tsx'
import { Time } from '../../ui/time.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { subjectOf } from './event-subject.ts'

type Search = RangeSearch & { type?: string | undefined }

/** The events that webhooks and streams receive. */
export const EventListPage = () => {
  const search: Search = useSearch({ from: '/app/events' })
  const navigate = useNavigate({ from: '/events' })
  const { type = '', created_after, created_before } = search
  const chosen = type.split(',').filter(Boolean) as EventsListType[]
  const range = { created_after, created_before }
  const list = useEventList(chosen.length > 0 ? chosen : undefined, range)
  const isFiltered = Object.values(search).some((value) => value !== undefined)
  const change = (part: Search) => void navigate({ search: defined({ ...search, ...part }), replace: true })
  const choose = (types: readonly EventsListType[]) => change({ type: types.join(',') || undefined })
  const clear = () => void navigate({ search: {} })
  return (
    <>
      <PageHeader title="Events" />
      <FilterBar onClear={isFiltered ? clear : undefined}>
        <FilterSelect
          label="Add an event type"
          value=""
          options={[
            ['', chosen.length > 0 ? 'Add a type' : 'All types'],
            ...eventsListTypes.filter((each) => !chosen.includes(each)).map((each) => [each, each] as const),
          ]}
          onChange={(value) => choose(eventsListTypes.filter((each) => chosen.includes(each) || each === value))}
        />
        {chosen.map((each) => (
          <FilterChip
            key={each}
            label={`${each} ×`}
            isOn
            onToggle={() => choose(chosen.filter((other) => other !== each))}
          />
        ))}
        <RangeFilter range={range} onChange={change} />
        <span className="ms-auto text-ink-3 text-xs">Newest first</span>
      </FilterBar>
      <ListView
        label="Events"
        list={list}
        columns={columns}
        hrefOf={({ id }) => `/events/${id}`}
        empty={
          isFiltered ? (
            <EmptyState
              title="No event passes these filters"
              action={<Button onClick={clear}>Clear the filters</Button>}
            />
          ) : (
            <EmptyState title="No event yet">
              When a run ends or an agent changes, an event tells your webhooks. It is listed here.
            </EmptyState>
          )
        }
      />
    </>
  )
}

const columns: readonly Column<Event>[] = [
  {
    id: 'type',
    title: 'Type',
    width: '24rem',
    cell: ({ type }) => (
      <>
        <code className="font-mono text-xs">{type}</code>
        <span className="ms-2 text-ink-3">{wordOf(words.events, type)}</span>
      </>
    ),
  },
  {
    id: 'subject',
    title: 'Subject',
    width: '18rem',
    cell: (event) => <code className="font-mono text-xs">{subjectOf(event) ?? '–'}</code>,
  },
  { id: 'created', title: 'Created', width: '10rem', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    id: 'copy',
    title: 'JSON',
    width: '4rem',
    cell: (event) => <CopyButton text={() => JSON.stringify(event, null, 2)} label={`Copy JSON of ${event.id}`} />,
  },
]
