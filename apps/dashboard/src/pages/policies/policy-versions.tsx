import { usePolicyVersions } from '../../api/policies.ts'
import { Button } from '../../ui/button.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { Actor } from '../agents/actor.tsx'
import { RuleList } from './rule-list.tsx'

/** The versions, newest first, each with its rules. */
export const PolicyVersions = ({ policyId }: { policyId: string }) => {
  const versions = usePolicyVersions(policyId)
  if (versions.isPending) return <Skeleton rows={2} />
  if (!versions.data)
    return <Problem title="Versions: not loaded" error={versions.error} onRetry={() => void versions.refetch()} />
  return (
    <>
      <ul className="flex flex-col gap-1">
        {versions.data.pages
          .flatMap(({ data }) => data)
          .map(({ version, rules, created_by, created_at }) => (
            <li key={version}>
              <details>
                <summary className="cursor-pointer">
                  Version {version}, {rules.length === 1 ? '1 rule' : `${rules.length} rules`}, by{' '}
                  <Actor id={created_by} />, <Time at={created_at} />
                </summary>
                <div className="my-2 ps-4">
                  <RuleList rules={rules} />
                </div>
              </details>
            </li>
          ))}
      </ul>
      {versions.hasNextPage && (
        <Button kind="quiet" isBusy={versions.isFetchingNextPage} onClick={() => void versions.fetchNextPage()}>
          Older versions
        </Button>
      )}
    </>
  )
}
