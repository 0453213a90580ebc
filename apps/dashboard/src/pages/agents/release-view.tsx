import type { Agent, Deployment } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { comparisonQuery, deploymentQuery } from '../../api/deployments.ts'
import { MissingState } from '../../shell/missing-state.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { ComparisonView } from './comparison-view.tsx'
import { DeploymentBadge } from './deployment-badge.tsx'
import { ReleaseActions } from './release-actions.tsx'

/** One release: what it is, how it does, and what one can do about it. */
export const ReleaseView = ({ deploymentId, agent }: { deploymentId: string; agent: Agent }) => {
  const deployment = useQuery(deploymentQuery(deploymentId))
  const comparison = useQuery(comparisonQuery(deploymentId))
  if (deployment.isPending) return <Skeleton rows={4} />
  if (!deployment.data) {
    return (
      <MissingState
        what="Release"
        id={deploymentId}
        error={deployment.error}
        onRetry={() => void deployment.refetch()}
      />
    )
  }
  const { version, status, previous_deployment_id } = deployment.data
  return (
    <section aria-labelledby="release-title">
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <h2 id="release-title" className="font-semibold text-base">
          Version {version}
        </h2>
        <span role="status">
          <DeploymentBadge status={status} />
        </span>
        {status === 'canary' && <span className="num">{deployment.data.traffic_percent} % of new runs</span>}
        <Link
          to="/agents/$agentId/versions"
          params={{ agentId: agent.id }}
          search={{ from: Math.max(1, version - 1), to: version }}
          className="text-accent underline"
        >
          What changed
        </Link>
        <span className="ms-auto flex flex-wrap gap-2">
          <ReleaseActions agent={agent} deployment={deployment.data} comparison={comparison.data} />
        </span>
      </div>
      <RolledBack deployment={deployment.data} />
      {comparison.isPending && <Skeleton rows={4} />}
      {comparison.error && !comparison.data && (
        <Problem
          title="The comparison: not loaded"
          error={comparison.error}
          onRetry={() => void comparison.refetch()}
        />
      )}
      {comparison.data && (previous_deployment_id !== null || status === 'canary') && (
        <ComparisonView comparison={comparison.data} />
      )}
      {comparison.data && previous_deployment_id === null && status !== 'canary' && (
        <p className="text-ink-2">The first release of this agent: there is nothing to compare it with.</p>
      )}
    </section>
  )
}

/** Why and when a release was taken back: by a rule with its numbers, or by a person with a reason. */
const RolledBack = ({ deployment }: { deployment: Deployment }) =>
  deployment.rolled_back_at === null ? null : (
    <div role="status" className="mb-4 rounded-lg border border-bad/40 bg-bad-soft p-3">
      <p className="font-medium text-bad">
        Rolled back <Time at={deployment.rolled_back_at} />
      </p>
      <p className="break-words [unicode-bidi:isolate]">{deployment.rollback_reason}</p>
    </div>
  )
