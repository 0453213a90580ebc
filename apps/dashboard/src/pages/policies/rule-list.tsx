import type { PolicyRule } from '@agent-run-service/sdk'
import { Ban, Eraser, Flag, Hand } from 'lucide-react'
import { Badge } from '../../ui/badge.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { ruleSentence } from './rule-words.ts'

const looks = {
  block: { tone: 'bad', Icon: Ban },
  require_approval: { tone: 'warn', Icon: Hand },
  redact: { tone: 'accent', Icon: Eraser },
  flag: { tone: 'plain', Icon: Flag },
} as const

export const ActionBadge = ({ action }: { action: string }) => {
  const { tone, Icon } = looks[action as keyof typeof looks] ?? looks.flag
  return <Badge label={wordOf(words.policyActions, action)} tone={tone} Icon={Icon} />
}

/** The rules in words, in their order. */
export const RuleList = ({ rules }: { rules: readonly PolicyRule[] }) => (
  <ol className="flex flex-col gap-2">
    {rules.map((rule) => (
      <li key={rule.id} className="rounded-lg border border-line bg-surface px-3 py-2">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <code className="font-mono text-xs">{rule.id}</code>
          <ActionBadge action={rule.action} />
          <span className="text-ink-3 text-xs">{wordOf(words.policyChecks, rule.check)}</span>
        </div>
        <p className="mt-1 break-words [unicode-bidi:isolate]">{ruleSentence(rule)}</p>
        {Object.keys(rule.params).length > 0 && (
          <details className="mt-1">
            <summary className="cursor-pointer text-ink-3 text-xs">Parameters of {rule.id}</summary>
            <div className="mt-1 overflow-auto rounded-md border border-line p-2.5">
              <JsonView value={rule.params} name={rule.id} />
            </div>
          </details>
        )}
      </li>
    ))}
  </ol>
)
