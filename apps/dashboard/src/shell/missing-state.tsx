import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { statusOf } from '../api/problem.ts'
import { useSession } from '../session.ts'
import { PageHeader } from '../ui/page-header.tsx'
import { Problem } from '../ui/problem.tsx'

/** A thing that could not be loaded: not found in this organisation, or another error. */
export const MissingState = (props: {
  what: string
  id: string
  error: unknown
  onRetry?: () => void
  children?: ReactNode
}) => {
  const { organisation, organisations } = useSession()
  if (statusOf(props.error) !== 404) {
    return (
      <>
        <PageHeader title={props.what} />
        <Problem
          title={`${props.what}: not loaded`}
          error={props.error}
          {...(props.onRetry && { onRetry: props.onRetry })}
        />
      </>
    )
  }
  return (
    <>
      <PageHeader title={`${props.what} not found`} />
      <div className="p-4">
        <p className="mb-2">
          <code className="break-all font-mono">{props.id}</code> is not in {organisation.name}.
        </p>
        {organisations.length > 1 && (
          <p className="mb-2 text-ink-2">
            You belong to {organisations.length} organisations. Switch to another one in the account menu.
          </p>
        )}
        {props.children}
        <Link to="/" className="text-accent underline">
          Go to Home
        </Link>
      </div>
    </>
  )
}
