import type { Batch, BatchResult } from '@agent-run-service/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Download, Square } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useAgentName } from '../../api/agents.ts'
import { batchExportUrl, batchQuery, isBatchActive, useBatchChanges, useBatchResults } from '../../api/batches.ts'
import { useReason } from '../../session.ts'
import { MissingState } from '../../shell/missing-state.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { FactsLine } from '../../ui/detail-list.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { FlowBadge } from '../../ui/flow-badge.tsx'
import { flowWords } from '../../ui/flow-words.ts'
import { count, duration, shortId } from '../../ui/format.ts'
import { Id } from '../../ui/id.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Problem } from '../../ui/problem.tsx'
import { RunLink } from '../../ui/run-link.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { toast, toastProblem } from '../../ui/toast.tsx'
import { Actor } from '../agents/actor.tsx'
import { BatchBar } from './batch-progress.tsx'
import { progressWords } from './progress-words.ts'

export const BatchPage = () => {
  const { batchId } = useParams({ from: '/app/batches/$batchId' })
  const { data: batch, error, refetch } = useQuery(batchQuery(batchId))
  if (!batch) {
    return error ? (
      <MissingState what="Batch" id={batchId} error={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton />
    )
  }
  return <LoadedBatch key={batchId} batch={batch} />
}

const LoadedBatch = ({ batch }: { batch: Batch }) => {
  const name = useAgentName()(batch.agent_id)
  return (
    <>
      <PageHeader
        trail={
          <Link to="/batches" className="hover:text-ink">
            Batches
          </Link>
        }
        title={
          <Link to="/agents/$agentId" params={{ agentId: batch.agent_id }} className="hover:underline">
            {name}
          </Link>
        }
        tabTitle={`Batch of ${name} ${shortId(batch.id)}`}
        aside={
          <>
            <Id id={batch.id} />
            <span role="status">
              <span className="sr-only">Batch: </span>
              <FlowBadge status={batch.status} words={flowWords.batchStatuses} />
            </span>
          </>
        }
      >
        <BatchActions batch={batch} />
      </PageHeader>
      <FactsLine
        items={[
          ['Items', count(batch.progress.items)],
          ['Waiting', count(batch.progress.waiting)],
          ['Running', count(batch.progress.running)],
          ['Completed', count(batch.progress.completed)],
          ['Failed', count(batch.progress.failed)],
          ['Cancelled', count(batch.progress.cancelled)],
          ['Timeout', batch.timeout_seconds === null ? 'as the agent says' : duration(batch.timeout_seconds * 1_000)],
          ['By', <Actor key="by" id={batch.created_by} />],
          ['Created', <Time key="created" at={batch.created_at} />],
          ['Finished', <Time key="finished" at={batch.finished_at} />],
        ]}
      />
      {batch.erased_at && (
        <Banner tone="info">
          Its data was erased on <Time at={batch.erased_at} />. Status and times stay.
        </Banner>
      )}
      <div className="flex flex-col gap-6 p-4">
        <section aria-label="Progress">
          <h2 className="mb-2 font-semibold">Progress</h2>
          <BatchBar batch={batch} label="Progress of the batch" />
          <p className="num mt-1 text-ink-2">{progressWords(batch.progress)}</p>
          {batch.waiting && <p className="num mt-1 text-ink-2">{batch.waiting.message}</p>}
        </section>
        {Object.keys(batch.metadata).length > 0 && (
          <section aria-label="Metadata">
            <h2 className="mb-2 font-semibold">Metadata</h2>
            <JsonView value={batch.metadata} name={`${batch.id}-metadata`} />
          </section>
        )}
        <Results batch={batch} />
      </div>
    </>
  )
}

const BatchActions = ({ batch }: { batch: Batch }) => {
  const changes = useBatchChanges()
  const [dialog, setDialog] = useState<'cancel' | 'erase' | null>(null)
  const [isErasing, setIsErasing] = useState(false)
  useErasedSoon(batch, isErasing)
  const mayNotWrite = useReason('runs:write')
  const mayNotErase = useReason('runs:erase')
  const isActive = isBatchActive(batch)
  const cancel = useMutation({
    mutationFn: () => changes.cancel(batch.id),
    onError: (error) => toastProblem('The batch was not cancelled', error),
  })
  const isCancelling = cancel.isPending || batch.status === 'cancelling'
  return (
    <>
      {batch.erased_at === null && (
        <a href={batchExportUrl(batch.id)} download={`${batch.id}.jsonl`} className={buttonLook()}>
          <Download aria-hidden size={14} /> Download results
        </a>
      )}
      {isActive && (
        <Button kind="danger" reason={mayNotWrite} isBusy={isCancelling} onClick={() => setDialog('cancel')}>
          <Square aria-hidden size={13} /> {isCancelling ? 'Cancelling…' : 'Cancel'}
        </Button>
      )}
      <Menu
        label="More actions"
        items={[
          {
            label: 'Erase data',
            isDanger: true,
            reason:
              mayNotErase ??
              (isActive ? 'The batch has not ended yet.' : undefined) ??
              (batch.erased_at ? 'The data of the batch was erased.' : undefined),
            onSelect: () => setDialog('erase'),
          },
        ]}
      />
      <ConfirmDialog
        isOpen={dialog === 'cancel'}
        onClose={() => setDialog(null)}
        title="Cancel this batch?"
        description="No further item starts, and the runs of the batch are cancelled. Results that are there stay."
        verb="Cancel batch"
        onConfirm={() => cancel.mutateAsync()}
      />
      <ConfirmDialog
        isOpen={dialog === 'erase'}
        onClose={() => setDialog(null)}
        title="Erase the data of this batch?"
        description="Its inputs, its metadata and the data of its runs are erased for good, in the background. Status and times stay."
        verb="Erase data"
        phrase={batch.id.slice(-6)}
        onConfirm={async () => {
          await changes.erase(batch.id)
          setIsErasing(true)
          toast('The data is being erased')
        }}
      />
    </>
  )
}

const erasePollMs = 2_000

/** An erasure works in the background: the batch is read again until it is done. */
const useErasedSoon = ({ id, erased_at }: Batch, isErasing: boolean): void => {
  const queryClient = useQueryClient()
  const isOpen = isErasing && erased_at === null
  useEffect(() => {
    if (!isOpen) return
    const timer = setInterval(() => void queryClient.invalidateQueries({ queryKey: ['batches', id] }), erasePollMs)
    return () => clearInterval(timer)
  }, [id, isOpen, queryClient])
}

const maxChars = 300

const columns: readonly Column<BatchResult>[] = [
  {
    id: 'item',
    title: 'Item',
    width: '9rem',
    cell: ({ id, custom_id }) => (
      <span className="num [unicode-bidi:isolate]">
        {Number(id) + 1}
        {custom_id !== null && <span className="text-ink-2"> {custom_id}</span>}
      </span>
    ),
  },
  {
    id: 'status',
    title: 'Status',
    width: '10rem',
    cell: ({ status }) => <FlowBadge status={status} words={flowWords.batchItems} />,
  },
  {
    id: 'run',
    title: 'Run',
    width: '9rem',
    cell: ({ run_id }) => <RunLink id={run_id} />,
  },
  { id: 'outcome', title: 'Outcome', cell: (result) => <Outcome result={result} /> },
  {
    id: 'finished',
    title: 'Finished',
    width: '11rem',
    align: 'end',
    cell: ({ finished_at }) => <Time at={finished_at} />,
  },
]

const Outcome = ({ result: { error, output } }: { result: BatchResult }) =>
  error ? (
    <span className="[unicode-bidi:isolate]">
      <span className="text-bad">{error.code}</span> {error.message.slice(0, maxChars)}
    </span>
  ) : (
    <span className="text-ink-2 [unicode-bidi:isolate]">
      {output ? JSON.stringify(output).slice(0, maxChars) : '–'}
    </span>
  )

const Results = ({ batch }: { batch: Batch }) => {
  const isActive = isBatchActive(batch)
  const results = useBatchResults(batch.id, isActive)
  const { refetch } = results
  // The last page that was read while the batch was active may be older than its end.
  const wasActive = useRef(isActive)
  useEffect(() => {
    if (wasActive.current && !isActive) void refetch()
    wasActive.current = isActive
  }, [isActive, refetch])
  const rows = results.data?.pages.flatMap(({ data }) => data) ?? []
  return (
    <section aria-label="Results">
      <h2 className="mb-2 font-semibold">Results</h2>
      {results.isPending && <Skeleton rows={3} />}
      {results.error && (
        <Problem title="Results: not loaded" error={results.error} onRetry={() => void results.refetch()} />
      )}
      {results.data && rows.length === 0 && <p className="text-ink-2">There are no results.</p>}
      {rows.length > 0 && (
        <div className="overflow-hidden rounded-lg border border-line">
          <DataTable label="Results" isInline columns={columns} rows={rows} />
          {results.hasNextPage && (
            <Button
              kind="quiet"
              className="m-2"
              isBusy={results.isFetchingNextPage}
              onClick={() => void results.fetchNextPage()}
            >
              More results
            </Button>
          )}
        </div>
      )}
    </section>
  )
}
