import type { Batch } from '@agent-run-service/sdk'
import { percent } from '../../ui/format.ts'
import { endedItems, progressWords } from './progress-words.ts'

/** How many items have ended, as a bar and as a share. */
export const BatchBar = ({ batch, label }: { batch: Pick<Batch, 'progress'>; label: string }) => {
  const { progress } = batch
  const ended = endedItems(progress)
  const all = Math.max(1, progress.items)
  const share = (part: number): string => `${(part / all) * 100}%`
  return (
    <span className="flex items-center gap-2">
      <span
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={progress.items}
        aria-valuenow={ended}
        aria-valuetext={progressWords(progress)}
        className="flex h-2 min-w-16 flex-1 overflow-hidden rounded-full bg-sunken ring-1 ring-line-strong"
      >
        <span className="bg-good-fill" style={{ width: share(progress.completed) }} />
        <span className="bg-bad-fill" style={{ width: share(progress.failed) }} />
        <span className="bg-ink-3" style={{ width: share(progress.cancelled) }} />
      </span>
      <span className="num w-12 text-end text-xs">{percent(ended / all, 0)}</span>
    </span>
  )
}
