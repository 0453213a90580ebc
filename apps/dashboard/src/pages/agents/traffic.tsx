import type { Deployment } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { openDeploymentsQuery } from '../../api/deployments.ts'
import { Badge } from '../../ui/badge.tsx'
import { Meter } from '../../ui/chart/meter.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { wordOf, words } from '../../ui/words.ts'

/** Which versions receive new runs, and how many of them. */
export const Traffic = ({ agentId }: { agentId: string }) => {
  const open = useQuery(openDeploymentsQuery(agentId))
  return (
    <section>
      <h2 className="mb-2 font-semibold">Versions that receive runs</h2>
      {open.isPending && <Skeleton rows={2} />}
      {open.error && !open.data && (
        <Problem title="The releases: not loaded" error={open.error} onRetry={() => void open.refetch()} />
      )}
      <ul className="flex flex-col gap-2">
        {open.data?.map((deployment) => (
          <Side key={deployment.id} deployment={deployment} share={shareOf(deployment, open.data)} />
        ))}
      </ul>
    </section>
  )
}

/** The service counts the running version as 100 %; beside a canary it gets the rest. */
const shareOf = (deployment: Deployment, open: readonly Deployment[]): number => {
  if (deployment.status === 'canary') return deployment.traffic_percent
  const canary = open.find(({ status }) => status === 'canary')
  return canary ? 100 - canary.traffic_percent : 100
}

const Side = ({ deployment, share }: { deployment: Deployment; share: number }) => (
  <li className="rounded-lg border border-line p-3">
    <div className="mb-2 flex flex-wrap items-center gap-2">
      <span className="font-medium">Version {deployment.version}</span>
      <Badge
        label={wordOf(words.deploymentStatuses, deployment.status)}
        tone={deployment.status === 'canary' ? 'run' : 'good'}
      />
      <span className="text-ink-3">
        since <Time at={deployment.created_at} />
      </span>
      <span className="num ms-auto font-medium">{share} %</span>
    </div>
    <Meter
      label={`Share of version ${deployment.version}`}
      text={`${share} % of new runs`}
      value={share}
      max={100}
      tone={deployment.status === 'canary' ? 'run' : 'good'}
    />
    {deployment.status === 'canary' && (
      <Link
        to="/agents/$agentId/releases"
        params={{ agentId: deployment.agent_id }}
        search={{ deployment: deployment.id }}
        className="mt-2 inline-block text-accent underline"
      >
        Compare, promote or roll back
      </Link>
    )}
  </li>
)
