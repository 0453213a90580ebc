import type { ApiKey } from '@agent-run-service/sdk'

export type KeyState = 'active' | 'rotated' | 'expired' | 'revoked'

/** A rotated key counts as rotated also after its 24 hours, until it is revoked. */
export const keyState = (key: ApiKey, nowMs: number): KeyState => {
  if (key.revoked_at !== null) return 'revoked'
  if (key.expires_at !== null && Date.parse(key.expires_at) <= nowMs) return 'expired'
  return key.rotated_to === null ? 'active' : 'rotated'
}

/** Whether the key still works, as a rotated one does for 24 hours. */
export const isUsable = (key: ApiKey, nowMs: number): boolean => {
  const state = keyState(key, nowMs)
  return state === 'active' || (state === 'rotated' && isInGrace(key, nowMs))
}

export const isInGrace = (key: ApiKey, nowMs: number): boolean =>
  key.revoked_at === null && key.grace_until !== null && Date.parse(key.grace_until) > nowMs

/** Whether somebody used a rotated key after its rotation. */
export const isStillUsed = (key: ApiKey, graceHours: number): boolean =>
  key.grace_until !== null &&
  key.last_used_at !== null &&
  Date.parse(key.last_used_at) > Date.parse(key.grace_until) - graceHours * 3_600_000

/** A key that was sent over plain HTTP and still works. */
export const isExposed = (key: ApiKey, nowMs: number): boolean => key.exposed_at !== null && isUsable(key, nowMs)

export const keyFilters = ['active', 'rotated', 'revoked'] as const
export type KeyFilter = (typeof keyFilters)[number]

/** Expired keys are shown with the revoked ones: neither works. */
export const passesFilter = (key: ApiKey, filter: KeyFilter | undefined, nowMs: number): boolean => {
  const state = keyState(key, nowMs)
  return filter === undefined || (state === 'expired' ? 'revoked' : state) === filter
}

/** `ars_live_…hHRb` */
export const maskedKey = ({ prefix, hint }: ApiKey): string => `${prefix}…${hint}`
