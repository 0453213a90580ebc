import type { Alert } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useAgentName } from '../../api/agents.ts'
import { alertQuery } from '../../api/alerts.ts'
import { MissingState } from '../../shell/missing-state.tsx'
import { TimeChart } from '../../ui/chart/time-chart.tsx'
import { DetailList } from '../../ui/detail-list.tsx'
import { count, duration } from '../../ui/format.ts'
import { Id } from '../../ui/id.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { AlertBadge, SeverityBadge } from './alert-badges.tsx'
import { conditionText, valueText } from './metrics.ts'

/** The page of an alert: its rule, the chart of its snapshot, links to runs and analytics. */
export const AlertPage = () => {
  const { alertId }: { alertId: string } = useParams({ from: '/app/alerts/$alertId' })
  const { data: alert, error, refetch } = useQuery(alertQuery(alertId))
  if (!alert) {
    return error ? (
      <MissingState what="Alert" id={alertId} error={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton />
    )
  }
  return (
    <>
      <PageHeader
        trail={
          <Link to="/alerts" className="hover:underline">
            Alerts
          </Link>
        }
        title={alert.rule.name}
        aside={
          <>
            <AlertBadge status={alert.status} />
            <SeverityBadge severity={alert.severity} />
          </>
        }
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6 p-4">
        <p className="text-lg">
          {wordOf(words.alertMetrics, alert.snapshot.metric)} was{' '}
          <strong className="num">{valueText(alert.snapshot.metric, alert.snapshot.value)}</strong> when it fired.
        </p>
        <Snapshot alert={alert} />
        <Facts alert={alert} />
      </div>
    </>
  )
}

const Snapshot = ({ alert: { rule, snapshot } }: { alert: Alert }) => {
  const { metric, threshold, series } = snapshot
  if (series.length === 0) return null
  return (
    <section aria-label="The values that led to it" className="max-w-5xl">
      <TimeChart
        title={`${wordOf(words.alertMetrics, metric)} by minute`}
        times={series.map(({ at }) => new Date(at))}
        series={[{ id: 'value', name: 'Value', tone: 'accent', values: series.map(({ value }) => value) }]}
        kind="lines"
        format={(value) => valueText(metric, value)}
        threshold={{ value: threshold, name: `Fires ${rule.operator} ${valueText(metric, threshold)}` }}
      />
    </section>
  )
}

const ofFailures: readonly string[] = ['failure_rate', 'error_code_count']

const Facts = ({ alert }: { alert: Alert }) => {
  const { rule, snapshot, triggered_at, resolved_at, resolution } = alert
  const nameOf = useAgentName()
  const agent = rule.agent_id === null ? {} : { agent_id: rule.agent_id }
  return (
    <DetailList
      items={[
        ['Alert', <Id key="id" id={alert.id} />],
        [
          'Rule',
          <Link key="rule" to="/alert-rules/$ruleId" params={{ ruleId: rule.id }} className="text-accent underline">
            {conditionText(rule)}
          </Link>,
        ],
        ['Agent', rule.agent_id === null ? 'All agents' : nameOf(rule.agent_id)],
        ['Fired', <Time key="fired" at={triggered_at} />],
        [
          'Resolved',
          resolved_at === null ? (
            'Not yet'
          ) : (
            <span key="resolved">
              <Time at={resolved_at} />, after {duration(Date.parse(resolved_at) - Date.parse(triggered_at))}.{' '}
              {resolution && wordOf(words.alertResolutions, resolution)}
            </span>
          ),
        ],
        [
          'Window',
          <span key="window">
            <Time at={snapshot.window_start} /> to <Time at={snapshot.window_end} />, with {count(snapshot.sample_size)}{' '}
            runs or deliveries
          </span>,
        ],
        [
          'Look further',
          <span key="further" className="flex flex-wrap gap-4">
            <Link
              to="/runs"
              search={{
                ...agent,
                ...(ofFailures.includes(snapshot.metric) && { status: 'failed' }),
                ...(rule.error_code !== null && { error_code: rule.error_code }),
                created_after: snapshot.window_start,
                created_before: snapshot.window_end,
              }}
              className="text-accent underline"
            >
              Runs of the window
            </Link>
            <Link
              to="/analytics"
              search={{ ...agent, from: dayBefore(triggered_at), to: snapshot.window_end }}
              className="text-accent underline"
            >
              Analytics of the day before it
            </Link>
          </span>,
        ],
      ]}
    />
  )
}

const dayBefore = (iso: string): string => new Date(Date.parse(iso) - 86_400_000).toISOString()
