import type { Policy } from '@agent-run-service/sdk'
import { Archive, CircleCheck, Eye, EyeOff } from 'lucide-react'
import { Badge } from '../../ui/badge.tsx'
import { words } from '../../ui/words.ts'

/** Whether the policy acts, only watches, or does nothing. */
export const PolicyBadge = ({ policy: { status, mode } }: { policy: Pick<Policy, 'status' | 'mode'> }) => {
  if (status === 'archived') return <Badge label={words.policyStatuses.archived} tone="plain" Icon={Archive} />
  if (status === 'ended') return <Badge label="Shadow ended" tone="warn" Icon={EyeOff} />
  return mode === 'shadow' ? (
    <Badge label={words.policyModes.shadow} tone="run" Icon={Eye} />
  ) : (
    <Badge label={words.policyModes.enforce} tone="good" Icon={CircleCheck} />
  )
}
