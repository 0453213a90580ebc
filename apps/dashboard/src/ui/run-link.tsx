import { Link } from '@tanstack/react-router'
import { shortId } from './format.ts'

/** The short id of a run, which leads to its page; a dash where there is no run yet. */
export const RunLink = ({ id, className = '' }: { id: string | null; className?: string }) =>
  id === null ? (
    '–'
  ) : (
    <Link
      to="/runs/$runId"
      params={{ runId: id }}
      search={{}}
      className={`font-mono text-accent text-xs underline ${className}`}
    >
      {shortId(id)}
    </Link>
  )
