import { type Role, roles, type Scope, scopes } from '@ars/contract'

/** What each role may do; the one table from which a session gets its scopes. */
export const scopesOf = (role: Role): ReadonlySet<Scope> => table[role]

/** As a column holds the role; of a word that is none, nothing. */
export const scopesOfRole = (role: string): ReadonlySet<Scope> => table[role as Role] ?? new Set()

/** Who acts upon members: a person with a role, or a key. */
export type Authority = {
  readonly role: Role
  readonly scopes: ReadonlySet<Scope>
  /** A key narrowed to some agents, or a token narrowed to one run. */
  readonly isNarrowed: boolean
}

/** A key stands for the organisation and for no person: it acts as an admin, and never upon owners. */
export const roleOfKey: Role = 'admin'

/** Nobody acts upon somebody above. So only an owner changes owners. */
export const mayManage = (authority: Authority, role: Role): boolean => rank(authority.role) <= rank(role)

/**
 * Nobody hands out more than they hold. For a person that follows from the rank; a key may hold `members:write` and
 * little else, and must not invite itself to the rest.
 */
export const mayGrant = (authority: Authority, role: Role): boolean =>
  mayManage(authority, role) && !authority.isNarrowed && [...table[role]].every((scope) => authority.scopes.has(scope))

const rank = (role: Role): number => roles.indexOf(role)

const notForDevelopers: readonly Scope[] = ['keys:write', 'members:write', 'audit:read', 'policies:write']
const notForViewers: readonly Scope[] = ['keys:read', 'audit:read']

const table: Readonly<Record<Role, ReadonlySet<Scope>>> = {
  owner: new Set(scopes),
  admin: new Set(scopes),
  developer: new Set(scopes.filter((scope) => !notForDevelopers.includes(scope))),
  viewer: new Set(scopes.filter((scope) => scope.endsWith(':read') && !notForViewers.includes(scope))),
}
