import type { AlertRule, AlertRulesUpdateParams } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { alertRuleQuery, useAlertRuleChanges } from '../../api/alerts.ts'
import { useReason } from '../../session.ts'
import { MissingState } from '../../shell/missing-state.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { toast } from '../../ui/toast.tsx'
import { RuleBadge } from './alert-badges.tsx'
import { fieldsOf, type RuleFields, termsOf } from './rule-fields.ts'
import { RuleForm } from './rule-form.tsx'
import { useRuleActions } from './use-rule-actions.tsx'

/** A rule: its state, its form, and what can be done with it. */
export const RulePage = () => {
  const { ruleId }: { ruleId: string } = useParams({ from: '/app/alert-rules/$ruleId' })
  const { data: rule, error, refetch } = useQuery(alertRuleQuery(ruleId))
  if (!rule) {
    return error ? (
      <MissingState what="Alert rule" id={ruleId} error={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton />
    )
  }
  return <Rule key={rule.id} rule={rule} />
}

const Rule = ({ rule }: { rule: AlertRule }) => {
  const navigate = useNavigate()
  const reason = useReason('alerts:write')
  const { update } = useAlertRuleChanges()
  const { itemsOf, dialog } = useRuleActions(() => void navigate({ to: '/alerts', search: { view: 'rules' } }))
  return (
    <>
      <PageHeader
        trail={
          <Link to="/alerts" search={{ view: 'rules' }} className="hover:underline">
            Alert rules
          </Link>
        }
        title={rule.name}
        aside={<RuleBadge rule={rule} />}
      >
        <Link to="/alerts" search={{ rule_id: rule.id }} className="text-accent underline">
          Its alerts
        </Link>
        {itemsOf(rule).map(({ label, onSelect, isDanger, reason: why }) => (
          <Button key={label} kind={isDanger ? 'danger' : 'plain'} reason={why} onClick={onSelect}>
            {label}
          </Button>
        ))}
      </PageHeader>
      {rule.alert_id !== null && (
        <Banner
          tone="bad"
          action={
            <Link to="/alerts/$alertId" params={{ alertId: rule.alert_id }} className="text-accent underline">
              See the alert
            </Link>
          }
        >
          The rule fires now.
        </Banner>
      )}
      <RuleForm
        initial={fieldsOf(rule)}
        isMade
        verb="Save"
        reason={reason}
        onSubmit={async (fields) => {
          const changes = changesOf(rule, fields)
          if (Object.keys(changes).length > 0) await update(rule.id, changes)
          toast('The rule is changed.')
        }}
      />
      {dialog}
    </>
  )
}

/** Only what differs: a change of more than name and severity starts the rule again. */
const changesOf = (rule: AlertRule, fields: RuleFields): AlertRulesUpdateParams => {
  const { metric: _metric, error_code: _code, agent_id: _agent, ...terms } = termsOf(fields)
  const wanted = { name: fields.name.trim(), severity: fields.severity, ...terms }
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => rule[name as keyof typeof wanted] !== value),
  )
}
