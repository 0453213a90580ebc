import { scopes as allScopes, demoScopes, type Scope } from '@ars/contract'
import type { Caller } from '../ctx.ts'
import { Fault } from '../fault.ts'

/** The permissions of a key or token. */
export type Grant = {
  readonly scopes: readonly Scope[]
  /** As UUIDs. Null: every agent of the organisation. */
  readonly agentIds: readonly string[] | null
  readonly kind: 'live' | 'demo'
}

/** A caller that grants permissions must hold all of them: nobody gets more by creating a key. */
export const requireGrantable = (
  caller: Pick<Caller, 'scopes' | 'agentIds' | 'isDemo'>,
  { scopes, agentIds, kind }: Grant,
): void => {
  const lacking = scopes.filter((scope) => !caller.scopes.has(scope))
  if (lacking.length > 0) {
    throw new Fault('forbidden', `Nobody can grant what they lack: ${lacking.join(', ')}`, { param: 'scopes' })
  }
  if (!isWithin(caller.agentIds, agentIds)) {
    throw new Fault('forbidden', 'This key is narrowed to some agents and can grant no others', { param: 'agent_ids' })
  }
  if (caller.isDemo && kind !== 'demo') {
    throw new Fault('forbidden', 'A demo key can grant demo keys only', { param: 'kind' })
  }
}

/** A key for some agents sees the keys for these agents. */
export const requireSight = (caller: Pick<Caller, 'agentIds'>, agentIds: readonly string[] | null): void => {
  if (!isWithin(caller.agentIds, agentIds)) throw new Fault('forbidden', 'This key is for agents that you may not use')
}

/** Time is part of a grant: nobody creates or extends a key beyond their own end. Null: no end. */
export const requireWithinEnd = (endsAt: Date | null, expiresAt: Date | null): void => {
  if (endsAt === null || (expiresAt !== null && expiresAt.getTime() <= endsAt.getTime())) return
  throw new Fault(
    'forbidden',
    `This key ends at ${endsAt.toISOString()} and cannot create or extend a key beyond that. Set expires_at to that time or earlier.`,
    { param: 'expires_at' },
  )
}

/** The longest life that the organisation allows. `since`: when the key was created. */
export const requireLifetime = (maxDays: number | null, expiresAt: Date | null, since: Date): void => {
  const latest = latestEnd(maxDays, since)
  if (latest === null || (expiresAt !== null && expiresAt.getTime() <= latest.getTime())) return
  throw new Fault(
    'input_invalid',
    `Keys of this organisation live for at most ${maxDays} days. Set expires_at to ${latest.toISOString()} or earlier.`,
    { param: 'expires_at' },
  )
}

/** The latest end of a key by the organisation's policy. Null: no limit. */
export const latestEnd = (maxDays: number | null, since: Date): Date | null =>
  maxDays === null ? null : new Date(since.getTime() + maxDays * 86_400_000)

/** The earlier of two ends, where null is no end. */
export const earlierOf = (one: Date | null, other: Date | null): Date | null => {
  if (one === null || other === null) return one ?? other
  return one.getTime() <= other.getTime() ? one : other
}

/** Whether a change gives the key something that it did not have: a scope, an agent, or time. */
export const isWidened = (before: TimedGrant, after: TimedGrant): boolean =>
  after.scopes.some((scope) => !before.scopes.includes(scope)) ||
  !isWithin(before.agentIds && new Set(before.agentIds), after.agentIds) ||
  isLater(after.expiresAt, before.expiresAt)

export const isLater = (one: Date | null, other: Date | null): boolean =>
  other !== null && (one === null || one.getTime() > other.getTime())

type TimedGrant = Omit<Grant, 'kind'> & { readonly expiresAt: Date | null }

export type Dominator = Pick<Caller, 'scopes' | 'agentIds' | 'isDemo'>

/** Changing or revoking a key needs what granting it needs: a weak credential must not switch off a strong one. */
export const requireDominance = (caller: Dominator, { scopes, agentIds, kind }: Grant): void => {
  const lacking = scopes.filter((scope) => !caller.scopes.has(scope))
  const isWhole = isWithin(caller.agentIds, agentIds) && !(caller.isDemo && kind !== 'demo')
  if (lacking.length === 0 && isWhole) return
  const why =
    lacking.length > 0 ? `has scopes that you lack: ${lacking.join(', ')}` : 'is for agents that you may not use'
  throw new Fault('forbidden', `You cannot change or revoke a key that ${why}`)
}

/** A demo key stays limited, whatever its creator holds. */
export const requireDemoSize = ({ scopes, kind }: Grant): void => {
  const beyond = kind === 'demo' ? scopes.filter((scope) => !(demoScopes as readonly string[]).includes(scope)) : []
  if (beyond.length > 0) {
    throw new Fault('input_invalid', `A demo key cannot hold ${beyond.join(', ')}`, { param: 'scopes' })
  }
}

/** The scopes with these names, without duplicates and in the order of the contract. */
export const parseScopes = (names: readonly string[]): Scope[] => {
  const unknown = names.filter((name) => !isScope(name))
  if (unknown.length > 0) {
    throw new Fault(
      'scope_unknown',
      `Unknown scope ${unknown.join(', ').slice(0, 200)}. The scopes are ${allScopes.join(', ')}.`,
      { param: 'scopes' },
    )
  }
  return allScopes.filter((scope) => names.includes(scope))
}

export const isScope = (name: string): name is Scope => known.has(name)

/** The permissions of a token whose parent has changed: only those that both still hold. */
export const intersect = (own: readonly string[], parents: ReadonlySet<Scope>): ReadonlySet<Scope> =>
  new Set(own.filter((name): name is Scope => isScope(name) && parents.has(name)))

const known: ReadonlySet<string> = new Set(allScopes)

/** Whether a key for these agents is for no others. Null: every agent. */
const isWithin = (held: ReadonlySet<string> | null, asked: readonly string[] | null): boolean =>
  held === null || (asked !== null && asked.length > 0 && asked.every((id) => held.has(id)))
