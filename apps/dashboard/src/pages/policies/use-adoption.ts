import type { PoliciesCreateParams } from '@agent-run-service/sdk'
import { useNavigate } from '@tanstack/react-router'
import { usePolicyChanges } from '../../api/policies.ts'
import { useSession } from '../../session.ts'
import { toast, toastProblem } from '../../ui/toast.tsx'

/** Makes a policy, attaches it to the organisation, and opens its page. */
export const useAdoption = () => {
  const navigate = useNavigate()
  const { organisation } = useSession()
  const { create, attach } = usePolicyChanges()
  return async (params: PoliciesCreateParams): Promise<void> => {
    const policy = await create(params)
    try {
      await attach(policy.id, { subject_id: organisation.id })
      toast(`${policy.name} is adopted.`, 'It judges every run that is accepted 5 seconds from now.')
    } catch (error) {
      // The policy exists. Its page says that it is attached to nothing, and can attach it.
      toastProblem(`${policy.name}: not attached`, error)
    }
    await navigate({ to: '/policies/$policyId', params: { policyId: policy.id } })
  }
}
