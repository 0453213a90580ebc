import type { AgentVersion } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { agentDiffQuery, useVersions } from '../../api/agents.ts'
import { openDeploymentsQuery } from '../../api/deployments.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { Actor } from './actor.tsx'
import { AgentFrame } from './agent-frame.tsx'
import { VersionComparison } from './version-comparison.tsx'

export const AgentVersionsPage = () => {
  const { agentId } = useParams({ from: '/app/agents/$agentId/versions' })
  return (
    <AgentFrame agentId={agentId} part="Versions">
      {() => <Versions agentId={agentId} />}
    </AgentFrame>
  )
}

type Row = AgentVersion & { id: string }

const Versions = ({ agentId }: { agentId: string }) => {
  const search = useSearch({ from: '/app/agents/$agentId/versions' })
  const versions = useVersions(agentId)
  const { data: open = [] } = useQuery(openDeploymentsQuery(agentId))
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
  const columns: readonly Column<Row>[] = [
    {
      id: 'version',
      title: 'Version',
      width: '14rem',
      cell: ({ version }) => (
        <span className="num inline-flex items-center gap-2">
          {version}
          {open
            .filter((deployment) => deployment.version === version)
            .map(({ id, status }) => (
              <Badge
                key={id}
                label={wordOf(words.deploymentStatuses, status)}
                tone={status === 'canary' ? 'run' : 'good'}
              />
            ))}
        </span>
      ),
    },
    { id: 'name', title: 'Name', cell: ({ name }) => <span className="[unicode-bidi:isolate]">{name}</span> },
    { id: 'by', title: 'By', width: '14rem', cell: ({ created_by }) => <Actor id={created_by} /> },
    { id: 'created', title: 'Created', width: '13rem', cell: ({ created_at }) => <Time at={created_at} /> },
  ]
  return (
    <div className="flex flex-col gap-5 p-4">
      <section className="overflow-hidden rounded-lg border border-line">
        <DataTable
          label="Versions"
          isInline
          columns={columns}
          rows={rows}
          hrefOf={({ version }) => `/agents/${agentId}/versions?from=${Math.max(1, version - 1)}&to=${version}`}
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
      <Comparison agentId={agentId} newest={newest} from={from} to={to} />
    </div>
  )
}

const Comparison = (props: { agentId: string; newest: number; from: number; to: number }) => {
  const { agentId, newest, from, to } = props
  const navigate = useNavigate()
  const diff = useQuery({ ...agentDiffQuery(agentId, from, to), enabled: from !== to })
  return (
    <VersionComparison
      newest={newest}
      from={from}
      to={to}
      diff={diff}
      onChoose={(search) =>
        void navigate({ to: '/agents/$agentId/versions', params: { agentId }, search, replace: true })
      }
    />
  )
}
