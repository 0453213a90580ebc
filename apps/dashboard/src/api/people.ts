import type { MemberSummary } from '@agent-run-service/sdk'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { shortId } from '../ui/format.ts'
import { client } from './client.ts'

const maxPeople = 1_000

/** The names of the members of the organisation, for every role. */
export const peopleQuery = queryOptions({
  queryKey: ['members', 'directory'],
  queryFn: async (): Promise<readonly MemberSummary[]> => {
    const people: MemberSummary[] = []
    for await (const person of client.members.directory({ limit: 100 })) {
      people.push(person)
      if (people.length >= maxPeople) break
    }
    return people
  },
  staleTime: 60_000,
})

/** The name of the person behind `usr_…`; other ids are shortened. Null: the operator of the service. */
export const useActorName = (): ((id: string | null) => string) => {
  const { data: people = [] } = useQuery(peopleQuery)
  return (id) => {
    if (id === null) return 'Operator'
    return people.find((each) => each.user_id === id)?.name || shortId(id)
  }
}
