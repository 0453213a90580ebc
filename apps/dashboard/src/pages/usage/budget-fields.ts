import type { Budget, BudgetAction, Scope } from '@agent-run-service/sdk'

export type BudgetFields = { id: string; amount: string; action: BudgetAction }

/** The permission that changes the budget of an organisation, an agent or an API key. */
export const scopeOf = (id: Budget['id']): Scope => {
  if (id.startsWith('org_')) return 'members:write'
  return id.startsWith('ag_') ? 'agents:write' : 'keys:write'
}

/** The amount in dollars, or why the text is none. */
export const amountOf = (text: string): { usd: number } | { fault: string } => {
  const written = text.trim().replace(/^\$/, '')
  const usd = Number(written)
  if (written === '' || !Number.isFinite(usd) || usd < 0) return { fault: 'Enter an amount in US dollars, such as 50.' }
  return usd > 1_000_000_000 ? { fault: 'A budget is at most $1,000,000,000.' } : { usd }
}
