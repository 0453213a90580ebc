import type { PipelineRun } from '@agent-run-service/sdk'
import type { Column } from '../../ui/data-table.tsx'
import { duration, shortId, usd } from '../../ui/format.ts'
import { Time } from '../../ui/time.tsx'
import { PipelineRunBadge } from './pipeline-run-badge.tsx'

const maxChars = 200

/** Without names, the list is about one pipeline and does not say which. */
export const pipelineRunColumns = (nameOf: ((id: string) => string) | null): readonly Column<PipelineRun>[] => [
  { id: 'status', title: 'Status', width: '9.5rem', cell: (run) => <PipelineRunBadge run={run} /> },
  ...(nameOf
    ? [
        {
          id: 'pipeline',
          title: 'Pipeline',
          width: '18%',
          cell: ({ pipeline_id, pipeline_version }: PipelineRun) => (
            <>
              <span className="font-medium [unicode-bidi:isolate]">{nameOf(pipeline_id)}</span>{' '}
              <span className="text-ink-2 text-xs">v{pipeline_version}</span>
            </>
          ),
        },
      ]
    : []),
  {
    id: 'run',
    title: 'Run',
    width: '7.5rem',
    cell: ({ id }) => <span className="font-mono text-ink-2 text-xs">{shortId(id)}</span>,
  },
  {
    id: 'steps',
    title: 'Steps',
    width: '5rem',
    align: 'end',
    cell: ({ steps }) => `${steps.filter(({ finished_at }) => finished_at !== null).length} of ${steps.length}`,
  },
  { id: 'outcome', title: 'Outcome', cell: (run) => <Outcome run={run} /> },
  { id: 'duration', title: 'Duration', width: '5.5rem', align: 'end', cell: ({ latency_ms }) => duration(latency_ms) },
  { id: 'cost', title: 'Cost', width: '4.5rem', align: 'end', cell: ({ cost_usd }) => usd(cost_usd) },
  { id: 'created', title: 'Created', width: '11rem', align: 'end', cell: ({ created_at }) => <Time at={created_at} /> },
]

const Outcome = ({ run }: { run: PipelineRun }) => {
  if (run.error) {
    return (
      <span className="[unicode-bidi:isolate]">
        <span className="text-bad">{run.error.code}</span> {run.error.message.slice(0, maxChars)}
      </span>
    )
  }
  if (run.erased_at) return <span className="text-ink-3">Its data was erased.</span>
  return (
    <span className="text-ink-2 [unicode-bidi:isolate]">
      {run.output ? JSON.stringify(run.output).slice(0, maxChars) : '–'}
    </span>
  )
}
