import type { Scope } from '@agent-run-service/sdk'
import { reasonOf, useSession } from '../session.ts'
import { PageHeader } from '../ui/page-header.tsx'

/** The person may not see this page: which permission is missing, and who can give it. */
export const ForbiddenState = ({ scope }: { scope: Scope }) => {
  const session = useSession()
  return (
    <>
      <PageHeader title="Not permitted" />
      <p className="max-w-prose p-4">{reasonOf(session, scope)}</p>
    </>
  )
}
