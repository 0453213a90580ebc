import { Badge, type Tone } from '../../ui/badge.tsx'
import { wordOf, words } from '../../ui/words.ts'

const tones: Readonly<Record<string, Tone>> = { active: 'good', canary: 'run', rolled_back: 'bad' }

export const DeploymentBadge = ({ status }: { status: string }) => (
  <Badge label={wordOf(words.deploymentStatuses, status)} tone={tones[status] ?? 'plain'} />
)
