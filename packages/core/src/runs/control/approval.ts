/** Who may approve actions of an agent's runs: `limits.approval` of the version that the run is pinned to. */
export type ApprovalRule = { readonly by?: 'anyone' | 'person'; readonly not_starter?: boolean }

/**
 * A key counts as the person who created it, directly or through other keys, and otherwise as the first key of that
 * line. So nobody becomes a second person by creating a key.
 */
export type Principal = { readonly type: 'key' | 'user'; readonly id: string }

export type ApprovalCase = {
  readonly rule: ApprovalRule | null
  /** The type of the credential that approves. */
  readonly actorType: 'key' | 'user'
  readonly approver: Principal
  readonly starter: Principal
}

/** Why this approval is not accepted, in words for the caller; null: it is. */
export const approvalRefusal = ({ rule, actorType, approver, starter }: ApprovalCase): string | null => {
  if (rule?.by === 'person' && actorType !== 'user')
    return 'This agent accepts approvals from people only: sign in, and approve in a browser session'
  if (!rule?.not_starter) return null
  return starter.type === approver.type && starter.id === approver.id
    ? 'This agent needs a second person: the person who started the run, directly or with their key, cannot approve it'
    : null
}
