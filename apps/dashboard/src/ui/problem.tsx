import { CircleX } from 'lucide-react'
import { problemOf } from '../api/problem.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'

/** What failed, why, and what to quote to the operator. The rest of the page stays. */
export const Problem = ({ title, error, onRetry }: { title: string; error: unknown; onRetry?: () => void }) => {
  const { message, code, requestId, docUrl } = problemOf(error)
  const reference = [code, requestId].filter((part) => part !== null).join(' ')
  return (
    <div role="alert" className="m-4 flex items-start gap-2 rounded-lg border border-bad/50 bg-bad-soft p-3">
      <CircleX aria-hidden size={16} className="mt-0.5 shrink-0 text-bad" />
      <div className="min-w-0 flex-1">
        <p className="font-medium text-bad">{title}</p>
        <p className="break-words">{message}</p>
        {reference !== '' && (
          <p className="mt-1 flex items-center gap-1 font-mono text-ink-2 text-xs">
            <span className="break-all">{reference}</span>
            <CopyButton text={reference} label="Copy error code and request id" />
            {docUrl !== null && (
              <a href={docUrl} className="text-accent underline">
                What this means
              </a>
            )}
          </p>
        )}
      </div>
      {onRetry && (
        <Button isSmall onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}
