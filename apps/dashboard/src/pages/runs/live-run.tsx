import type { Run } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { hasEnded, runQuery, runStepsQuery } from '../../api/runs.ts'
import { shortId } from '../../ui/format.ts'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { RunMain } from './run-main.tsx'
import { useRunFeed } from './use-run-feed.ts'

/** A run as it happens, inside another page. */
export const LiveRun = ({ runId }: { runId: string }) => {
  const { data: run, error, refetch } = useQuery(runQuery(runId))
  if (run) return <Followed run={run} />
  return error ? <Problem title="Run: not loaded" error={error} onRetry={() => void refetch()} /> : <Skeleton />
}

const Followed = ({ run }: { run: Run }) => {
  const [wasActive] = useState(() => !hasEnded(run))
  const [selected, setSelected] = useState<number>()
  const live = useRunFeed(run.id, wasActive)
  const { data: steps = [] } = useQuery(runStepsQuery(run.id))
  const status = hasEnded(run) ? run.status : live.feed.status || run.status
  return (
    <>
      <p role="status" className="flex items-center gap-2 border-line border-b px-4 py-2">
        <StatusBadge status={status} />
        <Link to="/runs/$runId" params={{ runId: run.id }} className="font-mono text-accent text-xs underline">
          {shortId(run.id)}
        </Link>
      </p>
      <RunMain run={{ ...run, status }} steps={steps} live={live} selected={selected} onSelect={setSelected} />
    </>
  )
}
