import type { SessionRecord } from '@agent-run-service/sdk'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { client } from '../../api/client.ts'
import { useSession } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { toast, toastProblem } from '../../ui/toast.tsx'
import { SettingsHeader } from './settings-tabs.tsx'

const sessionsQuery = queryOptions({
  queryKey: ['sessions', 'list'],
  queryFn: async () => (await client.sessions.list({ limit: 100 })).data,
})

/** Where the person is logged in. */
export const SessionsPage = () => {
  const { user } = useSession()
  const { data, error, refetch } = useQuery(sessionsQuery)
  const queryClient = useQueryClient()
  const end = useMutation({
    mutationFn: async (id: string) => client.sessions.end(id),
    onSuccess: () => toast('The session was ended.'),
    onError: (failure) => toastProblem('The session was not ended', failure),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['sessions'] }),
  })
  const columns: Column<SessionRecord>[] = [
    { id: 'browser', title: 'Browser', cell: (row) => browserOf(row.user_agent) },
    {
      id: 'current',
      title: 'State',
      width: '9rem',
      cell: (row) => (row.is_current ? <Badge label="This one" tone="good" /> : <Badge label="Active" tone="plain" />),
    },
    { id: 'address', title: 'Address', width: '11rem', cell: ({ address }) => address ?? '–' },
    { id: 'started', title: 'Started', width: '12rem', cell: ({ created_at }) => <Time at={created_at} /> },
    { id: 'seen', title: 'Last seen', width: '12rem', cell: ({ seen_at }) => <Time at={seen_at} /> },
    {
      id: 'end',
      title: '',
      width: '6rem',
      align: 'end',
      cell: (row) => (
        <Button
          isSmall
          isBusy={end.isPending && end.variables === row.id}
          reason={row.is_current ? 'Log out to end this session.' : undefined}
          onClick={() => end.mutate(row.id)}
        >
          End
        </Button>
      ),
    },
  ]
  return (
    <>
      <SettingsHeader title="Sessions" />
      <p className="px-4 py-3 text-ink-2">Where {user.email} is logged in.</p>
      {error && <Problem title="Sessions: not loaded" error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton />}
      {data && (
        <DataTable
          isInline
          label="Sessions"
          columns={columns}
          rows={data.filter(({ ended_at }) => ended_at === null)}
        />
      )}
    </>
  )
}

const browsers = [
  ['Edg/', 'Edge'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const

/** The name of the browser; programs and unknown browsers are shown as they call themselves. */
const browserOf = (userAgent: string | null): string => {
  if (userAgent === null) return 'Unknown'
  return browsers.find(([mark]) => userAgent.includes(mark))?.[1] ?? userAgent.slice(0, 80)
}
