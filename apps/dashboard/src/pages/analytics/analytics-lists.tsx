import type { Analytics, AnalyticsFigures, AnalyticsGetGroupBy } from '@agent-run-service/sdk'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { count, duration, percent, shortId, usd } from '../../ui/format.ts'
import { words } from '../../ui/words.ts'

type Row = { id: string; name: string; href: string | null; figures: AnalyticsFigures }
type ErrorRow = { id: string; href: string; runs: number; share: number }

/** Who stands out: agents by runs and by duration, errors, and the groups that were asked for. Each row leads to its runs. */
export const AnalyticsLists = (props: {
  analytics: Analytics
  groupBy: AnalyticsGetGroupBy | undefined
  agentId: string | undefined
}) => {
  const { analytics, groupBy, agentId } = props
  const { from, to, totals } = analytics
  const runs = (filter: Record<string, string>) =>
    `/runs?${new URLSearchParams({ ...(agentId && { agent_id: agentId }), ...filter, created_after: from, created_before: to })}`
  const agentRow = ({ agent_id, name, figures }: Analytics['top_agents'][number]): Row => ({
    id: agent_id,
    name: name ?? shortId(agent_id),
    href: runs({ agent_id }),
    figures,
  })
  const errors = analytics.top_errors.map(({ code, runs: failed }) => ({
    id: code,
    href: runs({ status: 'failed', error_code: code }),
    runs: failed,
    share: totals.failed === 0 ? 0 : failed / totals.failed,
  }))
  const filters: Readonly<Record<AnalyticsGetGroupBy, ((key: string) => Record<string, string>) | null>> = {
    agent: (agent_id) => ({ agent_id }),
    version: null,
    error_code: (error_code) => ({ status: 'failed', error_code }),
    api_key: (created_by) => ({ created_by }),
  }
  const groups = (analytics.groups ?? []).map(({ key, name, figures }): Row => {
    const filter = groupBy && key !== null ? filters[groupBy] : null
    return { id: key ?? 'people', name: groupName(key, name), href: filter && runs(filter(key ?? '')), figures }
  })
  return (
    <>
      {groupBy && analytics.groups !== null && (
        <List title={`By ${words.analyticsGroups[groupBy]}`} rows={groups} columns={[...base, ...times, cost]} />
      )}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6 xl:grid-cols-2">
        <List title="Most runs" rows={analytics.top_agents.map(agentRow)} columns={[...base, cost]} />
        <List title="Slowest agents" rows={analytics.slowest_agents.map(agentRow)} columns={[name, ...times]} />
        <List title="Most frequent errors" rows={errors} columns={errorColumns} />
      </div>
    </>
  )
}

const groupName = (key: string | null, name: string | null): string => {
  if (key === null) return 'People, in the dashboard'
  return name ?? (key.includes('_') && /^(ag|key)_/.test(key) ? shortId(key) : key)
}

const figure = (id: string, title: string, of: (figures: AnalyticsFigures) => string): Column<Row> => ({
  id,
  title,
  width: '6rem',
  align: 'end',
  cell: ({ figures }) => of(figures),
})
const name: Column<Row> = {
  id: 'name',
  title: 'Name',
  cell: (row) => <span className="[unicode-bidi:isolate]">{row.name}</span>,
}
const base = [
  name,
  figure('runs', 'Runs', ({ runs }) => count(runs)),
  figure('success', 'Success', ({ success_rate }) => percent(success_rate)),
]
const times = [
  figure('p50', 'Median', ({ latency_p50_ms }) => duration(latency_p50_ms)),
  figure('p95', 'p95', ({ latency_p95_ms }) => duration(latency_p95_ms)),
]
const cost = figure('cost', 'Cost', ({ cost_usd }) => usd(cost_usd))

const errorColumns: readonly Column<ErrorRow>[] = [
  { id: 'code', title: 'Code', cell: ({ id }) => <span className="font-mono text-xs">{id}</span> },
  { id: 'runs', title: 'Failed runs', width: '6rem', align: 'end', cell: ({ runs }) => count(runs) },
  { id: 'share', title: 'Share', width: '6rem', align: 'end', cell: ({ share }) => percent(share) },
]

const List = <Each extends { id: string; href: string | null }>(props: {
  title: string
  rows: readonly Each[]
  columns: readonly Column<Each>[]
}) => (
  <section aria-label={props.title} className="min-w-0">
    <h2 className="mb-1 font-semibold">{props.title}</h2>
    {props.rows.length === 0 ? (
      <p className="text-ink-2">None in this period.</p>
    ) : (
      <DataTable label={props.title} columns={props.columns} rows={props.rows} hrefOf={({ href }) => href} isInline />
    )}
  </section>
)
