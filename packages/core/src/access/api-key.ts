import { type ApiKeyId, limits, type Scope, type ApiKey as WireApiKey } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import type { BudgetTerms } from '../budgets/index.ts'
import { Fault } from '../fault.ts'
import { type Grant, isScope } from './grant.ts'

/** A key as stored, without its hash. */
export type ApiKey = BudgetTerms & {
  id: string
  name: string
  kind: 'live' | 'demo'
  prefix: string
  hint: string
  scopes: string[]
  agent_ids: string[] | null
  bucket_id: string | null
  expires_at: Date | null
  last_used_at: Date | null
  created_by: string | null
  created_by_type: 'key' | 'user' | 'operator'
  created_at: Date
  revoked_at: Date | null
  rotated_to: string | null
  grace_until: Date | null
  exposed_at: Date | null
  /**
   * By the database's clock when the row was read: the key is not revoked, not expired, and within its grace period.
   */
  is_usable: boolean
}

/** The fields of a key that can be changed. */
export type ApiKeyFields = Pick<ApiKey, 'name' | 'agent_ids' | 'expires_at'> & { scopes: readonly Scope[] }

export const toWireKey = (key: ApiKey): WireApiKey => ({
  id: fromUuid('key', key.id),
  object: 'api_key',
  name: key.name,
  kind: key.kind,
  prefix: key.prefix,
  hint: key.hint,
  scopes: key.scopes.filter(isScope),
  agent_ids: key.agent_ids?.map((id) => fromUuid('ag', id)) ?? null,
  expires_at: toIso(key.expires_at),
  last_used_at: toIso(key.last_used_at),
  created_by: creatorOf(key),
  created_at: key.created_at.toISOString(),
  revoked_at: toIso(key.revoked_at),
  rotated_to: key.rotated_to === null ? null : fromUuid('key', key.rotated_to),
  grace_until: toIso(key.grace_until),
  exposed_at: toIso(key.exposed_at),
  monthly_budget_usd: key.monthly_budget_usd,
  budget_action: key.budget_action,
})

export const grantOf = (key: Pick<ApiKey, 'scopes' | 'agent_ids' | 'kind'>): Grant => ({
  scopes: key.scopes.filter(isScope),
  agentIds: key.agent_ids,
  kind: key.kind,
})

/** The fields that a change affects, before and after, for the audit log. */
export const keyChangesBetween = (
  key: ApiKey,
  next: ApiKeyFields,
): { before: Partial<WireApiKey>; after: Partial<WireApiKey> } => {
  const before = toWireKey(key)
  const after = toWireKey({ ...key, ...next, scopes: [...next.scopes] })
  const changed = (['name', 'scopes', 'agent_ids', 'expires_at'] as const).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  )
  const only = (record: WireApiKey): Partial<WireApiKey> =>
    Object.fromEntries(changed.map((field) => [field, record[field]]))
  return { before: only(before), after: only(after) }
}

export const requireUsable = (key: ApiKey): void => {
  if (key.revoked_at !== null) throw notActive(key, 'was revoked')
  if (!key.is_usable) throw notActive(key, key.rotated_to === null ? 'has expired' : 'was rotated and has ended')
}

export const requireRotatable = (key: ApiKey): void => {
  requireUsable(key)
  if (key.rotated_to !== null) throw notActive(key, 'was rotated already')
}

/** What the budget of the key counts: rotated keys are one. */
export const budgetSubjectOf = ({ id, bucket_id }: Pick<ApiKey, 'id' | 'bucket_id'>) =>
  ({ kind: 'api_key', id: bucket_id ?? id }) as const

/** `now` is the database's clock. */
export const requireFuture = (expiresAt: Date | null, now: Date): void => {
  if (expiresAt !== null && expiresAt.getTime() <= now.getTime()) {
    throw new Fault('input_invalid', 'expires_at must lie in the future', { param: 'expires_at' })
  }
}

export const requireRoom = (keys: number): void => {
  if (keys < limits.keysPerOrganisation) return
  throw new Fault('limit_reached', `An organisation has at most ${limits.keysPerOrganisation} keys that work`)
}

export const noSuchKey = (id: ApiKeyId): Fault => new Fault('not_found', `No API key ${id}`)

const notActive = (key: ApiKey, what: string): Fault =>
  new Fault('key_not_active', `The key ${fromUuid('key', key.id)} ${what}`)

const creatorOf = ({ created_by, created_by_type }: ApiKey): WireApiKey['created_by'] => {
  if (created_by === null || created_by_type === 'operator') return null
  return created_by_type === 'key' ? fromUuid('key', created_by) : fromUuid('usr', created_by)
}

const toIso = (date: Date | null): string | null => date?.toISOString() ?? null
