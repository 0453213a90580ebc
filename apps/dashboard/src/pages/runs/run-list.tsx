import type { Run } from '@agent-run-service/sdk'
import { runErrorCodes, runStatuses } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { agentNamesQuery, useAgentName } from '../../api/agents.ts'
import { client } from '../../api/client.ts'
import { mayPoll } from '../../api/connection.ts'
import { useList } from '../../api/list.ts'
import { useMemberNames } from '../../api/members.ts'
import { hasEnded } from '../../api/runs.ts'
import { defined } from '../../search.ts'
import { useReason } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { ColumnsMenu } from '../../ui/columns-menu.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterBar, FilterChip, FilterSelect } from '../../ui/filter-bar.tsx'
import { ListView } from '../../ui/list-view.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { RangeFilter } from '../../ui/range-filter.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { words } from '../../ui/words.ts'
import { BulkCancel } from './bulk-cancel.tsx'
import { MetadataFilter } from './metadata-filter.tsx'
import { runColumns } from './run-columns.tsx'
import { paramsOfSearch, type RunSearch, statusesOf, withStatus } from './run-filters.ts'
import { rememberRuns } from './run-neighbours.ts'

const label = 'Runs'

export const RunListPage = () => {
  const search: RunSearch = useSearch({ from: '/app/runs' })
  const navigate = useNavigate()
  const mayNotRun = useReason('runs:write')
  const nameOfAgent = useAgentName()
  const nameOfMember = useMemberNames()
  const { data: agents = [] } = useQuery(agentNamesQuery)
  const queryKey = useMemo(() => ['runs', 'list', search], [search])
  const list = useList<Run>({
    queryKey,
    fetchPage: (cursor) => client.runs.list({ ...paramsOfSearch(search, Date.now()), ...cursor }),
  })
  usePatchedActiveRows(list.rows, list.patch)
  useEffect(() => rememberRuns(list.rows.map(({ id }) => id)), [list.rows])
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const columns = useMemo(() => runColumns(nameOfAgent), [nameOfAgent])
  const set = (part: { [Key in keyof RunSearch]?: RunSearch[Key] | undefined }) =>
    void navigate({ to: '/runs', search: defined({ ...search, ...part }), replace: true })
  const isFiltered = Object.keys(search).length > 0
  const clear = () => void navigate({ to: '/runs', search: {} })
  const chosen = statusesOf(search)
  return (
    <>
      <PageHeader title={label}>
        <ColumnsMenu table={label} columns={columns} />
        <Button kind="primary" reason={mayNotRun} onClick={() => void navigate({ to: '/playground' })}>
          Run an agent
        </Button>
      </PageHeader>
      <FilterBar onClear={isFiltered ? clear : undefined}>
        {runStatuses.map((status) => (
          <FilterChip
            key={status}
            label={words.runStatuses[status]}
            isOn={chosen.includes(status)}
            onToggle={() => set({ status: withStatus(search, status) })}
          />
        ))}
        <FilterSelect
          label="Agent"
          value={search.agent_id ?? ''}
          options={[['', 'All agents'], ...withChosen(agents, search.agent_id)]}
          onChange={(value) => set({ agent_id: value || undefined })}
        />
        <FilterSelect
          label="Error"
          value={search.error_code ?? ''}
          options={[['', 'Any error or none'], ...runErrorCodes.map((code) => [code, code] as const)]}
          onChange={(value) => set({ error_code: value || undefined })}
        />
        <RangeFilter range={search} onChange={set} />
        <MetadataFilter value={search.metadata} onChange={(metadata) => set({ metadata })} />
        {search.created_by !== undefined && (
          <FilterChip
            label={`Created by ${nameOfMember(search.created_by)} ✕`}
            isOn
            onToggle={() => set({ created_by: undefined })}
          />
        )}
      </FilterBar>
      <BulkCancel rows={list.rows} selected={selected} onSelect={setSelected} onChanged={list.patch} />
      <ListView
        label={label}
        columns={columns}
        list={list}
        hrefOf={({ id }) => `/runs/${id}`}
        selection={{
          selected,
          onSelect: setSelected,
          nameOf: (run) => `Select ${run.id}`,
          reasonOf: (run) => (hasEnded(run) ? 'It has ended and cannot be cancelled.' : undefined),
        }}
        empty={
          isFiltered ? (
            <EmptyState title="No run matches these filters" action={<Button onClick={clear}>Clear</Button>}>
              Every filter must match. The list shows the newest runs first.
            </EmptyState>
          ) : (
            <Suspense fallback={<Skeleton rows={3} />}>
              <FirstRun agentId={agents.at(-1)?.id} />
            </Suspense>
          )
        }
      />
    </>
  )
}

/** An agent of the address may be older than the names that were loaded. */
const withChosen = (agents: readonly { id: string; name: string }[], id: string | undefined) => {
  const options = agents.map((agent) => [agent.id, agent.name] as const)
  return id === undefined || agents.some((agent) => agent.id === id) ? options : [...options, [id, id] as const]
}

// The list seldom is empty, and the examples are as large as a page.
const FirstRun = lazy(async () => ({ default: (await import('./first-run.tsx')).FirstRun }))

const patchEveryMs = 10_000
const maxIds = 100

/** Rows that are not over yet are read again every 10 s, all with one request, and changed in place. */
const usePatchedActiveRows = (rows: readonly Run[], patch: (rows: readonly Run[]) => void): void => {
  const ids = rows
    .filter((run) => !hasEnded(run))
    .slice(0, maxIds)
    .map(({ id }) => id)
    .join(',')
  useEffect(() => {
    if (ids === '') return
    const refresh = async () => {
      if (!mayPoll()) return
      try {
        patch((await client.runs.list({ ids: ids.split(','), view: 'summary', limit: maxIds })).data)
      } catch {
        // The bars below the header tell about it; the next turn asks again.
      }
    }
    const timer = setInterval(() => void refresh(), patchEveryMs)
    return () => clearInterval(timer)
  }, [ids, patch])
}
