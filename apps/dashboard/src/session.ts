import { roles, type Scope, type Session } from '@agent-run-service/sdk'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { account } from './api/client.ts'
import { useConnection } from './api/connection.ts'
import { words } from './ui/words.ts'

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<Session> => {
    const me = await account.me()
    if (!('user' in me)) throw new Error('The service did not answer with a session.')
    return me
  },
  staleTime: 60_000,
})

/** The session of the person. Only below the shell, which loads it first. */
export const useSession = (): Session => {
  const { data } = useQuery(sessionQuery)
  if (!data) throw new Error('This page needs a session.')
  return data
}

export const may = (session: Session, scope: Scope): boolean => session.scopes.includes(scope)

export const useMay = (scope: Scope): boolean => may(useSession(), scope)

/** Why the person cannot use a control; undefined if they can. Given to `Button` as `reason`. */
export const useReason = (scope: Scope): string | undefined => {
  const session = useSession()
  const { offlineSinceMs } = useConnection()
  if (!may(session, scope)) return reasonOf(session, scope)
  return offlineSinceMs === null ? undefined : 'There is no connection to the service.'
}

export const reasonOf = ({ role }: Session, scope: Scope): string => {
  const name = roles.find((each) => each === role)
  return `Your role ${name ? words.roles[name] : role} does not have the permission ${scope}. Ask an owner or an admin.`
}
