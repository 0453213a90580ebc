import { type Budget, type BudgetAction, budgetActions } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { agentNamesQuery } from '../../api/agents.ts'
import { keyNamesQuery, useSetBudget } from '../../api/budgets.ts'
import { may, useSession } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { words } from '../../ui/words.ts'
import { amountOf, type BudgetFields } from './budget-fields.ts'

/** `budget`: the one to change; null: a new one. */
export const BudgetDialog = (props: { budget: Budget | null; name: string; onClose(): void }) => {
  const { budget, onClose } = props
  const session = useSession()
  const setBudget = useSetBudget()
  const [problem, setProblem] = useState<unknown>(null)
  const { register, handleSubmit, setError, formState } = useForm<BudgetFields>({
    defaultValues: {
      id: budget?.id ?? (may(session, 'members:write') ? session.organisation.id : ''),
      amount: budget ? String(budget.monthly_budget_usd) : '',
      action: (budget?.budget_action ?? 'refuse') as BudgetAction,
    },
  })
  const submit = handleSubmit(async ({ id, amount, action }) => {
    setProblem(null)
    const read = amountOf(amount)
    if ('fault' in read) return setError('amount', { message: read.fault })
    try {
      await setBudget(id, { monthly_budget_usd: read.usd, budget_action: action })
      toast('The budget is set.')
      onClose()
    } catch (error) {
      setProblem(error)
    }
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={budget ? `Budget of ${props.name}` : 'New budget'}
      description="It limits the cost of model calls in a month (UTC). You are told at 80 % and at 100 %."
    >
      <form noValidate onSubmit={(event) => void submit(event)}>
        {!budget && <Subjects {...register('id', { required: true })} />}
        <TextField
          label="US dollars a month"
          inputMode="decimal"
          autoComplete="off"
          isRequired
          error={formState.errors.amount?.message}
          {...register('amount')}
        />
        <SelectField label="When it is used up" {...register('action')}>
          {budgetActions.map((action) => (
            <option key={action} value={action}>
              {words.budgetActions[action]}
            </option>
          ))}
        </SelectField>
        {problem !== null && <Problem title="The budget was not set" error={problem} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" type="submit" isBusy={formState.isSubmitting}>
            Set budget
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** The things whose budget the person may change. */
const Subjects = (props: ReturnType<ReturnType<typeof useForm<BudgetFields>>['register']>) => {
  const session = useSession()
  const agents = useQuery({ ...agentNamesQuery, enabled: may(session, 'agents:write') })
  const keys = useQuery({ ...keyNamesQuery, enabled: may(session, 'keys:write') })
  return (
    <SelectField label="For" isRequired {...props}>
      {may(session, 'members:write') && <option value={session.organisation.id}>The whole organisation</option>}
      <Choices label="Agents" things={agents.data} />
      <Choices label="API keys" things={keys.data} />
    </SelectField>
  )
}

const Choices = (props: { label: string; things: readonly { id: string; name: string }[] | undefined }) =>
  props.things && props.things.length > 0 ? (
    <optgroup label={props.label}>
      {props.things.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </optgroup>
  ) : null
