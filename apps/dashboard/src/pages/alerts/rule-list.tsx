import type { AlertRule } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useAgentName } from '../../api/agents.ts'
import { alertRulesQuery } from '../../api/alerts.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { RuleBadge, SeverityBadge } from './alert-badges.tsx'
import { conditionText } from './metrics.ts'
import { useRuleActions } from './use-rule-actions.tsx'

/** The rules of the organisation, newest first. */
export const RuleList = ({ create }: { create: ReactNode }) => {
  const { data, error, refetch } = useQuery(alertRulesQuery)
  const nameOf = useAgentName()
  const { itemsOf, dialog } = useRuleActions()
  const columns: readonly Column<AlertRule>[] = [
    {
      id: 'name',
      title: 'Name',
      cell: ({ name }) => <span className="font-medium [unicode-bidi:isolate]">{name}</span>,
    },
    { id: 'state', title: 'State', width: '9rem', cell: (rule) => <RuleBadge rule={rule} /> },
    { id: 'condition', title: 'Fires when', width: '24rem', cell: (rule) => conditionText(rule) },
    {
      id: 'agent',
      title: 'Agent',
      width: '11rem',
      cell: ({ agent_id }) => (agent_id === null ? 'All agents' : nameOf(agent_id)),
    },
    { id: 'severity', title: 'Severity', width: '7rem', cell: ({ severity }) => <SeverityBadge severity={severity} /> },
    {
      id: 'actions',
      title: 'Actions',
      width: '5rem',
      align: 'end',
      cell: (rule) => <Menu kind="quiet" label={`Actions of ${rule.name}`} items={itemsOf(rule)} />,
    },
  ]
  if (error) return <Problem title="Rules: not loaded" error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton />
  return (
    <>
      {data.length === 0 ? (
        <EmptyState title="No rules yet" action={create}>
          A rule watches a figure of one agent or of all of them, and fires when it passes a threshold.
        </EmptyState>
      ) : (
        <DataTable label="Rules" columns={columns} rows={data} hrefOf={({ id }) => `/alert-rules/${id}`} />
      )}
      {dialog}
    </>
  )
}
