import { Link, useNavigate } from '@tanstack/react-router'
import { useAlertRuleChanges } from '../../api/alerts.ts'
import { useReason } from '../../session.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { toast } from '../../ui/toast.tsx'
import { newRule, termsOf } from './rule-fields.ts'
import { RuleForm } from './rule-form.tsx'

export const RuleNewPage = () => {
  const navigate = useNavigate()
  const { create } = useAlertRuleChanges()
  return (
    <>
      <PageHeader
        trail={
          <Link to="/alerts" search={{ view: 'rules' }} className="hover:underline">
            Alert rules
          </Link>
        }
        title="New rule"
      />
      <RuleForm
        initial={newRule}
        verb="Create rule"
        reason={useReason('alerts:write')}
        onSubmit={async (fields) => {
          const rule = await create({ name: fields.name.trim(), severity: fields.severity, ...termsOf(fields) })
          toast('The rule is created. It is evaluated about every 10 seconds.')
          await navigate({ to: '/alert-rules/$ruleId', params: { ruleId: rule.id } })
        }}
      />
    </>
  )
}
