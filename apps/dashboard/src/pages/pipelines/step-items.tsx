import type { PipelineItem, PipelineRun, PipelineStep } from '@agent-run-service/sdk'
import { X } from 'lucide-react'
import { usePipelineItems } from '../../api/pipeline-runs.ts'
import { hasEnded } from '../../api/runs.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { FlowBadge } from '../../ui/flow-badge.tsx'
import { flowWords } from '../../ui/flow-words.ts'
import { Problem } from '../../ui/problem.tsx'
import { RunLink } from '../../ui/run-link.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'

type Row = PipelineItem & { id: string }

const columns: readonly Column<Row>[] = [
  { id: 'item', title: 'Item', width: '4rem', cell: ({ item }) => <span className="num">{item + 1}</span> },
  {
    id: 'status',
    title: 'Status',
    width: '7.5rem',
    cell: ({ status }) => <FlowBadge status={status} words={flowWords.items} />,
  },
  { id: 'attempt', title: 'Attempt', width: '5rem', align: 'end', cell: ({ attempt }) => attempt },
  {
    id: 'run',
    title: 'Run',
    width: '7.5rem',
    cell: ({ run_id }) => <RunLink id={run_id} />,
  },
  {
    id: 'error',
    title: 'Error',
    cell: ({ error, retry_at }) => {
      if (retry_at !== null)
        return (
          <>
            {error?.code ?? ''} next attempt <Time at={retry_at} isRelative />
          </>
        )
      return error === null ? '–' : `${error.code} ${error.message.slice(0, 200)}`
    },
  },
  { id: 'finished', title: 'Finished', width: '11rem', cell: ({ finished_at }) => <Time at={finished_at} /> },
]

/** The items of one step, in the order of its list. */
export const StepItems = ({ run, step, onClose }: { run: PipelineRun; step: PipelineStep; onClose(): void }) => {
  const isActive = !hasEnded(run) && step.finished_at === null
  const items = usePipelineItems(run.id, step.key, isActive)
  const rows: readonly Row[] = (items.data?.pages.flatMap(({ data }) => data) ?? []).map((item) => ({
    ...item,
    id: String(item.item),
  }))
  return (
    <section aria-label={`Items of ${step.key}`} className="min-w-0">
      <div className="mb-2 flex items-center gap-2">
        <h2 className="font-semibold">
          Items of <span className="font-mono">{step.key}</span>
        </h2>
        <IconButton label="Close the items" onClick={onClose}>
          <X aria-hidden size={15} />
        </IconButton>
      </div>
      {items.isPending && <Skeleton rows={2} />}
      {items.error && <Problem title="Items: not loaded" error={items.error} onRetry={() => void items.refetch()} />}
      {items.data && rows.length === 0 && <p className="text-ink-2">The step has no items yet.</p>}
      {rows.length > 0 && (
        <div className="overflow-hidden rounded-lg border border-line">
          <DataTable label={`Items of ${step.key}`} isInline columns={columns} rows={rows} />
          {items.hasNextPage && (
            <Button
              kind="quiet"
              className="m-2"
              isBusy={items.isFetchingNextPage}
              onClick={() => void items.fetchNextPage()}
            >
              More items
            </Button>
          )}
        </div>
      )}
    </section>
  )
}
