import type { Budget } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useAgentName } from '../../api/agents.ts'
import { budgetsQuery, keyNamesQuery, useSetBudget } from '../../api/budgets.ts'
import { may, reasonOf, useSession } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { usd } from '../../ui/format.ts'
import { Menu } from '../../ui/menu.tsx'
import { Problem } from '../../ui/problem.tsx'
import { QuotaMeter } from '../../ui/quota-meter.tsx'
import { toast } from '../../ui/toast.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { BudgetDialog } from './budget-dialog.tsx'
import { scopeOf } from './budget-fields.ts'

/** What may be spent in this month, and what was. */
export const Budgets = () => {
  const session = useSession()
  const { data, error, refetch } = useQuery(budgetsQuery)
  const [edited, setEdited] = useState<Budget | 'new' | null>(null)
  const [removed, setRemoved] = useState<Budget | null>(null)
  const setBudget = useSetBudget()
  const nameOf = useSubjectName()
  const canAdd = (['members:write', 'agents:write', 'keys:write'] as const).some((scope) => may(session, scope))
  const columns: readonly Column<Budget>[] = [
    { id: 'for', title: 'For', cell: ({ id }) => <span className="[unicode-bidi:isolate]">{nameOf(id)}</span> },
    {
      id: 'spent',
      title: 'Spent this month',
      width: '18rem',
      cell: ({ id, spent_usd, monthly_budget_usd }) => (
        <>
          {usd(spent_usd)} of {usd(monthly_budget_usd)}
          <QuotaMeter label={`Budget of ${nameOf(id)}`} used={spent_usd} limit={monthly_budget_usd} />
        </>
      ),
    },
    {
      id: 'action',
      title: 'When it is used up',
      width: '20rem',
      cell: ({ budget_action }) => wordOf(words.budgetActions, budget_action),
    },
    {
      id: 'actions',
      title: 'Actions',
      width: '5rem',
      align: 'end',
      cell: (budget) => {
        const scope = scopeOf(budget.id)
        const reason = may(session, scope) ? undefined : reasonOf(session, scope)
        const items = [
          { label: 'Change', reason, onSelect: () => setEdited(budget) },
          { label: 'Remove', reason, isDanger: true, onSelect: () => setRemoved(budget) },
        ]
        return <Menu kind="quiet" label={`Actions of the budget of ${nameOf(budget.id)}`} items={items} />
      },
    },
  ]
  return (
    <section aria-label="Budgets" className="min-w-0">
      <div className="mb-1 flex items-center gap-3">
        <h2 className="font-semibold">Budgets</h2>
        <Button reason={canAdd ? undefined : reasonOf(session, 'members:write')} onClick={() => setEdited('new')}>
          <Plus aria-hidden size={14} /> New budget
        </Button>
      </div>
      {error && <Problem title="Budgets: not loaded" error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && (
        <p className="text-ink-2">
          No budget is set. A budget limits the monthly cost of the organisation, an agent or an API key.
        </p>
      )}
      {data && data.length > 0 && <DataTable label="Budgets" columns={columns} rows={data} isInline />}
      {edited && (
        <BudgetDialog
          budget={edited === 'new' ? null : edited}
          name={edited === 'new' ? '' : nameOf(edited.id)}
          onClose={() => setEdited(null)}
        />
      )}
      <ConfirmDialog
        isOpen={removed !== null}
        onClose={() => setRemoved(null)}
        title="Remove the budget"
        description={`The cost of ${removed ? nameOf(removed.id) : ''} is no longer limited. Runs that wait for this budget go on.`}
        verb="Remove budget"
        onConfirm={async () => {
          if (!removed) return
          await setBudget(removed.id, { monthly_budget_usd: null })
          toast('The budget is removed.')
        }}
      />
    </section>
  )
}

const useSubjectName = (): ((id: Budget['id']) => string) => {
  const session = useSession()
  const agentName = useAgentName()
  const { data: keys } = useQuery({ ...keyNamesQuery, enabled: may(session, 'keys:read') })
  return (id) => {
    if (id.startsWith('org_')) return 'The whole organisation'
    return id.startsWith('ag_') ? agentName(id) : (keys?.find((key) => key.id === id)?.name ?? id)
  }
}
