import type { Run, RunGuardrailFrame } from '@agent-run-service/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { runQuery } from '../../api/runs.ts'
import { Decision, DecisionNotice } from './decision.tsx'
import { findingOf } from './finding-words.ts'

/** The open questions of a run. One that somebody else decided while it was open here says by whom. */
export const OpenDecisions = ({ run, findings = [] }: { run: Run; findings?: readonly RunGuardrailFrame[] }) => {
  const queryClient = useQueryClient()
  const [lost, setLost] = useState<readonly string[]>([])
  const decided = useRef(new Set<string>())
  const seen = useRef(new Set<string>())
  const open = run.status === 'requires_action' ? run.required_actions : []
  const openIds = open.map(({ id }) => id).join(' ')
  useEffect(() => {
    const now = openIds.split(' ').filter(Boolean)
    const gone = [...seen.current].filter((id) => !now.includes(id) && !decided.current.has(id))
    if (gone.length > 0 && run.status !== 'cancelled') setLost((was) => [...new Set([...was, ...gone])])
    seen.current = new Set(now)
  }, [openIds, run.status])
  return (
    <>
      {lost
        .filter((id) => !decided.current.has(id))
        .map((id) => (
          <DecisionNotice key={id} runId={run.id} actionId={id} />
        ))}
      {open
        .filter(({ id }) => !lost.includes(id))
        .map((action) => (
          <Decision
            key={action.id}
            runId={run.id}
            action={action}
            finding={findingOf(findings, action)}
            onDecided={(changed) => {
              decided.current.add(action.id)
              queryClient.setQueryData(runQuery(run.id).queryKey, changed)
            }}
            onLost={() => setLost((was) => [...new Set([...was, action.id])])}
          />
        ))}
      <p role="status" className="sr-only">
        {open.length > 0 ? `The run waits for ${open.length === 1 ? 'a decision' : `${open.length} decisions`}.` : ''}
      </p>
    </>
  )
}
