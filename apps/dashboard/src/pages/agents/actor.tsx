import { useActorName } from '../../api/members.ts'

/** Who did it: a person by name, a key by its id, else the service or its operator. */
export const Actor = ({ id }: { id: string | null }) => {
  const nameOf = useActorName()
  return <span className="[unicode-bidi:isolate]">{nameOf(id)}</span>
}
