import type { RunGuardrailFrame } from '@agent-run-service/sdk'
import { Eye } from 'lucide-react'
import { Badge } from '../../ui/badge.tsx'
import { count } from '../../ui/format.ts'
import { Time } from '../../ui/time.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { findingWords } from './finding-words.ts'
import { PolicyLink } from './policy-link.tsx'
import { useRunSource } from './run-source.ts'

const maxReasonChars = 1_000

/** What policies have found in the run, in the order in which it happened. Never the text itself. A link shows none. */
export const RunFindings = ({ findings }: { findings: readonly RunGuardrailFrame[] }) => {
  const { isShared } = useRunSource()
  if (isShared || findings.length === 0) return null
  return (
    <section aria-label="Findings of policies" className="border-line border-t px-4 py-3">
      <h2 className="mb-1 font-medium text-ink-3 text-xs">Findings of policies</h2>
      <ul className="flex flex-col">
        {findings.map((finding, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: findings are only added at the end.
          <FindingRow key={n} finding={finding} />
        ))}
      </ul>
    </section>
  )
}

const FindingRow = ({ finding }: { finding: RunGuardrailFrame }) => (
  <li className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 border-line/60 border-b py-1.5 last:border-b-0">
    <span className="text-ink-3 text-xs">
      <Time at={finding.created_at} />
    </span>
    <span className="font-medium">
      {findingWords(finding)}
      {finding.step > 0 && ` in step ${finding.step}`}
    </span>
    {!finding.enforced && <Badge label={words.policyModes.shadow} tone="run" Icon={Eye} />}
    <span className="min-w-0 break-words text-ink-2 [unicode-bidi:isolate]">
      {finding.reason.slice(0, maxReasonChars)}
      {finding.count > 1 && ` (${count(finding.count)} places)`}
    </span>
    <span className="ms-auto text-ink-3 text-xs">
      {wordOf(words.policyChecks, finding.check)}, rule <code className="font-mono">{finding.rule}</code> of{' '}
      <PolicyLink id={finding.policy_id} /> v{finding.policy_version}
    </span>
  </li>
)
