import type { AlertPreview } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { alertPreviewQuery } from '../../api/alerts.ts'
import { analyticsQuery } from '../../api/analytics.ts'
import { useMay } from '../../session.ts'
import { TimeChart } from '../../ui/chart/time-chart.tsx'
import { count } from '../../ui/format.ts'
import { Problem } from '../../ui/problem.tsx'
import { Time } from '../../ui/time.tsx'
import { useSettled } from '../../ui/use-settled.ts'
import { words } from '../../ui/words.ts'
import { pointsOf } from '../analytics/figures.ts'
import { metrics, valueText } from './metrics.ts'
import { type RuleFields, termsOf } from './rule-fields.ts'

/** The last 7 days of the figure with the threshold, and when the rule would have fired. */
export const RulePreview = ({ fields, isCorrect }: { fields: RuleFields; isCorrect: boolean }) => (
  <div className="flex min-w-0 flex-col gap-5">
    <History fields={fields} />
    {metrics[fields.metric].hasNoPast ? (
      <p className="text-ink-2">This figure has no past values, so there is no preview.</p>
    ) : (
      isCorrect && <Firings fields={fields} />
    )}
  </div>
)

const History = ({ fields }: { fields: RuleFields }) => {
  const { metric, agentId, operator } = fields
  const { ofHour, typedPer = 1 } = metrics[metric]
  const asked = { from: '-7d', interval: 'hour', time_zone: 'UTC', ...(agentId && { agent_id: agentId }) } as const
  const { data } = useQuery({ ...analyticsQuery(asked), enabled: useMay('analytics:read') && ofHour !== undefined })
  const threshold = useDeferredValue(Number(fields.threshold) / typedPer)
  if (!ofHour || !data) return null
  const points = pointsOf(data)
  return (
    <section aria-label="The last 7 days">
      <TimeChart
        title={`${words.alertMetrics[metric]}, by hour`}
        times={points.map(({ time }) => time)}
        series={[
          {
            id: 'value',
            name: agentId === '' ? 'All agents' : 'This agent',
            tone: 'accent',
            values: points.map(({ figures }) => (figures === null ? null : ofHour(figures))),
          },
        ]}
        kind="lines"
        format={(value) => valueText(metric, value)}
        threshold={
          Number.isFinite(threshold)
            ? { value: threshold, name: `Fires ${operator} ${valueText(metric, threshold)}` }
            : undefined
        }
        height={260}
      />
      <p className="mt-1 text-ink-3 text-xs">A window of some minutes swings more than these hours do.</p>
    </section>
  )
}

const Firings = ({ fields }: { fields: RuleFields }) => {
  const terms = useSettled(JSON.stringify(termsOf(fields)), { ms: settleMs })
  const { data, error, refetch, isPending } = useQuery(alertPreviewQuery(JSON.parse(terms)))
  return (
    <section aria-label="Preview">
      {error && <Problem title="Preview: not loaded" error={error} onRetry={() => void refetch()} />}
      <p role="status" className="mb-2 font-semibold text-lg">
        {isPending && !error && 'Computing when it would have fired…'}
        {data && sentenceOf(data)}
      </p>
      {data && data.periods.length > 0 && <Periods preview={data} fields={fields} />}
    </section>
  )
}

const shownPeriods = 10

const Periods = ({ preview: { periods }, fields }: { preview: AlertPreview; fields: RuleFields }) => (
  <ul className="num grid gap-1 text-ink-2">
    {periods
      .slice(-shownPeriods)
      .reverse()
      .map(({ from, to, peak }) => (
        <li key={from}>
          <Time at={from} /> to {to === null ? 'now' : <Time at={to} />}, {fields.operator === 'above' ? 'up' : 'down'}{' '}
          to {valueText(fields.metric, peak)}
        </li>
      ))}
    {periods.length > shownPeriods && <li>and {count(periods.length - shownPeriods)} earlier ones</li>}
  </ul>
)

const sentenceOf = ({ fired }: AlertPreview): string => {
  if (fired === 0) return 'It would not have fired in the last 7 days.'
  return fired === 1
    ? 'It would have fired once in the last 7 days.'
    : `It would have fired ${count(fired)} times in the last 7 days.`
}

const settleMs = 500
