import { useQuery } from '@tanstack/react-query'
import { newestRunQuery, usedKeyQuery } from '../../api/home.ts'
import { useMay } from '../../session.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { FirstSteps } from './first-steps.tsx'
import { NeedsMe } from './needs-me.tsx'

/** What needs me now. A new organisation sees the first steps instead, until a key has been used. */
export const HomePage = () => {
  const maySeeKeys = useMay('keys:read')
  const newest = useQuery(newestRunQuery)
  const used = useQuery({ ...usedKeyQuery, enabled: maySeeKeys })
  const isLoading = newest.isPending || (maySeeKeys && used.isPending)
  const isNew = maySeeKeys ? used.data === false : newest.data === null
  return (
    <>
      <PageHeader title="Home" />
      {newest.error && <Problem title="Home: not loaded" error={newest.error} onRetry={() => void newest.refetch()} />}
      {isLoading ? <Skeleton /> : null}
      {!isLoading && isNew && <FirstSteps newestRun={newest.data ?? null} />}
      {!isLoading && !newest.error && <NeedsMe hasRuns={(newest.data ?? null) !== null} />}
    </>
  )
}
