import type { Policy } from '@agent-run-service/sdk'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { usePolicyChanges } from '../../api/policies.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { PolicyFrame, usePolicyReason } from './policy-frame.tsx'
import { RulesForm } from './rules-form.tsx'

export const PolicyEditPage = () => {
  const { policyId } = useParams({ from: '/app/policies/$policyId/edit' })
  return (
    <PolicyFrame policyId={policyId} part="Edit">
      {(policy) => <Edit key={policy.id} policy={policy} />}
    </PolicyFrame>
  )
}

const Edit = ({ policy }: { policy: Policy }) => {
  const navigate = useNavigate()
  const { update } = usePolicyChanges()
  // The version that the person began with: if a newer one exists, the service refuses the change.
  const [begun] = useState(policy)
  const back = () => navigate({ to: '/policies/$policyId', params: { policyId: policy.id } })
  return (
    <RulesForm
      initial={{ name: begun.name, description: begun.description, mode: 'enforce', rules: begun.rules }}
      isMade
      verb="Save"
      reason={usePolicyReason(policy)}
      onSend={async ({ name, description, rules }) => {
        const hasNewRules = JSON.stringify(rules) !== JSON.stringify(begun.rules)
        const changes = {
          ...(name !== begun.name && { name }),
          ...(description !== begun.description && { description }),
          ...(hasNewRules && { rules, version: begun.version }),
        }
        if (Object.keys(changes).length > 0) {
          const changed = await update(policy.id, changes)
          toast(hasNewRules ? `Version ${changed.version} is saved.` : 'The policy is changed.')
        }
        await back()
      }}
    >
      <Button onClick={() => void back()}>Cancel</Button>
    </RulesForm>
  )
}
