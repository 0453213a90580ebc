import type { Alert, Deployment, Run, Webhook } from '@agent-run-service/sdk'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useAgentName } from '../../api/agents.ts'
import { firingQuery } from '../../api/firing.ts'
import { brokenWebhooksQuery, canariesQuery, failuresQuery, waitingRunsQuery } from '../../api/home.ts'
import { useMay } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { count } from '../../ui/format.ts'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { QuotaCard } from './quota-card.tsx'

/** Decisions that wait, failures of a day by agent, canaries, failing webhooks, alerts and the quota. */
export const NeedsMe = ({ hasRuns }: { hasRuns: boolean }) => {
  const nameOf = useAgentName()
  const waiting = useQuery(waitingRunsQuery)
  const failures = useQuery(failuresQuery)
  const canaries = useQuery({ ...canariesQuery, enabled: useMay('agents:read') })
  const webhooks = useQuery({ ...brokenWebhooksQuery, enabled: useMay('webhooks:read') })
  const alerts = useQuery({ ...firingQuery, enabled: useMay('alerts:read') })
  const maySeeUsage = useMay('usage:read')
  if (!hasRuns) return null
  return (
    <div className="grid gap-4 p-4 lg:grid-cols-2">
      <Card title="Decisions that wait" query={waiting} nothing="No run waits for a decision.">
        {(runs: readonly Run[]) => (
          <ul>
            {runs.map((run) => (
              <Row
                key={run.id}
                href={
                  <Link to="/approvals" search={{ run: run.id }} className="text-accent underline">
                    {nameOf(run.agent_id)}
                  </Link>
                }
                note={<Time at={run.created_at} isRelative />}
              >
                {run.required_actions[0]?.message.slice(0, 200)}
              </Row>
            ))}
          </ul>
        )}
      </Card>
      <Card title="Failed in the last 24 hours" query={failures} nothing="No run failed.">
        {(runs: readonly Run[]) => (
          <ul>
            {byAgent(runs).map(({ agentId, runs: failed }) => (
              <Row
                key={agentId}
                href={
                  <Link
                    to="/runs"
                    search={{ status: 'failed', agent_id: agentId, created_after: '-24h' }}
                    className="text-accent underline"
                  >
                    {nameOf(agentId)}
                  </Link>
                }
                note={runs.length === 100 ? `${count(failed.length)} of the newest 100` : count(failed.length)}
              >
                {[...new Set(failed.map(({ error }) => error?.code ?? ''))].slice(0, 3).join(', ')}
              </Row>
            ))}
          </ul>
        )}
      </Card>
      <Card title="Canaries" query={canaries} nothing="No canary is out.">
        {(deployments: readonly Deployment[]) => (
          <ul>
            {deployments.map((each) => (
              <Row
                key={each.id}
                href={
                  <Link
                    to="/agents/$agentId/releases"
                    params={{ agentId: each.agent_id }}
                    className="text-accent underline"
                  >
                    {nameOf(each.agent_id)}
                  </Link>
                }
                note={`${each.traffic_percent} %`}
              >
                Version {each.version}
              </Row>
            ))}
          </ul>
        )}
      </Card>
      <Card title="Webhooks with trouble" query={webhooks} nothing="All webhooks work.">
        {(broken: readonly Webhook[]) => (
          <ul>
            {broken.map((each) => (
              <Row
                key={each.id}
                href={
                  <Link to="/webhooks/$webhookId" params={{ webhookId: each.id }} className="text-accent underline">
                    {each.url}
                  </Link>
                }
                note={<Badge label={each.active ? 'Failing' : 'Disabled'} tone="bad" />}
              >
                {each.disabled_reason ? wordOf(words.webhookDisabledReasons, each.disabled_reason) : null}
              </Row>
            ))}
          </ul>
        )}
      </Card>
      <Card title="Alerts that fire" query={alerts} nothing="No alert fires.">
        {(firing: readonly Alert[]) => (
          <ul>
            {firing.map((each) => (
              <Row
                key={each.id}
                href={
                  <Link to="/alerts/$alertId" params={{ alertId: each.id }} className="text-accent underline">
                    {each.rule.name}
                  </Link>
                }
                note={<Time at={each.triggered_at} isRelative />}
              >
                {each.rule.agent_id === null ? 'All agents' : nameOf(each.rule.agent_id)}
              </Row>
            ))}
          </ul>
        )}
      </Card>
      {maySeeUsage && <QuotaCard />}
    </div>
  )
}

const byAgent = (runs: readonly Run[]): { agentId: string; runs: Run[] }[] => {
  const groups = new Map<string, Run[]>()
  for (const run of runs) groups.set(run.agent_id, [...(groups.get(run.agent_id) ?? []), run])
  return [...groups].map(([agentId, each]) => ({ agentId, runs: each })).sort((a, b) => b.runs.length - a.runs.length)
}

const Card = <Item,>(props: {
  title: string
  query: UseQueryResult<readonly Item[]>
  nothing: string
  children(items: readonly Item[]): ReactNode
}) => {
  const { data, error, isPending, fetchStatus, refetch } = props.query
  const isForbidden = isPending && fetchStatus === 'idle'
  if (isForbidden) return null
  return (
    <section aria-label={props.title} className="min-w-0 rounded-lg border border-line">
      <h2 className="border-line border-b px-3 py-2 font-semibold">{props.title}</h2>
      {error && <Problem title={`${props.title}: not loaded`} error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton rows={3} />}
      {data?.length === 0 && <p className="px-3 py-3 text-ink-2">{props.nothing}</p>}
      {data && data.length > 0 && props.children(data)}
    </section>
  )
}

const Row = ({ href, note, children }: { href: ReactNode; note: ReactNode; children: ReactNode }) => (
  <li className="flex items-center gap-3 border-line/60 border-b px-3 py-2 last:border-b-0">
    <span className="min-w-0 shrink truncate font-medium">{href}</span>
    <span className="min-w-0 flex-1 truncate text-ink-2 [unicode-bidi:isolate]">{children}</span>
    <span className="num shrink-0 text-ink-2">{note}</span>
  </li>
)
