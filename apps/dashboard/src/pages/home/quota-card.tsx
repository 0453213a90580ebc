import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { usageQuery } from '../../api/usage.ts'
import { count, hasQuota, usd } from '../../ui/format.ts'
import { Problem } from '../../ui/problem.tsx'
import { QuotaMeter } from '../../ui/quota-meter.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'

const title = 'Quota of this month'

/** How much of the plan is used. */
export const QuotaCard = () => {
  const { data, error, isPending, refetch } = useQuery(usageQuery())
  return (
    <section aria-label={title} className="min-w-0 rounded-lg border border-line">
      <h2 className="border-line border-b px-3 py-2 font-semibold">{title}</h2>
      {error && <Problem title={`${title}: not loaded`} error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton rows={3} />}
      {data && (
        <div className="num p-3">
          <p className="mb-2 flex flex-wrap gap-x-3">
            <Link to="/usage" className="font-medium text-accent underline">
              {hasQuota(data.calls)
                ? `${count(data.calls.used)} of ${count(data.calls.limit)} runs`
                : `${count(data.calls.used)} runs`}
            </Link>
            <span className="ms-auto text-ink-2">{usd(data.totals.cost_usd)} for models</span>
          </p>
          {hasQuota(data.calls) ? (
            <>
              <QuotaMeter label={title} used={data.calls.used} limit={data.calls.limit} />
              <p className="mt-2 text-ink-2">
                {count(data.calls.remaining)} left. The quota starts anew <Time at={data.period.end} isRelative />.
              </p>
            </>
          ) : (
            <p className="text-ink-2">No limit of runs a month.</p>
          )}
        </div>
      )}
    </section>
  )
}
