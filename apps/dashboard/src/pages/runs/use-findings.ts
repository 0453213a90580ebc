import type { Run, RunGuardrailFrame } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { findingsQuery } from '../../api/findings.ts'
import { hasEnded } from '../../api/runs.ts'
import { useRunSource } from './run-source.ts'
import type { LiveFeed } from './use-run-feed.ts'

const none: readonly RunGuardrailFrame[] = []

/** What policies have found in a run: from its live frames, or read once for a run that had ended before. A link shows none. */
export const useFindings = (run: Run, live: LiveFeed): readonly RunGuardrailFrame[] => {
  const { isShared } = useRunSource()
  const isFollowed = live.connection !== 'closed'
  const { data } = useQuery({ ...findingsQuery(run.id), enabled: !isShared && !isFollowed && hasEnded(run) })
  if (isShared) return none
  return isFollowed ? live.feed.findings : (data ?? none)
}
