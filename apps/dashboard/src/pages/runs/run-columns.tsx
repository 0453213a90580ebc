import type { Run } from '@agent-run-service/sdk'
import type { Column } from '../../ui/data-table.tsx'
import { count, duration, shortId, usd } from '../../ui/format.ts'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { Time } from '../../ui/time.tsx'

const maxChars = 200

export const runColumns = (nameOfAgent: (id: string) => string): readonly Column<Run>[] => [
  { id: 'status', title: 'Status', width: '9.5rem', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    id: 'agent',
    title: 'Agent',
    width: '14%',
    cell: ({ agent_id, agent_version }) => (
      <>
        <span className="font-medium [unicode-bidi:isolate]">{nameOfAgent(agent_id)}</span>{' '}
        <span className="text-ink-3 text-xs">v{agent_version}</span>
      </>
    ),
  },
  {
    id: 'run',
    title: 'Run',
    width: '8rem',
    cell: ({ id }) => <span className="font-mono text-ink-2 text-xs">{shortId(id)}</span>,
  },
  { id: 'outcome', title: 'Outcome', cell: (run) => <Outcome run={run} /> },
  { id: 'duration', title: 'Duration', width: '6rem', align: 'end', cell: ({ latency_ms }) => duration(latency_ms) },
  { id: 'tokens', title: 'Tokens', width: '5rem', align: 'end', cell: ({ tokens_used }) => count(tokens_used) },
  { id: 'cost', title: 'Cost', width: '5rem', align: 'end', cell: ({ usage }) => usd(usage.cost_usd) },
  { id: 'created', title: 'Created', width: '11rem', align: 'end', cell: ({ created_at }) => <Time at={created_at} /> },
]

const Outcome = ({ run }: { run: Run }) => {
  if (run.error) {
    return (
      <span className="[unicode-bidi:isolate]">
        <span className="text-bad">{run.error.code}</span> {run.error.message.slice(0, maxChars)}
      </span>
    )
  }
  if (run.erased_at) return <span className="text-ink-3">Its data was erased.</span>
  return (
    <span className="text-ink-2 [unicode-bidi:isolate]">{(run.output_preview ?? '').slice(0, maxChars) || '–'}</span>
  )
}
