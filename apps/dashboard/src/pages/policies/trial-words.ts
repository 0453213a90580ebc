import type { PolicyTrial, TriedRule } from '@agent-run-service/sdk'
import { count, percent } from '../../ui/format.ts'

type Progress = Pick<PolicyTrial, 'status' | 'progress'>

/** Undefined: not known yet, so that the bar moves without an end. */
export const progressShare = ({ progress: { seen, total } }: Progress): number | undefined =>
  total === null || total === 0 ? undefined : Math.min(1, seen / total)

export const progressWords = ({ status, progress: { seen, total } }: Progress): string => {
  if (status === 'queued') return 'It begins soon.'
  if (status === 'running')
    return total === null ? `${count(seen)} runs looked at` : `${count(seen)} of about ${count(total)} runs looked at`
  return `${count(seen)} runs looked at`
}

/** In how many contents the rule would have done something. */
export const actedOf = ({ blocked, redacted, asked, flagged }: TriedRule): number =>
  blocked + redacted + asked + flagged

export const shareOf = (part: number, whole: number): string => (whole === 0 ? '–' : percent(part / whole))
