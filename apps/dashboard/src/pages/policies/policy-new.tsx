import { Link, useNavigate } from '@tanstack/react-router'
import { usePolicyChanges } from '../../api/policies.ts'
import { useReason } from '../../session.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { toast } from '../../ui/toast.tsx'
import { exampleRules } from './example-rule.ts'
import { type PolicyFields, RulesForm } from './rules-form.tsx'

const initial: PolicyFields = { name: '', description: '', mode: 'enforce', rules: [exampleRules.keywords] }

export const PolicyNewPage = () => {
  const navigate = useNavigate()
  const { create } = usePolicyChanges()
  return (
    <>
      <PageHeader title="New policy" trail={<Link to="/policies">Policies</Link>} />
      <p className="px-4 pt-4 text-ink-2">
        Write your own rules, or{' '}
        <Link to="/policies/templates" className="text-accent underline">
          adopt a template
        </Link>
        .
      </p>
      <RulesForm
        initial={initial}
        verb="Create policy"
        reason={useReason('policies:write')}
        onSend={async ({ name, description, mode, rules }) => {
          const policy = await create({ name, ...(description !== '' && { description }), mode, rules })
          toast('The policy is created. Attach it, so that it works.')
          await navigate({ to: '/policies/$policyId', params: { policyId: policy.id } })
        }}
      />
    </>
  )
}
