import { type Agent, agentSources, agentStatuses, type Deployment } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useAgentList } from '../../api/agents.ts'
import { canariesQuery } from '../../api/deployments.ts'
import { useReason } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterBar, FilterSelect } from '../../ui/filter-bar.tsx'
import { ListView } from '../../ui/list-view.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Time } from '../../ui/time.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { useArchiving } from './use-archiving.tsx'

export const AgentListPage = () => {
  const search = useSearch({ from: '/app/agents' })
  const navigate = useNavigate()
  const list = useAgentList(search)
  const { data: canaries = [] } = useQuery(canariesQuery)
  const { columns, dialog } = useColumns(canaries)
  const reason = useReason('agents:write')
  const isFiltered = Object.keys(search).length > 0
  const clear = () => void navigate({ to: '/agents', search: {} })
  const create = (
    <Button kind="primary" reason={reason} onClick={() => void navigate({ to: '/agents/new' })}>
      <Plus aria-hidden size={14} /> New agent
    </Button>
  )
  return (
    <>
      <PageHeader title="Agents">
        <Link to="/catalog" className="text-accent underline">
          Hire from the catalog
        </Link>
        {create}
      </PageHeader>
      <FilterBar onClear={isFiltered ? clear : undefined}>
        <FilterSelect
          label="Status"
          value={search.status ?? ''}
          options={[['', 'Any status'], ...agentStatuses.map((each) => [each, words.agentStatuses[each]] as const)]}
          onChange={(value) =>
            void navigate({ to: '/agents', search: withPart(search, 'status', value), replace: true })
          }
        />
        <FilterSelect
          label="Source"
          value={search.source ?? ''}
          options={[['', 'Any source'], ...agentSources.map((each) => [each, words.agentSources[each]] as const)]}
          onChange={(value) =>
            void navigate({ to: '/agents', search: withPart(search, 'source', value), replace: true })
          }
        />
        <SearchField
          label="Search in name and description"
          value={search.q ?? ''}
          onChange={(value) => void navigate({ to: '/agents', search: withPart(search, 'q', value), replace: true })}
        />
      </FilterBar>
      <ListView
        label="Agents"
        list={list}
        columns={columns}
        hrefOf={({ id }) => `/agents/${id}`}
        empty={
          isFiltered ? (
            <EmptyState
              title="No agent matches these filters"
              action={<Button onClick={clear}>Clear the filters</Button>}
            />
          ) : (
            <EmptyState title="No agents yet" action={create}>
              An agent is a model with instructions and tools, or your own endpoint. Create one, or hire one from the{' '}
              <Link to="/catalog" className="text-accent underline">
                catalog
              </Link>
              .
            </EmptyState>
          )
        }
      />
      {dialog}
    </>
  )
}

const withPart = <Search extends object>(search: Search, name: string, value: string): Search => {
  const { [name as keyof Search]: _, ...rest } = search
  return (value === '' ? rest : { ...rest, [name]: value }) as Search
}

const useColumns = (canaries: readonly Deployment[]) => {
  const navigate = useNavigate()
  const writing = useReason('agents:write')
  const running = useReason('runs:write')
  const archiving = useArchiving()
  const columns: readonly Column<Agent>[] = [
    {
      id: 'name',
      title: 'Name',
      cell: ({ name, status }) => (
        <span className="flex items-center gap-2">
          <span className="truncate font-medium [unicode-bidi:isolate]">{name}</span>
          {status === 'archived' && <Badge label={words.agentStatuses.archived} tone="plain" />}
        </span>
      ),
    },
    { id: 'kind', title: 'Kind', width: '6rem', cell: ({ kind }) => wordOf(words.agentKinds, kind) },
    {
      id: 'model',
      title: 'Model',
      cell: ({ config }) => <span className="font-mono text-xs">{String(config.model ?? config.url ?? '–')}</span>,
    },
    {
      id: 'version',
      title: 'Version',
      width: '11rem',
      cell: ({ id, version }) => {
        const canary = canaries.find(({ agent_id }) => agent_id === id)
        return (
          <span className="num flex items-center gap-2">
            {version}
            {canary && <Badge label={`Canary ${canary.traffic_percent} %`} tone="run" />}
          </span>
        )
      },
    },
    { id: 'source', title: 'Source', width: '6rem', cell: ({ source }) => wordOf(words.agentSources, source) },
    { id: 'updated', title: 'Updated', width: '12rem', cell: ({ updated_at }) => <Time at={updated_at} /> },
    {
      id: 'actions',
      title: 'Actions',
      width: '5rem',
      align: 'end',
      cell: (agent) => (
        <Menu
          kind="quiet"
          label={`Actions of ${agent.name}`}
          items={[
            {
              label: 'Try',
              reason: agent.status === 'archived' ? 'An archived agent takes no runs.' : running,
              onSelect: () => void navigate({ to: '/playground', search: { agent_id: agent.id } }),
            },
            {
              label: 'Edit',
              reason: agent.status === 'archived' ? 'Unarchive it first.' : writing,
              onSelect: () => void navigate({ to: '/agents/$agentId/edit', params: { agentId: agent.id } }),
            },
            archiving.itemOf(agent),
          ]}
        />
      ),
    },
  ]
  return { columns, dialog: archiving.dialog }
}
