import type { Batch } from '@agent-run-service/sdk'
import { count } from '../../ui/format.ts'

type Progress = Batch['progress']

export const endedItems = ({ completed, failed, cancelled }: Progress): number => completed + failed + cancelled

/** `3 of 5 items have ended: 2 completed, 1 failed`. */
export const progressWords = (progress: Progress): string => {
  const parts = [
    [progress.completed, 'completed'],
    [progress.failed, 'failed'],
    [progress.cancelled, 'cancelled'],
  ] as const
  const named = parts.filter(([amount]) => amount > 0).map(([amount, word]) => `${count(amount)} ${word}`)
  const head = `${count(endedItems(progress))} of ${count(progress.items)} items have ended`
  return named.length === 0 ? head : `${head}: ${named.join(', ')}`
}
