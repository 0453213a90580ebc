import type { PipelineVersion } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { pipelineDiffQuery, usePipelineVersions } from '../../api/pipelines.ts'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { Actor } from '../agents/actor.tsx'
import { VersionComparison } from '../agents/version-comparison.tsx'
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

const Comparison = (props: { pipelineId: string; newest: number; from: number; to: number }) => {
  const { pipelineId, newest, from, to } = props
  const navigate = useNavigate()
  const diff = useQuery({ ...pipelineDiffQuery(pipelineId, from, to), enabled: from !== to })
  return (
    <VersionComparison
      newest={newest}
      from={from}
      to={to}
      diff={diff}
      onChoose={(search) =>
        void navigate({ to: '/pipelines/$pipelineId/versions', params: { pipelineId }, search, replace: true })
      }
    />
  )
}
