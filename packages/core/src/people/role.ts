import { type Role, roles, type Scope, scopes } from '@ars/contract'

/** The permissions of each role; sessions get their scopes from this table. */
export const scopesOf = (role: Role): ReadonlySet<Scope> => table[role]

/** The scopes of the role in a column; none for an unknown value. */
export const scopesOfRole = (role: string): ReadonlySet<Scope> => table[role as Role] ?? new Set()

/** The actor of a change to members: a person with a role, or a key. */
export type Authority = {
  readonly role: Role
  readonly scopes: ReadonlySet<Scope>
  /** A key narrowed to some agents, or a short-lived token. */
  readonly isNarrowed: boolean
  /** A person, or a key without an end. */
  readonly isLasting: boolean
}

/** A key represents the organisation and no person: it acts as an admin, and never on owners. */
export const roleOfKey: Role = 'admin'

/** A link to a password is a way into the account: persons make one only for roles below their own. */
export const mayReset = (authority: Pick<Authority, 'role'>, role: Role): boolean => rank(authority.role) < rank(role)

/**
 * Nobody acts on a member, or grants a role, that may do more than they. For a person this follows from the rank; a key may
 * hold `members:write` and little else, and must neither invite itself to the rest nor remove those who hold it.
 */
export const mayManage = (authority: Authority, role: Role): boolean =>
  rank(authority.role) <= rank(role) &&
  !authority.isNarrowed &&
  [...table[role]].every((scope) => authority.scopes.has(scope))

/** Whether the first role may do more. */
export const isHigher = (one: Role, other: Role): boolean => rank(one) < rank(other)

const rank = (role: Role): number => roles.indexOf(role)

/** Developers decide about runs, as they start them; erasing data cannot be undone and is for admins. */
const notForDevelopers: readonly Scope[] = ['runs:erase', 'keys:write', 'members:write', 'audit:read', 'policies:write']
const notForViewers: readonly Scope[] = ['keys:read', 'audit:read']

const table: Readonly<Record<Role, ReadonlySet<Scope>>> = {
  owner: new Set(scopes),
  admin: new Set(scopes),
  developer: new Set(scopes.filter((scope) => !notForDevelopers.includes(scope))),
  viewer: new Set(scopes.filter((scope) => scope.endsWith(':read') && !notForViewers.includes(scope))),
}
