import { type Pipeline, type PipelineStatus, pipelineStatuses } from '@agent-run-service/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { usePipelineList } from '../../api/pipelines.ts'
import { defined } from '../../search.ts'
import { useReason } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterBar, FilterChip } from '../../ui/filter-bar.tsx'
import { FlowBadge } from '../../ui/flow-badge.tsx'
import { flowWords } from '../../ui/flow-words.ts'
import { ListView } from '../../ui/list-view.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Time } from '../../ui/time.tsx'
import { PipelinesHeader } from './pipelines-header.tsx'

/** Archived pipelines do nothing, so they are shown only if they are asked for. */
const usual: readonly PipelineStatus[] = ['active']

export const PipelineListPage = () => {
  const search: { status?: string; q?: string } = useSearch({ from: '/app/pipelines' })
  const navigate = useNavigate()
  const reason = useReason('pipelines:write')
  const chosen = pipelineStatuses.filter((each) => search.status?.split(',').includes(each))
  const list = usePipelineList({
    status: chosen.length === 0 ? usual : chosen,
    ...(search.q !== undefined && { q: search.q }),
  })
  const set = (part: { status?: string | undefined; q?: string | undefined }) =>
    void navigate({ to: '/pipelines', search: defined({ ...search, ...part }), replace: true })
  const clear = () => void navigate({ to: '/pipelines', search: {} })
  const toggle = (one: PipelineStatus) => {
    const next = pipelineStatuses.filter((each) => chosen.includes(each) !== (each === one))
    set({ status: next.join(',') || undefined })
  }
  const isFiltered = chosen.length > 0 || search.q !== undefined
  return (
    <>
      <PipelinesHeader title="Pipelines" />
      <FilterBar onClear={isFiltered ? clear : undefined}>
        {pipelineStatuses.map((one) => (
          <FilterChip
            key={one}
            label={flowWords.pipelineStatuses[one]}
            isOn={chosen.includes(one)}
            onToggle={() => toggle(one)}
          />
        ))}
        <SearchField label="Search pipelines" value={search.q ?? ''} onChange={(q) => set({ q: q || undefined })} />
        <span className="ms-auto text-ink-3 text-xs">Newest first</span>
      </FilterBar>
      <ListView
        label="Pipelines"
        list={list}
        columns={columns}
        hrefOf={({ id }) => `/pipelines/${id}`}
        empty={
          isFiltered ? (
            <EmptyState title="No pipeline matches these filters" action={<Button onClick={clear}>Clear</Button>} />
          ) : (
            <EmptyState
              title="No pipelines yet"
              action={
                <Button
                  kind="primary"
                  reason={reason}
                  onClick={() => void navigate({ to: '/pipelines/new', search: {} })}
                >
                  Create a pipeline
                </Button>
              }
            >
              A pipeline runs several agents in the order of their dependencies, and asks people on the way.
            </EmptyState>
          )
        }
      />
    </>
  )
}

const columns: readonly Column<Pipeline>[] = [
  {
    id: 'name',
    title: 'Name',
    cell: ({ name }) => <span className="font-medium [unicode-bidi:isolate]">{name}</span>,
  },
  {
    id: 'status',
    title: 'Status',
    width: '8rem',
    cell: ({ status }) => <FlowBadge status={status} words={flowWords.pipelineStatuses} />,
  },
  {
    id: 'steps',
    title: 'Steps',
    width: '5rem',
    align: 'end',
    cell: ({ definition }) => definition.steps.length,
  },
  { id: 'version', title: 'Version', width: '6rem', align: 'end', cell: ({ version }) => version },
  {
    id: 'description',
    title: 'Description',
    width: '34%',
    cell: ({ description }) => <span className="text-ink-2 [unicode-bidi:isolate]">{description ?? '–'}</span>,
  },
  { id: 'updated', title: 'Updated', width: '12rem', align: 'end', cell: ({ updated_at }) => <Time at={updated_at} /> },
]
