import type { ErrorComponentProps } from '@tanstack/react-router'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Problem } from '../ui/problem.tsx'

/** A page failed. The sidebar still works. */
export const CrashState = ({ error, reset }: ErrorComponentProps) => (
  <div>
    <Problem title="This page failed" error={error} onRetry={reset} />
    <div className="flex gap-2 px-4">
      <Button onClick={() => location.reload()}>Reload</Button>
      <CopyButton
        text={`${location.href}\n${error instanceof Error ? error.stack : String(error)}`}
        label="Copy details"
      >
        Copy details
      </CopyButton>
    </div>
  </div>
)
