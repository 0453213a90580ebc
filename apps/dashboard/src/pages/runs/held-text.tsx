import type { HeldContent } from '@agent-run-service/sdk'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { useReason } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Problem } from '../../ui/problem.tsx'
import { wordOf, words } from '../../ui/words.ts'

/**
 * What a policy holds back, for people who decide about it. It is asked for at the press of the button and kept in no cache: it goes
 * when the question goes.
 */
export const HeldText = ({ runId, actionId }: { runId: string; actionId: string }) => {
  const reason = useReason('runs:approve')
  const [held, setHeld] = useState<HeldContent | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const show = async () => {
    setIsBusy(true)
    setError(null)
    try {
      setHeld(await client.runs.held(runId, { action_id: actionId }))
    } catch (caught) {
      setError(caught)
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <div className="mb-3">
      {held ? (
        <section
          aria-label="Held text"
          className="overflow-auto rounded-md border border-line bg-surface p-2.5 [unicode-bidi:isolate]"
        >
          <h3 className="mb-1 font-medium text-ink-3 text-xs">Held back at {wordOf(words.policyStages, held.stage)}</h3>
          <JsonView value={held.content ?? null} name="held" />
        </section>
      ) : (
        <Button isSmall isBusy={isBusy} reason={reason} onClick={() => void show()}>
          Show held text
        </Button>
      )}
      {error !== null && <Problem title="Held text: not loaded" error={error} />}
    </div>
  )
}
