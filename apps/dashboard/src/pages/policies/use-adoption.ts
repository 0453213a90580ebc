import { limits, type PoliciesAttachParams, type PoliciesCreateParams } from '@agent-run-service/sdk'
import { useNavigate } from '@tanstack/react-router'
import { usePolicyChanges } from '../../api/policies.ts'
import { toast, toastProblem } from '../../ui/toast.tsx'

/** Makes a policy, attaches it, and opens its page. */
export const useAdoption = () => {
  const navigate = useNavigate()
  const { create, attach } = usePolicyChanges()
  return async (params: PoliciesCreateParams, subject: PoliciesAttachParams): Promise<void> => {
    const policy = await create(params)
    try {
      await attach(policy.id, subject)
      toast(`${policy.name} is adopted.`, params.mode === 'shadow' ? watches : judges)
    } catch (error) {
      // The policy exists. Its page says that it is attached to nothing, and can attach it.
      toastProblem(`${policy.name}: not attached`, error)
    }
    await navigate({ to: '/policies/$policyId', params: { policyId: policy.id } })
  }
}

const judges = 'It judges every run that is accepted 5 seconds from now.'
const watches = `For ${limits.policyShadowDays} days it records what it would do, and changes nothing.`
