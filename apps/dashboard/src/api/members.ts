import { queryOptions, useQuery } from '@tanstack/react-query'
import { useSession } from '../session.ts'
import { shortId } from '../ui/format.ts'
import { client } from './client.ts'
import { collect } from './collect.ts'

const maxMembers = 1_000

export const membersQuery = queryOptions({
  queryKey: ['members', 'list'],
  queryFn: () => collect(client.members.list({ limit: 100 }), maxMembers),
  staleTime: 60_000,
})

export const invitationsQuery = queryOptions({
  queryKey: ['members', 'invitations'],
  queryFn: async () => (await client.members.invitations({ limit: 100 })).data,
})

export const notificationsQuery = queryOptions({
  queryKey: ['members', 'notifications'],
  queryFn: async () => client.members.notifications(),
})

const namesQuery = queryOptions({
  queryKey: ['members', 'names'],
  queryFn: () => collect(client.members.directory({ limit: 100 }), maxMembers),
  staleTime: 60_000,
})

/** The name of a person by the id of the user; a short id for keys and people that are not known. */
export const useMemberNames = (): ((userId: string) => string) => {
  const { user } = useSession()
  const { data = [] } = useQuery(namesQuery)
  return (userId) => {
    const name = userId === user.id ? user.name : data.find(({ user_id }) => user_id === userId)?.name
    return name || shortId(userId)
  }
}

/** The same for the author of a change. Null: the operator of the service. */
export const useActorName = (): ((id: string | null) => string) => {
  const nameOf = useMemberNames()
  return (id) => (id === null ? 'Operator' : nameOf(id))
}
