import type { Usage, UsageFigures } from '@agent-run-service/sdk'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { count, percent, shortCount, shortId, usd } from '../../ui/format.ts'

type Row = { id: string; name: string; href: string | null; figures: UsageFigures; share: number }

const maxRows = 100

/** Who used it: agents and API keys, most runs first. A row leads to its runs. */
export const UsageTables = ({ usage }: { usage: Usage }) => {
  const { period, totals } = usage
  const range = { created_after: period.start, created_before: period.end }
  const rowOf = (id: string, name: string, figures: UsageFigures, filter: Record<string, string> | null): Row => ({
    id,
    name,
    figures,
    share: totals.runs === 0 ? 0 : figures.runs / totals.runs,
    href: filter && `/runs?${new URLSearchParams({ ...filter, ...range })}`,
  })
  const agents = usage.by_agent.map(({ agent_id, name, figures }) =>
    rowOf(agent_id, name ?? shortId(agent_id), figures, { agent_id }),
  )
  const keys = usage.by_api_key.map(({ api_key_id, name, figures }) =>
    api_key_id === null
      ? rowOf('people', 'People, in the dashboard', figures, null)
      : rowOf(api_key_id, name ?? shortId(api_key_id), figures, { created_by: api_key_id }),
  )
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6 2xl:grid-cols-2">
      <Table title="By agent" rows={agents} nothing="No agent has ended a run in this month." />
      <Table title="By API key" rows={keys} nothing="No API key has a run that ended in this month." />
    </div>
  )
}

const columns: readonly Column<Row>[] = [
  { id: 'name', title: 'Name', cell: ({ name }) => <span className="[unicode-bidi:isolate]">{name}</span> },
  { id: 'runs', title: 'Runs', width: '6rem', align: 'end', cell: ({ figures }) => count(figures.runs) },
  { id: 'share', title: 'Share', width: '5rem', align: 'end', cell: ({ share }) => percent(share) },
  { id: 'failed', title: 'Failed', width: '6rem', align: 'end', cell: ({ figures }) => count(figures.failed) },
  {
    id: 'tokens',
    title: 'Tokens',
    width: '6rem',
    align: 'end',
    cell: ({ figures }) => shortCount(figures.input_tokens + figures.output_tokens),
  },
  { id: 'cost', title: 'Cost', width: '6rem', align: 'end', cell: ({ figures }) => usd(figures.cost_usd) },
]

const Table = ({ title, rows, nothing }: { title: string; rows: readonly Row[]; nothing: string }) => (
  <section aria-label={title} className="min-w-0">
    <h2 className="mb-1 font-semibold">{title}</h2>
    {rows.length === 0 ? (
      <p className="text-ink-2">{nothing}</p>
    ) : (
      <DataTable label={title} columns={columns} rows={rows.slice(0, maxRows)} hrefOf={({ href }) => href} isInline />
    )}
    {rows.length > maxRows && (
      <p className="mt-1 text-ink-3 text-xs">{count(rows.length - maxRows)} more are in the CSV file.</p>
    )}
  </section>
)
