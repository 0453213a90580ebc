import { Ban, CircleCheck, CircleDashed, CirclePause, CircleSlash, CircleX, Hand, LoaderCircle } from 'lucide-react'
import { Badge } from './badge.tsx'
import { wordOf } from './words.ts'

const looks: Readonly<Record<string, Omit<Parameters<typeof Badge>[0], 'label'>>> = {
  active: { Icon: CircleCheck, tone: 'good' },
  archived: { Icon: Ban, tone: 'plain' },
  paused: { Icon: CirclePause, tone: 'warn' },
  ended: { Icon: CircleSlash, tone: 'plain' },
  due: { Icon: CircleDashed, tone: 'run' },
  queued: { Icon: CircleDashed, tone: 'plain' },
  pending: { Icon: CircleDashed, tone: 'plain' },
  waiting: { Icon: CircleDashed, tone: 'plain' },
  running: { Icon: LoaderCircle, tone: 'run', isTurning: true },
  requires_action: { Icon: Hand, tone: 'warn' },
  started: { Icon: CircleCheck, tone: 'good' },
  completed: { Icon: CircleCheck, tone: 'good' },
  failed: { Icon: CircleX, tone: 'bad' },
  skipped: { Icon: CircleSlash, tone: 'plain' },
  cancelling: { Icon: Ban, tone: 'plain' },
  cancelled: { Icon: Ban, tone: 'plain' },
}

/** The state of a pipeline, a schedule, a batch or a part of one. A state that this page does not know is shown as it came. */
export const FlowBadge = ({ status, words }: { status: string; words: Readonly<Record<string, string>> }) => (
  <Badge label={wordOf(words, status)} {...(looks[status] ?? { tone: 'plain' as const })} />
)
