import { type Agent, limits } from '@agent-run-service/sdk'
import { useState } from 'react'
import { useAgentMutations } from '../../api/agents.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'

/** Replaces the secret with which requests to a remote agent are signed. */
export const RotateSecret = ({ agent, isOpen, onClose }: { agent: Agent; isOpen: boolean; onClose(): void }) => {
  const [hours, setHours] = useState<number>(limits.signingSecretOverlapHours)
  const [secret, setSecret] = useState<string | null>(null)
  const { rotateSecret } = useAgentMutations()
  return (
    <>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={onClose}
        title="Rotate the signing secret?"
        description="You get a new secret, once. Until the old one ends, requests carry the signatures of both."
        verb="Rotate"
        onConfirm={async () => {
          const { signing_secret } = await rotateSecret.mutateAsync({ id: agent.id, hours })
          setSecret(signing_secret)
        }}
      >
        <TextField
          label="Hours until the old secret ends"
          type="number"
          min={0}
          max={limits.signingSecretOverlapMaxHours}
          value={hours}
          onChange={({ target }) => setHours(Number(target.value))}
        />
      </ConfirmDialog>
      <SecretOnce
        title="The new signing secret"
        description="Your endpoint verifies requests with it. It cannot be shown again."
        secret={secret}
        onStored={() => setSecret(null)}
      />
    </>
  )
}
