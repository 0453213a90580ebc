import type { Run, RunStep } from '@agent-run-service/sdk'
import { Link } from '@tanstack/react-router'
import { Radio } from 'lucide-react'
import { useAgentName } from '../../api/agents.ts'
import { hasEnded } from '../../api/runs.ts'
import { shortId } from '../../ui/format.ts'
import { Id } from '../../ui/id.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { RunActions } from './run-actions.tsx'
import type { LiveFeed } from './use-run-feed.ts'

export const RunHeader = (props: {
  run: Run
  steps: readonly RunStep[]
  connection: LiveFeed['connection']
  view: 'raw' | 'replay' | undefined
}) => {
  const { run } = props
  const name = useAgentName()(run.agent_id)
  return (
    <PageHeader
      trail={
        <Link to="/runs" className="hover:text-ink">
          Runs
        </Link>
      }
      title={
        <Link to="/agents/$agentId" params={{ agentId: run.agent_id }} className="hover:underline">
          {name}
        </Link>
      }
      tabTitle={`${name} ${shortId(run.id)}`}
      aside={
        <>
          <Id id={run.id} />
          <span role="status">
            <span className="sr-only">Run: </span>
            <StatusBadge status={run.status} />
          </span>
          {!hasEnded(run) && <LiveMark connection={props.connection} />}
        </>
      }
    >
      <RunActions run={run} steps={props.steps} view={props.view} />
    </PageHeader>
  )
}

export const LiveMark = ({ connection }: { connection: LiveFeed['connection'] }) => {
  if (connection === 'connected') {
    return (
      <span className="flex items-center gap-1 text-run text-xs">
        <Radio aria-hidden size={13} className="animate-pulse" /> live
      </span>
    )
  }
  if (connection === 'waiting') return <span className="text-warn text-xs">connecting again…</span>
  return connection === 'broken' ? <span className="text-bad text-xs">not live: reload the page</span> : null
}
