import type { Batch } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useMemo } from 'react'
import { agentNamesQuery, useAgentName } from '../../api/agents.ts'
import { useBatchList } from '../../api/batches.ts'
import { useReason } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterBar, FilterSelect } from '../../ui/filter-bar.tsx'
import { FlowBadge } from '../../ui/flow-badge.tsx'
import { flowWords } from '../../ui/flow-words.ts'
import { count, shortId } from '../../ui/format.ts'
import { ListView } from '../../ui/list-view.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Time } from '../../ui/time.tsx'
import { BatchBar } from './batch-progress.tsx'

export const BatchListPage = () => {
  const { agent_id: agentId }: { agent_id?: string } = useSearch({ from: '/app/batches' })
  const navigate = useNavigate()
  const reason = useReason('runs:write')
  const nameOf = useAgentName()
  const { data: agents = [] } = useQuery(agentNamesQuery)
  const list = useBatchList(agentId === undefined ? {} : { agent_id: agentId })
  const columns = useMemo(() => columnsOf(nameOf), [nameOf])
  const clear = () => void navigate({ to: '/batches', search: {} })
  const create = () => void navigate({ to: '/batches/new', search: {} })
  const options = agents.map(({ id, name }) => [id, name] as const)
  const isUnknown = agentId !== undefined && !agents.some(({ id }) => id === agentId)
  return (
    <>
      <PageHeader title="Batches">
        <Button reason={reason} onClick={create}>
          <Plus aria-hidden size={14} /> New batch
        </Button>
      </PageHeader>
      <FilterBar onClear={agentId === undefined ? undefined : clear}>
        <FilterSelect
          label="Agent"
          value={agentId ?? ''}
          options={[['', 'All agents'], ...options, ...(isUnknown ? [[agentId, agentId] as const] : [])]}
          onChange={(id) => void navigate({ to: '/batches', search: id === '' ? {} : { agent_id: id }, replace: true })}
        />
        <span className="ms-auto text-ink-3 text-xs">Newest first</span>
      </FilterBar>
      <ListView
        label="Batches"
        list={list}
        columns={columns}
        hrefOf={({ id }) => `/batches/${id}`}
        empty={
          agentId !== undefined ? (
            <EmptyState title="This agent has no batches" action={<Button onClick={clear}>Clear</Button>} />
          ) : (
            <EmptyState
              title="No batches yet"
              action={
                <Button kind="primary" reason={reason} onClick={create}>
                  Create a batch
                </Button>
              }
            >
              A batch runs one agent for many inputs in the background, without slowing other runs.
            </EmptyState>
          )
        }
      />
    </>
  )
}

const columnsOf = (nameOf: (id: string) => string): readonly Column<Batch>[] => [
  {
    id: 'batch',
    title: 'Batch',
    width: '9rem',
    cell: ({ id }) => <span className="font-mono text-xs">{shortId(id)}</span>,
  },
  {
    id: 'agent',
    title: 'Agent',
    cell: ({ agent_id }) => <span className="font-medium [unicode-bidi:isolate]">{nameOf(agent_id)}</span>,
  },
  {
    id: 'status',
    title: 'Status',
    width: '8rem',
    cell: ({ status }) => <FlowBadge status={status} words={flowWords.batchStatuses} />,
  },
  { id: 'items', title: 'Items', width: '6rem', align: 'end', cell: ({ progress }) => count(progress.items) },
  {
    id: 'progress',
    title: 'Progress',
    width: '18rem',
    cell: (batch) => <BatchBar batch={batch} label={`Progress of ${batch.id}`} />,
  },
  { id: 'created', title: 'Created', width: '12rem', align: 'end', cell: ({ created_at }) => <Time at={created_at} /> },
]
