import { BellOff, CircleCheck, Hourglass, Info, Siren, TriangleAlert } from 'lucide-react'
import { Badge } from '../../ui/badge.tsx'
import { wordOf, words } from '../../ui/words.ts'

export const AlertBadge = ({ status }: { status: string }) =>
  status === 'firing' ? (
    <Badge label={words.alertStatuses.firing} tone="bad" Icon={Siren} />
  ) : (
    <Badge label={wordOf(words.alertStatuses, status)} tone="good" Icon={CircleCheck} />
  )

export const SeverityBadge = ({ severity }: { severity: string }) => {
  const label = wordOf(words.alertSeverities, severity)
  if (severity === 'critical') return <Badge label={label} tone="bad" Icon={TriangleAlert} />
  return (
    <Badge
      label={label}
      tone={severity === 'warning' ? 'warn' : 'plain'}
      Icon={severity === 'warning' ? TriangleAlert : Info}
    />
  )
}

export const RuleBadge = ({ rule }: { rule: { enabled: boolean; state: string; stale: boolean } }) => {
  if (!rule.enabled) return <Badge label="Disabled" tone="plain" Icon={BellOff} />
  const label = wordOf(words.alertRuleStates, rule.state) + (rule.stale ? ', waits for figures' : '')
  if (rule.state === 'firing') return <Badge label={label} tone="bad" Icon={Siren} />
  return rule.state === 'pending' || rule.stale ? (
    <Badge label={label} tone="warn" Icon={Hourglass} />
  ) : (
    <Badge label={label} tone="good" Icon={CircleCheck} />
  )
}
