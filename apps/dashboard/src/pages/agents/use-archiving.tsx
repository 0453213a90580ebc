import type { Agent } from '@agent-run-service/sdk'
import { useState } from 'react'
import { useAgentMutations } from '../../api/agents.ts'
import { useReason } from '../../session.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import type { MenuItem } from '../../ui/menu.tsx'
import { toast, toastProblem } from '../../ui/toast.tsx'

/** Archives after a question, and unarchives without one. */
export const useArchiving = () => {
  const [asked, setAsked] = useState<Agent | null>(null)
  const { archive, unarchive } = useAgentMutations()
  const reason = useReason('agents:write')
  const restore = async (agent: Agent) => {
    try {
      await unarchive.mutateAsync(agent.id)
      toast(`${agent.name} takes runs again`)
    } catch (error) {
      toastProblem(`${agent.name} was not unarchived`, error)
    }
  }
  const itemOf = (agent: Agent): MenuItem =>
    agent.status === 'archived'
      ? { label: 'Unarchive', reason, onSelect: () => void restore(agent) }
      : { label: 'Archive', reason, isDanger: true, onSelect: () => setAsked(agent) }
  const dialog = (
    <ConfirmDialog
      isOpen={asked !== null}
      onClose={() => setAsked(null)}
      title={`Archive ${asked?.name ?? ''}?`}
      description="It accepts no new runs and no changes. Active runs finish. You can unarchive it at any time."
      verb="Archive agent"
      onConfirm={async () => {
        if (asked) await archive.mutateAsync(asked.id)
      }}
    />
  )
  return { itemOf, dialog }
}
