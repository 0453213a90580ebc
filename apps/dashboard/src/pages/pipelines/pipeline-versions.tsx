import type { PipelineVersion } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { pipelineDiffQuery, usePipelineVersions } from '../../api/pipelines.ts'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { FilterSelect } from '../../ui/filter-bar.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { Actor } from '../agents/actor.tsx'
import { ChangeList } from '../agents/change-list.tsx'
import { PipelineFrame } from './pipeline-frame.tsx'

export const PipelineVersionsPage = () => {
  const { pipelineId } = useParams({ from: '/app/pipelines/$pipelineId/versions' })
  return (
    <PipelineFrame pipelineId={pipelineId} part="Versions">
      {() => <Versions pipelineId={pipelineId} />}
    </PipelineFrame>
  )
}

type Row = PipelineVersion & { id: string }

const columns: readonly Column<Row>[] = [
  { id: 'version', title: 'Version', width: '6rem', cell: ({ version }) => <span className="num">{version}</span> },
  { id: 'name', title: 'Name', cell: ({ name }) => <span className="[unicode-bidi:isolate]">{name}</span> },
  { id: 'steps', title: 'Steps', width: '6rem', align: 'end', cell: ({ definition }) => definition.steps.length },
  { id: 'by', title: 'By', width: '14rem', cell: ({ created_by }) => <Actor id={created_by} /> },
  { id: 'created', title: 'Created', width: '13rem', cell: ({ created_at }) => <Time at={created_at} /> },
]

const Versions = ({ pipelineId }: { pipelineId: string }) => {
  const search = useSearch({ from: '/app/pipelines/$pipelineId/versions' })
  const versions = usePipelineVersions(pipelineId)
  if (versions.isPending) return <Skeleton />
  if (!versions.data) {
    return <Problem title="The versions: not loaded" error={versions.error} onRetry={() => void versions.refetch()} />
  }
  const rows: readonly Row[] = versions.data.pages
    .flatMap(({ data }) => data)
    .map((version) => ({ ...version, id: String(version.version) }))
  const newest = rows[0]?.version ?? 1
  const to = search.to ?? newest
  const from = search.from ?? Math.max(1, to - 1)
  return (
    <div className="flex flex-col gap-5 p-4">
      <section className="overflow-hidden rounded-lg border border-line">
        <DataTable
          label="Versions"
          isInline
          columns={columns}
          rows={rows}
          hrefOf={({ version }) => `/pipelines/${pipelineId}/versions?from=${Math.max(1, version - 1)}&to=${version}`}
        />
        {versions.hasNextPage && (
          <Button
            kind="quiet"
            className="m-2"
            isBusy={versions.isFetchingNextPage}
            onClick={() => void versions.fetchNextPage()}
          >
            Older versions
          </Button>
        )}
      </section>
      <Comparison pipelineId={pipelineId} newest={newest} from={from} to={to} />
    </div>
  )
}

const maxChoices = 1_000

const Comparison = (props: { pipelineId: string; newest: number; from: number; to: number }) => {
  const { pipelineId, newest, from, to } = props
  const navigate = useNavigate()
  const isSame = from === to
  const diff = useQuery({ ...pipelineDiffQuery(pipelineId, from, to), enabled: !isSame })
  const choices = Array.from({ length: Math.min(newest, maxChoices) }, (_, n) => String(newest - n))
  const show = (next: { from: number; to: number }) =>
    void navigate({ to: '/pipelines/$pipelineId/versions', params: { pipelineId }, search: next, replace: true })
  const select = (label: string, value: number, onChange: (value: number) => void) => (
    <FilterSelect
      label={label}
      value={String(value)}
      options={[...new Set([...choices, String(value)])].map((each) => [each, `Version ${each}`])}
      onChange={(each) => onChange(Number(each))}
    />
  )
  return (
    <section aria-labelledby="comparison-title">
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <h2 id="comparison-title" className="font-semibold">
          What changed
        </h2>
        {select('From version', from, (value) => show({ from: value, to }))}
        <span aria-hidden>→</span>
        {select('To version', to, (value) => show({ from, to: value }))}
      </div>
      {isSame && (
        <p className="text-ink-2">{newest === 1 ? 'This is the only version.' : 'Choose two different versions.'}</p>
      )}
      {!isSame && diff.isPending && <Skeleton rows={3} />}
      {diff.error && (
        <Problem title="The difference: not loaded" error={diff.error} onRetry={() => void diff.refetch()} />
      )}
      {diff.data && !isSame && (
        <>
          {diff.data.changes.length === 0 && <p className="text-ink-2">These versions are equal.</p>}
          <ChangeList
            label={`Changes from version ${from} to version ${to}`}
            changes={diff.data.changes.map(({ path, old, new: next }) => ({ path, old, new: next }))}
          />
        </>
      )}
    </section>
  )
}
