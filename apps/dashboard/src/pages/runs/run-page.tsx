import type { Run, RunStep } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { hasEnded, runQuery, runStepsQuery } from '../../api/runs.ts'
import { MissingState } from '../../shell/missing-state.tsx'
import { Banner } from '../../ui/banner.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { RunFacts } from './run-facts.tsx'
import { RunHeader } from './run-header.tsx'
import { RunMain } from './run-main.tsx'
import { neighboursOf } from './run-neighbours.ts'
import { RunPanel } from './run-panel.tsx'
import { RunReplay } from './run-replay.tsx'
import { useRunFeed } from './use-run-feed.ts'

export const RunPage = () => {
  const { runId } = useParams({ from: '/app/runs/$runId' })
  const { data: run, error, refetch } = useQuery(runQuery(runId))
  if (run) return <LoadedRun key={runId} run={run} />
  if (!error) return <Skeleton />
  return (
    <MissingState what="Run" id={runId} error={error} onRetry={() => void refetch()}>
      <p className="mb-2 text-ink-2">
        Runs are deleted some time after they end. The plan of the organisation says when; the least is 30 days.
      </p>
    </MissingState>
  )
}

const LoadedRun = ({ run }: { run: Run }) => {
  const { step, view } = useSearch({ from: '/app/runs/$runId' })
  const navigate = useNavigate()
  // A run that was active when the page came is followed to its end.
  const [wasActive] = useState(() => !hasEnded(run))
  const live = useRunFeed(run.id, wasActive)
  const { data: steps = [], error: stepsError, refetch } = useQuery(runStepsQuery(run.id))
  useNeighbourKeys(run.id)
  const status = hasEnded(run) ? run.status : live.feed.status || run.status
  const select = (number: number | undefined) =>
    void navigate({
      to: '/runs/$runId',
      params: { runId: run.id },
      search: { ...(view && { view }), ...(number !== undefined && { step: number }) },
      replace: true,
    })
  const shown = { ...run, status }
  return (
    <>
      <RunHeader run={shown} steps={steps} connection={live.connection} view={view} />
      <RunFacts run={shown} />
      {run.erased_at && (
        <Banner tone="info">
          Its data was erased on <Time at={run.erased_at} />. Status, times and error stay.
        </Banner>
      )}
      {stepsError && <Problem title="Steps: not loaded" error={stepsError} onRetry={() => void refetch()} />}
      {view === 'raw' ? (
        <Raw run={run} steps={steps} />
      ) : (
        <RunPanel run={run} steps={steps} selected={step} onSelect={select}>
          {view === 'replay' && hasEnded(run) ? (
            <RunReplay run={run} steps={steps} selected={step} onSelect={select} />
          ) : (
            <RunMain run={shown} steps={steps} live={live} selected={step} onSelect={select} />
          )}
        </RunPanel>
      )}
    </>
  )
}

const Raw = ({ run, steps }: { run: Run; steps: readonly RunStep[] }) => (
  <div className="grid gap-4 p-4 lg:grid-cols-2">
    <section aria-label="Run" className="min-w-0">
      <h2 className="mb-2 font-medium">Run</h2>
      <JsonView value={run} name={run.id} />
    </section>
    <section aria-label="Steps" className="min-w-0">
      <h2 className="mb-2 font-medium">Steps</h2>
      <JsonView value={steps} name={`${run.id}-steps`} />
    </section>
    <Link to="/runs/$runId" params={{ runId: run.id }} search={{}} className="text-accent underline">
      Back to the run
    </Link>
  </div>
)

/** `[` and `]` open the previous and the next run of the list that the person came from. */
const useNeighbourKeys = (id: string): void => {
  const navigate = useNavigate()
  const { shortcuts } = usePreferences()
  useEffect(() => {
    if (shortcuts === 'off') return
    const onKey = (event: KeyboardEvent) => {
      const [target] = event.composedPath()
      const isTyping =
        target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable=true]')
      if (isTyping || event.metaKey || event.ctrlKey) return
      const { before, after } = neighboursOf(id)
      const next = { '[': before, ']': after }[event.key]
      if (next !== undefined) void navigate({ to: '/runs/$runId', params: { runId: next }, search: {} })
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [id, navigate, shortcuts])
}
