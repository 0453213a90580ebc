import { z } from 'zod'
import { fieldLimits } from './bounds.ts'
import type { AgentId, ApiKeyId, OrganisationId } from './ids.ts'

export const BudgetAction = z.enum(['refuse', 'park', 'notify']).meta({
  id: 'BudgetAction',
  description:
    '`refuse`: new runs are rejected. `park`: runs wait before their next model call. `notify`: only events are sent.',
})

const words = 'US dollars a month, UTC; null: none.'

/** The budget of an organisation, an agent or an API key, as these show it. */
export const budgetFields = {
  monthly_budget_usd: z.number().nullable().meta({ description: words }),
  budget_action: BudgetAction,
}

/** The same in a request. */
export const budgetInput = {
  monthly_budget_usd: z.number().min(0).max(fieldLimits.monthlyBudgetUsd).nullable().meta({ description: words }),
  budget_action: BudgetAction,
}

export type BudgetInput = {
  readonly monthly_budget_usd?: number | null | undefined
  readonly budget_action?: z.infer<typeof BudgetAction> | undefined
}

/** A budget has the id of what it limits. */
export const BudgetId = z
  .string()
  .regex(/^(org|ag|key)_[0-7][0-9a-hjkmnp-tv-z]{25}$/, 'must be the id of an organisation, an agent or an API key')
  .meta({ description: 'The organisation, agent or API key. Of rotated keys, the first one.' }) as unknown as z.ZodType<
  OrganisationId | AgentId | ApiKeyId,
  OrganisationId | AgentId | ApiKeyId
>

export const Budget = z
  .object({
    id: BudgetId,
    object: z.literal('budget'),
    monthly_budget_usd: z.number().meta({ description: 'The budget in US dollars.' }),
    budget_action: BudgetAction,
    spent_usd: z.number().meta({ description: 'The cost of this month.' }),
    reached_percent: z.int().meta({ description: '80 or 100: the share that was announced this month; else 0.' }),
    resets_at: z.iso.datetime().meta({ description: 'The start of the next month.' }),
  })
  .meta({ id: 'Budget', description: 'What may be spent in a month, and what was.' })

export type Budget = z.infer<typeof Budget>
