import {
  type DeploymentComparison,
  type DeploymentSide,
  type RuleComparison,
  rollbackMetrics,
} from '@agent-run-service/sdk'
import { useState } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { Meter } from '../../ui/chart/meter.tsx'
import { TimeChart } from '../../ui/chart/time-chart.tsx'
import { FilterSelect } from '../../ui/filter-bar.tsx'
import { count, duration } from '../../ui/format.ts'
import { wordOf, words } from '../../ui/words.ts'
import { estimateText, progressText, ruleState, seriesOf } from './comparison.ts'
import { metricText } from './rollout.ts'

/** The release beside the version that ran before: figures, chart, rules. */
export const ComparisonView = ({ comparison }: { comparison: DeploymentComparison }) => (
  <div className="flex flex-col gap-5">
    <Figures comparison={comparison} />
    <Chart comparison={comparison} />
    <Rules rules={comparison.rules} />
  </div>
)

const Figures = ({ comparison }: { comparison: DeploymentComparison }) => {
  const { canary, running, window_seconds } = comparison
  const sides = [
    ...(running === null ? [] : [{ title: `Running: version ${running.version}`, side: running }]),
    { title: `This one: version ${canary.version}`, side: canary },
  ]
  return (
    <section
      aria-label="Figures of both versions"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling block must be reachable by keyboard.
      tabIndex={0}
      className="overflow-x-auto"
    >
      <table className="w-full min-w-[32rem] max-w-3xl">
        <caption className="mb-1 text-start text-ink-3 text-xs">
          Ended runs of {duration(window_seconds * 1_000)}; ranges with 99 % confidence
        </caption>
        <thead>
          <tr>
            <td className="w-44 border-line border-b" />
            {sides.map(({ title }) => (
              <th key={title} scope="col" className="border-line border-b px-2 py-1.5 text-start font-medium">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {figures.map(({ name, of }) => (
            <tr key={name}>
              <th scope="row" className="border-line/60 border-b py-1.5 text-start font-normal text-ink-2">
                {name}
              </th>
              {sides.map(({ title, side }) => (
                <td key={title} className="num border-line/60 border-b px-2 py-1.5">
                  {of(side)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const figures: readonly { name: string; of(side: DeploymentSide): string }[] = [
  { name: 'Runs', of: ({ runs }) => count(runs) },
  { name: 'Failure rate', of: ({ failure_rate }) => estimateText('failure_rate', failure_rate) },
  { name: 'Duration, median', of: ({ latency_p50_ms }) => duration(latency_p50_ms) },
  { name: 'Duration, p95', of: ({ latency_p95_ms }) => estimateText('latency_p95_ms', latency_p95_ms) },
  { name: 'Cost of a run', of: ({ cost_per_run_usd }) => estimateText('cost_per_run_usd', cost_per_run_usd) },
]

const Chart = ({ comparison }: { comparison: DeploymentComparison }) => {
  const [metric, setMetric] = useState<(typeof rollbackMetrics)[number]>('failure_rate')
  const { times, series } = seriesOf(comparison, metric)
  const rule = comparison.rules.find((each) => each.metric === metric)
  return (
    <section aria-label="Over time">
      <div className="mb-2">
        <FilterSelect
          label="Metric of the chart"
          value={metric}
          options={rollbackMetrics.map((each) => [each, words.rollbackMetrics[each]])}
          onChange={(value) => setMetric(rollbackMetrics.find((each) => each === value) ?? 'failure_rate')}
        />
      </div>
      {times.length === 0 ? (
        <p className="rounded-lg border border-line border-dashed p-6 text-center text-ink-3">
          No run has ended in this time.
        </p>
      ) : (
        <TimeChart
          title={words.rollbackMetrics[metric]}
          times={times}
          series={series}
          kind="lines"
          format={(value) => metricText(metric, value)}
          threshold={rule && { value: rule.above, name: `Rule: above ${metricText(metric, rule.above)}` }}
        />
      )}
    </section>
  )
}

const Rules = ({ rules }: { rules: readonly RuleComparison[] }) => (
  <section>
    <h3 className="mb-2 font-semibold">Rules that roll it back</h3>
    {rules.length === 0 && <p className="text-ink-2">It has no rules: the service never rolls it back.</p>}
    <ul className="grid gap-3 lg:grid-cols-2">
      {rules.map((rule, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a rule has no identity but its place.
        <RuleCard key={n} rule={rule} />
      ))}
    </ul>
  </section>
)

const RuleCard = ({ rule }: { rule: RuleComparison }) => {
  const { metric, above, min_runs, runs_needed, canary } = rule
  const { word, tone } = ruleState(rule)
  const name = wordOf(words.rollbackMetrics, metric)
  const top = Math.max(above * 2, (canary?.at_most ?? canary?.value ?? 0) * 1.1)
  return (
    <li className="rounded-lg border border-line p-3">
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <span className="font-medium">
          {name} above {metricText(metric, above)}
        </span>
        <Badge label={word} tone={tone} />
        <span className="num ms-auto text-ink-2">{progressText(rule)}</span>
      </div>
      {runs_needed > 0 ? (
        <Meter
          label={`Runs for the rule ${name}`}
          text={progressText(rule)}
          value={min_runs - runs_needed}
          max={min_runs}
          tone="run"
        />
      ) : (
        <Meter
          label={`${name} of the canary`}
          text={estimateText(metric, canary)}
          value={canary?.value ?? 0}
          range={canary ? { from: canary.at_least, to: canary.at_most } : undefined}
          threshold={above}
          max={top}
          tone={rule.is_broken ? 'bad' : 'good'}
        />
      )}
      <p className="num mt-2 text-ink-2 text-xs">
        Now {estimateText(metric, canary)}; running version {estimateText(metric, rule.running)}; runs of the last{' '}
        {duration(rule.window_seconds * 1_000)}
      </p>
    </li>
  )
}
