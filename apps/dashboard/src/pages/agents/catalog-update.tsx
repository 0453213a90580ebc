import type { Agent } from '@agent-run-service/sdk'
import { useState } from 'react'
import { useAgentMutations } from '../../api/agents.ts'
import { useReason } from '../../session.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'

/** The catalog has a newer version of a hired agent. */
export const CatalogUpdate = ({ agent }: { agent: Agent }) => {
  const [isOpen, setIsOpen] = useState(false)
  const { update } = useAgentMutations()
  const reason = useReason('agents:write')
  const { catalog_version: hired, catalog_latest: latest } = agent
  if (hired === null || latest === null || latest <= hired) return null
  const adopt = async () => {
    try {
      await update.mutateAsync({ id: agent.id, body: { catalog_version: latest, version: agent.version } })
      setIsOpen(false)
      toast(`${agent.name} has version ${latest} of the catalog`)
    } catch {
      // The dialog shows the error of the mutation.
    }
  }
  return (
    <>
      <Banner
        tone="info"
        action={
          <Button isSmall reason={reason} onClick={() => setIsOpen(true)}>
            Adopt version {latest}
          </Button>
        }
      >
        The catalog has version {latest} of this agent; it was hired with version {hired}.
      </Banner>
      <Dialog
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        title={`Adopt version ${latest} of the catalog?`}
        description="Your own changes since you hired it are kept. All new runs use the result. You can roll it back on the page Releases."
      >
        {update.error && <Problem title="Not adopted" error={update.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={() => setIsOpen(false)}>Not now</Button>
          <Button kind="primary" isBusy={update.isPending} onClick={() => void adopt()}>
            Adopt
          </Button>
        </div>
      </Dialog>
    </>
  )
}
