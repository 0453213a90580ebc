import { useMemberNames } from '../../api/members.ts'
import { useRunSource } from './run-source.ts'

/** Who created a run or decided in it. A link shows no names of members. */
export const RunPerson = ({ id }: { id: string }) => {
  const { isShared } = useRunSource()
  if (isShared) return id.startsWith('usr_') ? 'a member' : 'an API key'
  return <MemberName id={id} />
}

const MemberName = ({ id }: { id: string }) => useMemberNames()(id)
