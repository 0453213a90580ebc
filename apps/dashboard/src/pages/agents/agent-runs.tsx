import type { Run } from '@agent-run-service/sdk'
import type { UseQueryResult } from '@tanstack/react-query'
import { Sparkline } from '../../ui/chart/sparkline.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { duration, shortId, usd } from '../../ui/format.ts'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { Time } from '../../ui/time.tsx'

const columns: readonly Column<Run>[] = [
  { id: 'status', title: 'Status', width: '9rem', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    id: 'run',
    title: 'Run',
    width: '7rem',
    cell: ({ id }) => <code className="font-mono text-xs">{shortId(id)}</code>,
  },
  { id: 'version', title: 'Version', width: '4rem', cell: ({ agent_version }) => agent_version },
  { id: 'duration', title: 'Duration', width: '5rem', align: 'end', cell: ({ latency_ms }) => duration(latency_ms) },
  { id: 'cost', title: 'Cost', width: '5rem', align: 'end', cell: ({ usage }) => usd(usage.cost_usd) },
  { id: 'created', title: 'Created', width: '6rem', cell: ({ created_at }) => <Time at={created_at} isRelative /> },
]

/** A short list of runs with the line of their durations. */
export const AgentRuns = ({ query }: { query: UseQueryResult<readonly Run[]> }) => {
  if (query.isPending) return <Skeleton rows={3} />
  if (!query.data)
    return <Problem title="The last runs: not loaded" error={query.error} onRetry={() => void query.refetch()} />
  if (query.data.length === 0) return <p className="text-ink-2">No runs yet. Press Try, or call it from a program.</p>
  const durations = query.data.map(({ latency_ms }) => latency_ms).toReversed()
  return (
    <>
      <div className="overflow-hidden rounded-lg border border-line">
        <DataTable label="Last runs" isInline columns={columns} rows={query.data} hrefOf={({ id }) => `/runs/${id}`} />
      </div>
      {durations.length > 2 && (
        <p className="mt-1 flex items-center gap-2 text-ink-3 text-xs">
          Durations, oldest first
          <Sparkline
            label={`Durations of the last ${durations.length} runs: ${durations.map((ms) => duration(ms)).join(', ')}`}
            values={durations}
          />
        </p>
      )}
    </>
  )
}
