import type { Agent, Deployment } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { deploymentQuery, useDeploymentList } from '../../api/deployments.ts'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { Actor } from './actor.tsx'
import { AgentFrame } from './agent-frame.tsx'
import { DeploymentBadge } from './deployment-badge.tsx'
import { ReleaseView } from './release-view.tsx'

export const AgentReleasesPage = () => {
  const { agentId } = useParams({ from: '/app/agents/$agentId/releases' })
  return (
    <AgentFrame agentId={agentId} part="Releases">
      {(agent) => <Releases agent={agent} />}
    </AgentFrame>
  )
}

const columns: readonly Column<Deployment>[] = [
  { id: 'version', title: 'Version', width: '6rem', cell: ({ version }) => <span className="num">{version}</span> },
  {
    id: 'status',
    title: 'Status',
    width: '9rem',
    cell: ({ status }) => <DeploymentBadge status={status} />,
  },
  {
    id: 'share',
    title: 'Share',
    width: '5rem',
    align: 'end',
    cell: ({ status, traffic_percent }) => (status === 'canary' ? `${traffic_percent} %` : '–'),
  },
  { id: 'source', title: 'Source', width: '12rem', cell: ({ source }) => wordOf(words.deploymentSources, source) },
  { id: 'by', title: 'By', width: '12rem', cell: ({ created_by }) => <Actor id={created_by} /> },
  { id: 'created', title: 'Created', width: '13rem', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    id: 'reason',
    title: 'Why rolled back',
    cell: ({ rollback_reason }) => <span className="[unicode-bidi:isolate]">{rollback_reason ?? '–'}</span>,
  },
]

const Releases = ({ agent }: { agent: Agent }) => {
  const { deployment: wanted } = useSearch({ from: '/app/agents/$agentId/releases' })
  const list = useDeploymentList(agent.id)
  const chosen = wanted ?? list.rows.find(({ status }) => status === 'canary')?.id ?? list.rows[0]?.id
  const { data: shown } = useQuery({ ...deploymentQuery(chosen ?? ''), enabled: chosen !== undefined })
  const { patch } = list
  useEffect(() => {
    if (shown) patch([shown])
  }, [shown, patch])
  if (list.isLoading) return <Skeleton />
  if (list.error && list.rows.length === 0) {
    return <Problem title="The releases: not loaded" error={list.error} onRetry={list.retry} />
  }
  return (
    <div className="flex flex-col gap-6 p-4">
      {chosen !== undefined && <ReleaseView key={chosen} deploymentId={chosen} agent={agent} />}
      <section>
        <h2 className="mb-2 font-semibold">All releases</h2>
        <div className="overflow-hidden rounded-lg border border-line">
          <DataTable
            label="Releases"
            isInline
            columns={columns}
            rows={list.rows}
            hrefOf={({ id }) => `/agents/${agent.id}/releases?deployment=${id}`}
          />
          {list.hasMore && (
            <Button kind="quiet" className="m-2" isBusy={list.isLoadingMore} onClick={list.loadMore}>
              Older releases
            </Button>
          )}
        </div>
      </section>
    </div>
  )
}
