import { Link, useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'

/** No page has this address. */
export const NotFoundPage = () => {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  useEffect(() => {
    document.title = 'Not found · Agent Run Service'
  }, [])
  return (
    <div className="p-4">
      <h1 className="mb-2 font-semibold text-lg">No such page</h1>
      <p className="mb-3 break-all text-ink-2">
        Nothing is at <code className="font-mono">{path}</code>.
      </p>
      <Link to="/" className="text-accent underline">
        Go to Home
      </Link>
    </div>
  )
}
