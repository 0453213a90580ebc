import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { client } from '../../api/client.ts'
import { shortId } from '../../ui/format.ts'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { Time } from '../../ui/time.tsx'
import { playgroundMark } from './playground-input.ts'

const maxRuns = 20

/** The last runs of the playground with this agent. `newest` asks again after a new one. */
export const RecentRuns = ({ agentId, newest }: { agentId: string; newest: string | null }) => {
  const { data = [] } = useQuery({
    queryKey: ['runs', 'playground', agentId, newest],
    queryFn: async () => {
      const filter = { agent_id: agentId, metadata: playgroundMark }
      return (await client.runs.list({ ...filter, view: 'summary', limit: maxRuns })).data
    },
  })
  if (data.length === 0) return null
  return (
    <section aria-labelledby="recent" className="mt-6">
      <h2 id="recent" className="mb-2 font-semibold">
        Your last runs here
      </h2>
      <ul className="grid gap-1">
        {data.map((run) => (
          <li key={run.id} className="flex items-center gap-2">
            <StatusBadge status={run.status} />
            <Link to="/runs/$runId" params={{ runId: run.id }} className="font-mono text-accent text-xs underline">
              {shortId(run.id)}
            </Link>
            <span className="ms-auto text-ink-2 text-xs">
              <Time at={run.created_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
