import { AgentRunService, type Fetch, type Run } from '@agent-run-service/sdk'
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { statusOf } from '../../api/problem.ts'
import { createQueryClient } from '../../api/query-client.ts'
import { hasEnded, runQuery, runStepsQuery } from '../../api/runs.ts'
import { Button } from '../../ui/button.tsx'
import { downloadJson } from '../../ui/download.ts'
import { Id } from '../../ui/id.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { OpenPage } from '../login/open-page.tsx'
import { useFragment } from '../login/token-in-address.ts'
import { RunFacts } from '../runs/run-facts.tsx'
import { LiveMark } from '../runs/run-header.tsx'
import { RunMain } from '../runs/run-main.tsx'
import { RunPanel } from '../runs/run-panel.tsx'
import { RunReplay } from '../runs/run-replay.tsx'
import { RunSourceProvider, useRunSource } from '../runs/run-source.ts'
import { useRunFeed } from '../runs/use-run-feed.ts'
import { readSharedLink, type SharedLink } from './shared-link.ts'

/** One run, for everyone who has the link. The token stays in the memory of this page. */
export const SharedPage = () => {
  const link = readSharedLink(useFragment())
  useEffect(() => {
    document.title = 'Shared run · Agent Run Service'
  }, [])
  if (link) return <Source key={link.token} {...link} />
  return (
    <OpenPage
      title="This link is incomplete"
      lead="Open the whole link that you were sent. After a reload, open it again: the page does not keep it."
    >
      {null}
    </OpenPage>
  )
}

/** A link is read with its token and without a cookie, also in a browser that is logged in. */
const withoutCookie: Fetch = (url, init) => fetch(url, { ...init, credentials: 'omit' })

/** A separate cache keeps what a link shows apart from what the person may see. */
const Source = ({ runId, token }: SharedLink) => {
  const [queryClient] = useState(createQueryClient)
  const [source] = useState(() => {
    const { runs } = new AgentRunService({ apiKey: token, baseUrl: location.origin, fetch: withoutCookie })
    return { runs, isShared: true }
  })
  return (
    <QueryClientProvider client={queryClient}>
      <RunSourceProvider value={source}>
        <Loaded runId={runId} />
      </RunSourceProvider>
    </QueryClientProvider>
  )
}

/** A page that stays open notices the end of the link. */
const recheckMs = 30_000

const Loaded = ({ runId }: { runId: string }) => {
  const { runs } = useRunSource()
  const query = useQuery({ ...runQuery(runId, runs), refetchInterval: recheckMs })
  const { data: run, error, refetch } = query
  if (error && [401, 403, 404].includes(statusOf(error) ?? 0)) {
    return (
      <OpenPage
        title="This link does not work any more"
        lead="It was revoked or has expired, or the run is gone. Ask the person who sent it for a new one."
      >
        {null}
      </OpenPage>
    )
  }
  return (
    <main className="flex min-h-dvh flex-col bg-surface lg:h-dvh">
      {run ? (
        <SharedRun run={run} onBroken={() => void refetch()} />
      ) : (
        <>
          <PageHeader title="Shared run" />
          {error ? <Problem title="Run: not loaded" error={error} onRetry={() => void refetch()} /> : <Skeleton />}
        </>
      )}
    </main>
  )
}

const SharedRun = ({ run, onBroken }: { run: Run; onBroken(): void }) => {
  const { runs } = useRunSource()
  const [selected, setSelected] = useState<number>()
  const [isReplay, setIsReplay] = useState(false)
  const [wasActive] = useState(() => !hasEnded(run))
  const live = useRunFeed(run.id, wasActive)
  const { data: steps = [], error, refetch } = useQuery(runStepsQuery(run.id, runs))
  const isBroken = live.connection === 'broken'
  // biome-ignore lint/correctness/useExhaustiveDependencies: the run is read once when the stream breaks, which tells why.
  useEffect(() => {
    if (isBroken) onBroken()
  }, [isBroken])
  const isOver = hasEnded(run)
  const shown = { ...run, status: isOver ? run.status : live.feed.status || run.status }
  const parts = { steps, selected, onSelect: setSelected }
  return (
    <>
      <PageHeader
        title="Shared run"
        aside={
          <>
            <Id id={run.id} />
            <span role="status">
              <span className="sr-only">Run: </span>
              <StatusBadge status={shown.status} />
            </span>
            {!isOver && <LiveMark connection={live.connection} />}
            <span className="text-ink-3 text-xs">read-only</span>
          </>
        }
      >
        {isOver && <Button onClick={() => setIsReplay(!isReplay)}>{isReplay ? 'Close the replay' : 'Replay'}</Button>}
        <Button onClick={() => downloadJson({ run, steps }, run.id)}>Download JSON</Button>
      </PageHeader>
      <RunFacts run={shown} />
      {error && <Problem title="Steps: not loaded" error={error} onRetry={() => void refetch()} />}
      <RunPanel run={run} {...parts}>
        {isReplay && isOver ? <RunReplay run={run} {...parts} /> : <RunMain run={shown} live={live} {...parts} />}
      </RunPanel>
    </>
  )
}
