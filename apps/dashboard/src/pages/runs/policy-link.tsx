import { Link } from '@tanstack/react-router'
import { usePolicyName } from '../../api/policies.ts'
import { useMay } from '../../session.ts'
import { shortId } from '../../ui/format.ts'

/** The name of a policy; a link to it for people who may see policies. Only for people with a session. */
export const PolicyLink = ({ id }: { id: string }) => {
  const mayRead = useMay('policies:read')
  const name = usePolicyName(true)(id) ?? shortId(id)
  if (!mayRead) return <span className="[unicode-bidi:isolate]">{name}</span>
  return (
    <Link to="/policies/$policyId" params={{ policyId: id }} className="text-accent underline [unicode-bidi:isolate]">
      {name}
    </Link>
  )
}
