import { type Analytics, analyticsGetGroupBies, analyticsIntervals } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { agentNamesQuery } from '../../api/agents.ts'
import { analyticsQuery } from '../../api/analytics.ts'
import { defined } from '../../search.ts'
import { useMay } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { TimeChart } from '../../ui/chart/time-chart.tsx'
import { downloadCsv } from '../../ui/download.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FigureCard, FigureGrid } from '../../ui/figure-card.tsx'
import { FilterBar, FilterSelect } from '../../ui/filter-bar.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { words } from '../../ui/words.ts'
import { AnalyticsLists } from './analytics-lists.tsx'
import { changeOf, charts, csvRows, figures, pointsOf } from './figures.ts'
import { defaultFrom, PeriodFilter } from './period-filter.tsx'

type Search = {
  from?: string
  to?: string
  interval?: (typeof analyticsIntervals)[number]
  agent_id?: string
  group_by?: (typeof analyticsGetGroupBies)[number]
}

/** How well it goes: figures with the period before, charts, and who stands out. */
export const AnalyticsPage = () => {
  const search: Search = useSearch({ from: '/app/analytics' })
  const navigate = useNavigate()
  const timeZone = useTimeZone()
  const asked = { from: defaultFrom, ...search, time_zone: timeZone }
  const { data, error, refetch, isPlaceholderData } = useQuery(analyticsQuery(asked))
  const set = (part: { [Key in keyof Search]?: Search[Key] | undefined }) =>
    void navigate({ to: '/analytics', search: defined({ ...search, ...part }), replace: true })
  const clear = () => void navigate({ to: '/analytics', search: {} })
  const isFiltered = Object.keys(search).length > 0
  return (
    <>
      <PageHeader title="Analytics">{data && <Downloads analytics={data} />}</PageHeader>
      <FilterBar onClear={isFiltered ? clear : undefined}>
        <PeriodFilter from={search.from} to={search.to} onChange={set} />
        <FilterSelect
          label="Interval"
          value={search.interval ?? ''}
          options={[
            ['', 'Interval: automatic'],
            ...analyticsIntervals.map((each) => [each, words.analyticsIntervals[each]] as const),
          ]}
          onChange={(value) => set({ interval: analyticsIntervals.find((each) => each === value) })}
        />
        <AgentSelect agentId={search.agent_id} onChange={(agent_id) => set({ agent_id })} />
        <FilterSelect
          label="Group by"
          value={search.group_by ?? ''}
          options={[
            ['', 'No groups'],
            ...analyticsGetGroupBies.map((each) => [each, `Group by: ${words.analyticsGroups[each]}`] as const),
          ]}
          onChange={(value) => set({ group_by: analyticsGetGroupBies.find((each) => each === value) })}
        />
      </FilterBar>
      {error && <Problem title="Analytics: not loaded" error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton />}
      {data && !error && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-6 p-4" aria-busy={isPlaceholderData}>
          <Totals analytics={data} />
          {data.totals.runs === 0 ? (
            <EmptyState
              title="No run has ended in this period"
              action={isFiltered && <Button onClick={clear}>Clear the filters</Button>}
            >
              Figures appear here a few seconds after a run has ended. Choose a longer period, or run an agent.
            </EmptyState>
          ) : (
            <>
              <Charts analytics={data} agentId={search.agent_id} />
              <AnalyticsLists analytics={data} groupBy={search.group_by} agentId={search.agent_id} />
            </>
          )}
        </div>
      )}
    </>
  )
}

/** The zone in which days begin: that of the browser, or UTC. */
const useTimeZone = (): string =>
  usePreferences().zone === 'utc' ? 'UTC' : new Intl.DateTimeFormat().resolvedOptions().timeZone

const AgentSelect = (props: { agentId: string | undefined; onChange(agentId: string | undefined): void }) => {
  const { agentId } = props
  const { data: agents = [] } = useQuery({ ...agentNamesQuery, enabled: useMay('agents:read') })
  const options = agents.map(({ id, name }) => [id, name] as const)
  const isUnknown = agentId !== undefined && !agents.some(({ id }) => id === agentId)
  return (
    <FilterSelect
      label="Agent"
      value={agentId ?? ''}
      options={[['', 'All agents'], ...options, ...(isUnknown ? [[agentId, agentId] as const] : [])]}
      onChange={(value) => props.onChange(value || undefined)}
    />
  )
}

const Downloads = ({ analytics }: { analytics: Analytics }) => {
  const day = analytics.from.slice(0, 10)
  const items = [
    { label: 'Series', onSelect: () => downloadCsv(csvRows.series(analytics), `analytics-${day}`) },
    ...(analytics.groups === null
      ? []
      : [{ label: 'Groups', onSelect: () => downloadCsv(csvRows.groups(analytics), `analytics-${day}-groups`) }]),
  ]
  return (
    <Menu label="Download as CSV" isSmall items={items}>
      <Download size={14} /> CSV
    </Menu>
  )
}

const toneLook = { good: 'text-good', bad: 'text-bad', plain: 'text-ink-2' } as const

const Totals = ({ analytics: { from, to, as_of, totals, previous } }: { analytics: Analytics }) => (
  <div>
    <FigureGrid label="Figures">
      {figures.map((figure) => {
        const [now, before] = [figure.of(totals), figure.of(previous.totals)]
        const { text, tone } = changeOf(figure, now, before)
        return (
          <FigureCard key={figure.name} name={figure.name} value={figure.print(now)}>
            {text !== null && <span className={toneLook[tone]}>{text}, </span>}
            before: {figure.print(before)}
          </FigureCard>
        )
      })}
    </FigureGrid>
    <p className="mt-2 text-ink-3 text-xs">
      From <Time at={from} /> to <Time at={to} />, compared with the same time before it. Runs that ended before{' '}
      <Time at={as_of} /> are counted. Durations leave out the time that people were waited for.
    </p>
  </div>
)

const Charts = ({ analytics, agentId }: { analytics: Analytics; agentId: string | undefined }) => {
  const points = pointsOf(analytics)
  const times = points.map(({ time }) => time)
  const hrefOf = (n: number): string => {
    const [from, to] = [points[n]?.time.toISOString() ?? '', points[n]?.end.toISOString() ?? '']
    return `/runs?${new URLSearchParams({ ...(agentId && { agent_id: agentId }), created_after: from, created_before: to })}`
  }
  return (
    <section aria-label="Over time">
      <h2 className="font-semibold">Over time</h2>
      <p className="mb-3 text-ink-3 text-xs">A click on a point shows the runs that were created in that time.</p>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-8 gap-y-6 xl:grid-cols-2">
        {charts.map(({ series, ...chart }) => (
          <TimeChart
            key={chart.title}
            {...chart}
            times={times}
            series={series.map(({ of, ...each }) => ({
              ...each,
              values: points.map((point) => (point.figures === null ? null : of(point.figures))),
            }))}
            hrefOf={hrefOf}
          />
        ))}
      </div>
    </section>
  )
}
