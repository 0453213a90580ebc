import { Badge, type Tone } from '../../ui/badge.tsx'
import { wordOf, words } from '../../ui/words.ts'

const tones: Readonly<Record<string, Tone>> = { running: 'run', completed: 'good', failed: 'bad' }

export const TrialBadge = ({ status }: { status: string }) => (
  <Badge label={wordOf(words.policyTrialStatuses, status)} tone={tones[status] ?? 'plain'} />
)
