/** What may have a budget that a run counts against: its organisation, its agent and its key. A person has no budget. */
export const budgetSubjectsOf = (
  org: string,
  { agentId, budgetKeyId }: { agentId: string; budgetKeyId?: string | undefined },
): string[] => [org, agentId, ...(budgetKeyId === undefined ? [] : [budgetKeyId])]
