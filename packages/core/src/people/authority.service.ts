import type { Role } from '@ars/contract'
import type { Tx } from '@ars/platform/db/database'
import { toUuid } from '@ars/platform/id'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { findRole, isLastingKey } from './member.store.ts'
import { type Authority, mayManage, mayReset, roleOfKey } from './role.ts'

/**
 * The acting user with the current role, because the caller's role may have been lowered a moment ago. Call it under
 * the lock.
 */
export const authorityOf = async (tx: Tx, ctx: Ctx): Promise<Authority> => {
  const role = ctx.actor.type === 'key' ? roleOfKey : await findRole(tx, ctx.org, toUuid(ctx.actor.id))
  if (role === null) throw new Fault('forbidden', 'You are no longer a member of this organisation')
  const isNarrowed = ctx.agentIds !== null || ctx.credential === 'token'
  return { role, scopes: ctx.scopes, isNarrowed, isLasting: await isLasting(tx, ctx) }
}

const isLasting = async (tx: Tx, ctx: Ctx): Promise<boolean> => {
  if (ctx.credential === 'token') return false
  return ctx.actor.type === 'user' || isLastingKey(tx, ctx.org, toUuid(ctx.actor.id))
}

/** A membership has no end, so a credential that ends cannot give one. */
export const requireLasting = (authority: Authority): void => {
  if (authority.isLasting) return
  throw new Fault(
    'forbidden',
    'A token, or a key that ends, cannot give access that has no end. Use a browser session or a key without expires_at.',
  )
}

export const requireManage = (authority: Authority, role: Role): void => {
  if (!mayManage(authority, role))
    throw new Fault('forbidden', `You cannot do this to a member of role ${role}: the role may do more than you`)
}

export const requireGrant = (authority: Authority, role: Role): void => {
  if (!mayManage(authority, role))
    throw new Fault('forbidden', `You cannot give the role ${role}: it may do more than you`)
}

export const requireReset = (authority: Authority, role: Role): void => {
  if (mayReset(authority, role)) return
  throw new Fault(
    'forbidden',
    `Only a member above the role ${role} may make this link. Ask an owner, or the operator.`,
  )
}
