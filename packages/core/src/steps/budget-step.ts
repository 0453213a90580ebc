import { limits } from '@ars/contract'
import { type Decision, failed, type History, type PersonRequest, type StepOutcome, type UsedUp } from './step.ts'

/** Not numbers of calls or of questions, so that nothing else finds these decisions. */
const ordinals = { monthly: -1, own: -2 } as const

/**
 * What a run does that a monthly budget lets wait: null if people have let it go on beyond its budgets. A question that was closed
 * because the budget was raised, or because a new month began, is nobody's decision, so the budget counts again.
 */
export const waitForBudget = (history: History, { budgetId, message }: UsedUp): StepOutcome | null => {
  const decided = decisionsOn(history, ordinals.monthly).at(-1)
  if (decided?.resolution === 'approve') return null
  return decided ? refused(message) : waiting({ budgetId, message, ordinal: ordinals.monthly })
}

/** The same for the budget of the run itself: each approval allows the same amount once more. */
export const waitForOwnBudget = (
  history: History,
  { spentUsd, budgetUsd, message }: { spentUsd: number; budgetUsd: number; message: string },
): StepOutcome | null => {
  const decisions = decisionsOn(history, ordinals.own)
  if (decisions.at(-1)?.resolution === 'reject') return refused(message)
  const approvals = decisions.length
  const isAllowed = budgetUsd === 0 ? approvals > 0 : spentUsd < budgetUsd * (1 + approvals)
  return isAllowed ? null : waiting({ message, ordinal: ordinals.own })
}

const decisionsOn = ({ decisions }: History, about: number): Decision[] =>
  decisions.filter(
    ({ type, ordinal, resolved_by }) => type === 'raise_budget' && ordinal === about && resolved_by !== null,
  )

const refused = (message: string): StepOutcome =>
  failed('budget_exhausted', `${message} A person has refused to go on.`)

const waiting = (ask: Pick<PersonRequest, 'message' | 'budgetId' | 'ordinal'>): StepOutcome => ({
  kind: 'wait',
  record: null,
  asks: [
    {
      ...ask,
      type: 'raise_budget',
      toolCall: null,
      responseSchema: null,
      expiresInSeconds: limits.actionTimeoutMaxSeconds,
    },
  ],
})
