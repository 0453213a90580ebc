import { type PipelineRunStatus, pipelineRunStatuses } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { usePipelineRunList } from '../../api/pipeline-runs.ts'
import { pipelineNamesQuery, usePipelineName } from '../../api/pipelines.ts'
import { defined } from '../../search.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterBar, FilterChip, FilterSelect } from '../../ui/filter-bar.tsx'
import { flowWords } from '../../ui/flow-words.ts'
import { ListView } from '../../ui/list-view.tsx'
import { absoluteRange } from '../../ui/range.ts'
import { RangeFilter } from '../../ui/range-filter.tsx'
import { pipelineRunColumns } from './pipeline-run-columns.tsx'
import { PipelinesHeader } from './pipelines-header.tsx'

type Search = { status?: string; pipeline_id?: string; created_after?: string; created_before?: string }

export const PipelineRunListPage = () => {
  const search: Search = useSearch({ from: '/app/pipeline-runs' })
  const navigate = useNavigate()
  const { data: pipelines = [] } = useQuery(pipelineNamesQuery)
  const nameOf = usePipelineName()
  const chosen = pipelineRunStatuses.filter((each) => search.status?.split(',').includes(each))
  // Relative times become absolute once for each search, so that the pages of one list have the same bounds.
  const range = useMemo(() => absoluteRange(search, Date.now()), [search])
  const list = usePipelineRunList({
    ...(chosen.length > 0 && { status: chosen }),
    ...(search.pipeline_id !== undefined && { pipeline_id: search.pipeline_id }),
    ...range,
  })
  const columns = pipelineRunColumns(nameOf)
  const set = (part: { [Key in keyof Search]?: Search[Key] | undefined }) =>
    void navigate({ to: '/pipeline-runs', search: defined({ ...search, ...part }), replace: true })
  const toggle = (one: PipelineRunStatus) =>
    set({
      status: pipelineRunStatuses.filter((each) => chosen.includes(each) !== (each === one)).join(',') || undefined,
    })
  const clear = () => void navigate({ to: '/pipeline-runs', search: {} })
  const isFiltered = Object.keys(search).length > 0
  const options = pipelines.map(({ id, name }) => [id, name] as const)
  const unknown = search.pipeline_id !== undefined && !pipelines.some(({ id }) => id === search.pipeline_id)
  return (
    <>
      <PipelinesHeader title="Pipeline runs" />
      <FilterBar onClear={isFiltered ? clear : undefined}>
        {pipelineRunStatuses.map((one) => (
          <FilterChip
            key={one}
            label={flowWords.pipelineRunStatuses[one]}
            isOn={chosen.includes(one)}
            onToggle={() => toggle(one)}
          />
        ))}
        <FilterSelect
          label="Pipeline"
          value={search.pipeline_id ?? ''}
          options={[
            ['', 'All pipelines'],
            ...options,
            ...(unknown ? [[search.pipeline_id ?? '', search.pipeline_id ?? ''] as const] : []),
          ]}
          onChange={(value) => set({ pipeline_id: value || undefined })}
        />
        <RangeFilter range={search} onChange={set} />
      </FilterBar>
      <ListView
        label="Pipeline runs"
        list={list}
        columns={columns}
        hrefOf={({ id }) => `/pipeline-runs/${id}`}
        empty={
          isFiltered ? (
            <EmptyState title="No pipeline run matches these filters" action={<Button onClick={clear}>Clear</Button>} />
          ) : (
            <EmptyState
              title="No pipeline runs yet"
              action={
                <Button onClick={() => void navigate({ to: '/pipelines', search: {} })}>Choose a pipeline</Button>
              }
            >
              A pipeline run is one execution of a pipeline. Start one on the page of a pipeline.
            </EmptyState>
          )
        }
      />
    </>
  )
}
