import type { RunStatus } from '@agent-run-service/sdk'
import { Ban, CircleCheck, CircleDashed, CircleX, Hand, LoaderCircle } from 'lucide-react'
import { Badge } from './badge.tsx'
import { words } from './words.ts'

const looks = {
  queued: { Icon: CircleDashed, tone: 'plain' },
  running: { Icon: LoaderCircle, tone: 'run', isTurning: true },
  requires_action: { Icon: Hand, tone: 'warn' },
  cancelling: { Icon: Ban, tone: 'plain' },
  completed: { Icon: CircleCheck, tone: 'good' },
  failed: { Icon: CircleX, tone: 'bad' },
  cancelled: { Icon: Ban, tone: 'plain' },
} as const satisfies Record<RunStatus, object>

/** The status of a run. A status that this page does not know yet is shown as the service wrote it. */
export const StatusBadge = ({ status }: { status: string }) => {
  if (!(status in looks)) return <Badge label={status} tone="plain" />
  const known = status as RunStatus
  return <Badge label={words.runStatuses[known]} {...looks[known]} />
}
