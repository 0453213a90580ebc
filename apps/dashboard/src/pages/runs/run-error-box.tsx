import type { RunError } from '@agent-run-service/sdk'
import { CircleX } from 'lucide-react'
import { JsonView } from '../../ui/json-view.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { blockOf } from './finding-words.ts'
import { PolicyLink } from './policy-link.tsx'
import { useRunSource } from './run-source.ts'

const maxChars = 4_000

/** Why the run failed, and what to do. */
export const RunErrorBox = ({ error }: { error: RunError }) => {
  const advice = wordOf(words.runErrors, error.code)
  const { isShared } = useRunSource()
  const block = isShared ? null : blockOf(error)
  return (
    <section aria-label="Error" className="m-4 flex items-start gap-2 rounded-lg border border-bad/50 bg-bad-soft p-3">
      <CircleX aria-hidden size={16} className="mt-0.5 shrink-0 text-bad" />
      <div className="min-w-0">
        <h2 className="font-medium text-bad">{error.code}</h2>
        <p className="whitespace-pre-wrap break-words [unicode-bidi:isolate]">{error.message.slice(0, maxChars)}</p>
        {block && (
          <p>
            The policy <PolicyLink id={block.policyId} /> stopped the run by its rule{' '}
            <code className="font-mono text-xs">{block.rule}</code> ({block.check}).
          </p>
        )}
        {advice !== error.code && <p className="mt-1 text-ink-2">{advice}</p>}
        <p className="text-ink-2">
          {error.retryable
            ? 'A new run with the same input can succeed.'
            : 'A new run with the same input will fail again.'}
        </p>
        {error.details && (
          <div className="mt-2">
            <JsonView value={error.details} name="error-details" />
          </div>
        )}
      </div>
    </section>
  )
}
