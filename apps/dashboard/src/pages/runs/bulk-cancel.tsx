import type { Run } from '@agent-run-service/sdk'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { hasEnded } from '../../api/runs.ts'
import { useReason } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { shortId } from '../../ui/format.ts'

const maxRuns = 50

type Progress = { total: number; done: number; failures: readonly { id: string; message: string }[]; isOver: boolean }

/** Cancels the selected runs, one call each, and lists what failed. */
export const BulkCancel = (props: {
  rows: readonly Run[]
  selected: ReadonlySet<string>
  onSelect(selected: ReadonlySet<string>): void
  onChanged(rows: readonly Run[]): void
}) => {
  const { rows, selected, onSelect, onChanged } = props
  const reason = useReason('runs:write')
  const [progress, setProgress] = useState<Progress | null>(null)
  const active = rows.filter((run) => selected.has(run.id) && !hasEnded(run))
  if (active.length === 0 && progress === null) return null
  const cancel = async () => {
    let now: Progress = { total: active.length, done: 0, failures: [], isOver: false }
    setProgress(now)
    for (const { id } of active) {
      try {
        const { input: _, output: __, ...changed } = await client.runs.cancel(id)
        const before = rows.find((row) => row.id === id)
        onChanged([{ ...before, ...changed, input: {}, output: null }])
      } catch (error) {
        now = { ...now, failures: [...now.failures, { id, message: problemOf(error).message }] }
      }
      now = { ...now, done: now.done + 1 }
      setProgress(now)
    }
    setProgress({ ...now, isOver: true })
    onSelect(new Set())
  }
  const isBusy = progress !== null && !progress.isOver
  const tooMany = active.length > maxRuns ? `At most ${maxRuns} at a time. ${active.length} are selected.` : undefined
  return (
    <section
      aria-label="Selected runs"
      className="flex flex-wrap items-center gap-3 border-line border-b bg-sunken px-4 py-2"
    >
      {progress === null || progress.isOver ? (
        <span>{active.length} selected</span>
      ) : (
        <label className="flex items-center gap-2">
          Cancelling {progress.done} of {progress.total}
          <progress value={progress.done} max={progress.total} className="h-2 w-40 accent-accent" />
        </label>
      )}
      {active.length > 0 && (
        <>
          <Button isSmall kind="danger" isBusy={isBusy} reason={reason ?? tooMany} onClick={() => void cancel()}>
            Cancel {active.length === 1 ? 'run' : `${active.length} runs`}
          </Button>
          <Button isSmall kind="quiet" onClick={() => onSelect(new Set())}>
            Clear selection
          </Button>
        </>
      )}
      {progress?.isOver && (
        <div role="status" className="flex min-w-0 flex-wrap items-center gap-2">
          <span>
            {progress.total - progress.failures.length} of {progress.total} cancelled.
          </span>
          {progress.failures.map(({ id, message }) => (
            <span key={id} className="text-bad">
              {shortId(id)}: {message.slice(0, 200)}
            </span>
          ))}
          <Button isSmall kind="quiet" onClick={() => setProgress(null)}>
            Close
          </Button>
        </div>
      )}
    </section>
  )
}
