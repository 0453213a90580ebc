import type { Usage } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { usageQuery } from '../../api/usage.ts'
import { defined } from '../../search.ts'
import { TimeChart } from '../../ui/chart/time-chart.tsx'
import { downloadCsv } from '../../ui/download.ts'
import { FigureCard, FigureGrid } from '../../ui/figure-card.tsx'
import { FilterSelect } from '../../ui/filter-bar.tsx'
import { bytes, count, hasQuota, shortCount, usd } from '../../ui/format.ts'
import { Menu } from '../../ui/menu.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Problem } from '../../ui/problem.tsx'
import { QuotaMeter } from '../../ui/quota-meter.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { Budgets } from './budgets.tsx'
import { daysOf, monthName, monthsUntil, type UsageChart, usageCharts, usageTables } from './usage-rows.ts'
import { UsageTables } from './usage-tables.tsx'

/** How much of the plan is used, and by whom. */
export const UsagePage = () => {
  const search = useSearch({ from: '/app/usage' })
  const navigate = useNavigate()
  const months = monthsUntil(Date.now())
  // A month that is not kept any more is dropped, as every wrong parameter of an address is.
  const month = months.slice(1).find((each) => each === search.month)
  const { data, error, refetch } = useQuery(usageQuery(month))
  const set = (part: { month?: string | undefined; show?: UsageChart }) =>
    void navigate({ to: '/usage', search: defined({ ...search, ...part }), replace: true })
  return (
    <>
      <PageHeader
        title="Usage"
        aside={
          data && data.plan !== 'none' && <span className="text-ink-2">Plan {wordOf(words.plans, data.plan)}</span>
        }
      >
        <FilterSelect
          label="Month"
          value={month ?? months[0] ?? ''}
          options={months.map((each) => [each, monthName(each)])}
          onChange={(value) => set({ month: value === months[0] ? undefined : value })}
        />
        {data && <Downloads usage={data} />}
      </PageHeader>
      {error && <Problem title="Usage: not loaded" error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton />}
      {data && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-6 p-4">
          <Month usage={data} />
          <Days usage={data} shown={search.show ?? 'runs'} onShow={(show) => set({ show })} />
          <UsageTables usage={data} />
          {month === undefined && <Budgets />}
          {month === undefined && <Now usage={data} />}
        </div>
      )}
    </>
  )
}

const Downloads = ({ usage }: { usage: Usage }) => {
  const item = (label: string, table: keyof typeof usageTables) => ({
    label,
    onSelect: () => downloadCsv(usageTables[table](usage), `usage-${usage.period.start.slice(0, 7)}-by-${table}`),
  })
  return (
    <Menu
      label="Download as CSV"
      isSmall
      items={[item('By day', 'day'), item('By agent', 'agent'), item('By API key', 'api-key')]}
    >
      <Download size={14} /> CSV
    </Menu>
  )
}

const Month = ({ usage: { calls, period, totals, as_of } }: { usage: Usage }) => (
  <div>
    <FigureGrid label={monthName(period.start.slice(0, 7))}>
      {hasQuota(calls) ? (
        <FigureCard name="Accepted runs" value={`${count(calls.used)} of ${count(calls.limit)}`}>
          <QuotaMeter label="Quota of runs" used={calls.used} limit={calls.limit} />
          <span className="mt-1.5 block">
            {count(calls.remaining)} left. The quota starts anew <Time at={period.end} isRelative />.
          </span>
        </FigureCard>
      ) : (
        <FigureCard name="Accepted runs" value={count(calls.used)}>
          No limit of runs a month
        </FigureCard>
      )}
      <FigureCard name="Ended runs" value={count(totals.runs)}>
        {count(totals.completed)} completed, {count(totals.failed)} failed, {count(totals.cancelled)} cancelled
      </FigureCard>
      <FigureCard name="Tokens" value={shortCount(totals.input_tokens + totals.output_tokens)}>
        {shortCount(totals.input_tokens)} in, {shortCount(totals.cached_tokens)} of them cached;{' '}
        {shortCount(totals.output_tokens)} out
      </FigureCard>
      <FigureCard name="Cost" value={usd(totals.cost_usd)}>
        {totals.unpriced_runs === 0
          ? 'Of model calls, by the prices of the operator.'
          : `Without ${count(totals.unpriced_runs)} runs, because a model that they used has no price.`}
      </FigureCard>
    </FigureGrid>
    <p className="mt-2 text-ink-3 text-xs">
      The quota is exact. The other figures count the runs that ended before <Time at={as_of} />. Months are UTC.
    </p>
  </div>
)

const Now = ({ usage: { concurrency, storage, rate_limit } }: { usage: Usage }) => (
  <FigureGrid label="Limits now">
    <FigureCard name="Runs at the same time" value={`${count(concurrency.used)} of ${count(concurrency.limit)}`}>
      <QuotaMeter label="Runs at the same time" {...concurrency} />
    </FigureCard>
    <FigureCard name="Stored data" value={`${bytes(storage.used_bytes)} of ${bytes(storage.limit_bytes)}`}>
      <QuotaMeter label="Stored data" used={storage.used_bytes} limit={storage.limit_bytes} />
    </FigureCard>
    <FigureCard name="Requests per minute" value={count(rate_limit.requests_per_minute)}>
      For each API key and person, at most {count(rate_limit.burst)} at once
    </FigureCard>
  </FigureGrid>
)

const choices = { runs: 'Runs', cost: 'Cost', tokens: 'Tokens' } as const satisfies Record<UsageChart, string>

const Days = (props: { usage: Usage; shown: UsageChart; onShow(shown: UsageChart): void }) => {
  const { title, format, series } = usageCharts[props.shown]
  const days = daysOf(props.usage, Date.now())
  return (
    <section aria-label="By day">
      <div className="mb-2 flex items-center gap-3">
        <h2 className="font-semibold">By day</h2>
        <FilterSelect
          label="Figure of the chart"
          value={props.shown}
          options={Object.entries(choices)}
          onChange={(value) => props.onShow(value as UsageChart)}
        />
      </div>
      {props.usage.totals.runs === 0 ? (
        <p className="rounded-lg border border-line border-dashed p-6 text-center text-ink-3">
          No run has ended in this month.
        </p>
      ) : (
        <TimeChart
          title={title}
          times={days.map(({ time }) => time)}
          series={series.map(({ of, ...each }) => ({
            ...each,
            values: days.map(({ figures }) => (figures === null ? null : of(figures))),
          }))}
          kind="bars"
          format={format}
          isUtc
          hrefOf={(n) => runsOfDay(days[n]?.time)}
        />
      )}
    </section>
  )
}

const runsOfDay = (day: Date | undefined): string => {
  const from = day?.getTime() ?? 0
  const search = {
    created_after: new Date(from).toISOString(),
    created_before: new Date(from + 86_400_000).toISOString(),
  }
  return `/runs?${new URLSearchParams(search)}`
}
