import type { Plan, Role, Session } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'

export type User = { id: string; email: string; name: string; password_hash: string | null }

/** An organisation as its members see it. */
export type Membership = { id: string; name: string; plan: Plan; max_key_lifetime_days: number | null; role: Role }

/** A person in one of their organisations. */
export type Person = {
  user: Pick<User, 'id' | 'email' | 'name'>
  organisation: Membership
  organisations: readonly Membership[]
}

/** The person in the requested organisation, or in the one that was joined first. Null: not a member. */
export const personIn = (
  user: Person['user'],
  organisations: readonly Membership[],
  wanted: string | undefined,
): Person | null => {
  const organisation = wanted === undefined ? organisations[0] : organisations.find(({ id }) => id === wanted)
  return organisation ? { user, organisation, organisations } : null
}

export const userToWire = ({ id, email, name }: Person['user']): Session['user'] => ({
  id: fromUuid('usr', id),
  email,
  name,
})

export const organisationToWire = ({
  id,
  name,
  plan,
  max_key_lifetime_days,
}: Omit<Membership, 'role'>): Session['organisation'] => ({
  id: fromUuid('org', id),
  name,
  plan,
  max_key_lifetime_days,
})
