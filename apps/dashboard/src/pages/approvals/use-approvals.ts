import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { approvalsQuery } from '../../api/approvals.ts'
import { type ApprovalRow, rowsOf, withGone } from './approval-rows.ts'

const goneMs = 5_000

/** The open questions. A row that somebody else decided stays for 5 s and says so. */
export const useApprovals = () => {
  const queryClient = useQueryClient()
  const { data, error, refetch } = useQuery(approvalsQuery)
  const [rows, setRows] = useState<readonly ApprovalRow[]>([])
  const [news, setNews] = useState('')
  const own = useRef(new Set<string>())
  const shown = useRef<readonly ApprovalRow[] | null>(null)
  const show = (next: readonly ApprovalRow[]) => {
    shown.current = next
    setRows(next)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new answer changes the rows here.
  useEffect(() => {
    if (!data) return
    const now = rowsOf(data.runs)
    const before = shown.current
    const fresh = now.filter(({ id }) => !before?.some((row) => row.id === id) && !own.current.has(id))
    if (before !== null && fresh.length > 0) setNews(newsOf(fresh))
    show(withGone(before ?? [], now, own.current))
  }, [data])
  const gone = rows
    .filter(({ isGone }) => isGone)
    .map(({ id }) => id)
    .join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows that are gone are named by their ids.
  useEffect(() => {
    if (gone === '') return
    const ids = gone.split(' ')
    const timer = setTimeout(() => show((shown.current ?? []).filter(({ id }) => !ids.includes(id))), goneMs)
    return () => clearTimeout(timer)
  }, [gone])
  return {
    rows,
    hasMore: data?.hasMore ?? false,
    isPending: shown.current === null && !error,
    error,
    refetch: () => void refetch(),
    /** A sentence for the live region. */
    news,
    /** The person decided it here. */
    onDecided: (id: string) => {
      own.current.add(id)
      show(rows.filter((row) => row.id !== id))
      void queryClient.invalidateQueries({ queryKey: ['approvals'], exact: true })
      void queryClient.invalidateQueries({ queryKey: ['runs'] })
    },
    /** Somebody else was first. */
    onLost: (id: string) => show(rows.map((row) => (row.id === id ? { ...row, isGone: true } : row))),
  }
}

const newsOf = (fresh: readonly ApprovalRow[]): string =>
  fresh.length === 1 ? `New decision: ${fresh[0]?.action.message.slice(0, 200)}` : `${fresh.length} new decisions`
