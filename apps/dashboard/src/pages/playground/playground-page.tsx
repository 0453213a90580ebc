import type { Agent, Run } from '@agent-run-service/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { agentNamesQuery } from '../../api/agents.ts'
import { client } from '../../api/client.ts'
import { runQuery } from '../../api/runs.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterSelect } from '../../ui/filter-bar.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { LiveRun } from '../runs/live-run.tsx'
import { PlaygroundForm } from './playground-form.tsx'
import { RecentRuns } from './recent-runs.tsx'

/** Try an agent: a form on one side, the live run on the other. */
export const PlaygroundPage = () => {
  const search = useSearch({ from: '/app/playground' })
  const navigate = useNavigate()
  const agents = useQuery(agentNamesQuery)
  const queryClient = useQueryClient()
  const active = agents.data?.filter(({ status }) => status === 'active') ?? []
  const agent =
    active.find(({ id }) => id === search.agent_id) ?? active.find(({ input_schema }) => input_schema) ?? active[0]
  /** The run is in the address, so that a reload goes on with it and does not start another. */
  const show = (run: Run) => {
    queryClient.setQueryData(runQuery(run.id).queryKey, run)
    const { start: _, ...kept } = search
    void navigate({ to: '/playground', search: { ...kept, agent_id: run.agent_id, run: run.id }, replace: true })
  }
  return (
    <>
      <PageHeader title="Playground">
        {agent && (
          <FilterSelect
            label="Agent"
            value={agent.id}
            options={active.map(({ id, name }) => [id, name] as const)}
            onChange={(id) => void navigate({ to: '/playground', search: { agent_id: id } })}
          />
        )}
      </PageHeader>
      {agents.error && (
        <Problem title="Agents: not loaded" error={agents.error} onRetry={() => void agents.refetch()} />
      )}
      {agents.isPending && <Skeleton />}
      {agents.data && !agent && (
        <EmptyState
          title="There is no agent to try"
          action={
            <Link to="/catalog" className="text-accent underline">
              Hire one from the catalog
            </Link>
          }
        />
      )}
      {agent && (
        <Bench
          key={`${agent.id} ${search.from_run ?? ''}`}
          agent={agent}
          fromRun={search.from_run}
          starts={search.start === 'true'}
          runId={search.run ?? null}
          onRun={show}
        />
      )}
    </>
  )
}

const Bench = (props: {
  agent: Agent
  fromRun: string | undefined
  starts: boolean
  runId: string | null
  onRun(run: Run): void
}) => {
  const { agent, fromRun, runId } = props
  const source = useQuery({
    queryKey: ['runs', fromRun, 'input'],
    queryFn: async () => client.runs.get(fromRun ?? ''),
    enabled: fromRun !== undefined,
  })
  const sample = useQuery({
    queryKey: ['catalog', agent.catalog_key],
    queryFn: async () => client.catalog.get(agent.catalog_key ?? ''),
    enabled: agent.catalog_key !== null,
    staleTime: 300_000,
  })
  const isLoading = (fromRun !== undefined && source.isPending) || (agent.catalog_key !== null && sample.isPending)
  if (isLoading) return <Skeleton />
  return (
    <div className="grid flex-1 content-start gap-4 lg:min-h-0 lg:grid-cols-[minmax(20rem,26rem)_minmax(0,1fr)] lg:content-stretch">
      <div className="border-line p-4 max-lg:border-b lg:overflow-auto lg:border-e">
        {source.error && <Problem title={`${fromRun}: not loaded`} error={source.error} />}
        <PlaygroundForm
          agent={agent}
          sample={sample.data ?? null}
          source={source.data ?? null}
          startsAtOnce={props.starts}
          onRun={props.onRun}
        />
        <RecentRuns agentId={agent.id} newest={runId} />
      </div>
      <section aria-label="Run" className="min-w-0 lg:overflow-auto">
        {runId === null ? (
          <EmptyState title="No run yet">Press Run. The answer appears here word by word.</EmptyState>
        ) : (
          <LiveRun key={runId} runId={runId} />
        )}
      </section>
    </div>
  )
}
