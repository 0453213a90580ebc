import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { approvalsQuery } from '../../api/approvals.ts'
import { type ApprovalRow, rowsOf, withGone } from './approval-rows.ts'

const goneMs = 5_000

/** The open questions. A row that somebody else decided stays for 5 s and says so. */
export const useApprovals = () => {
  const queryClient = useQueryClient()
  const { data, isPending, error, refetch } = useQuery(approvalsQuery)
  const [rows, setRows] = useState<readonly ApprovalRow[]>([])
  const [news, setNews] = useState('')
  const own = useRef(new Set<string>())
  const isFirst = useRef(true)
  useEffect(() => {
    if (!data) return
    const now = rowsOf(data.runs)
    setRows((before) => {
      const fresh = now.filter(({ id }) => !before.some((row) => row.id === id) && !own.current.has(id))
      if (fresh.length > 0 && !isFirst.current) setNews(newsOf(fresh))
      isFirst.current = false
      return withGone(before, now, own.current)
    })
  }, [data])
  const gone = rows
    .filter(({ isGone }) => isGone)
    .map(({ id }) => id)
    .join(' ')
  useEffect(() => {
    if (gone === '') return
    const ids = gone.split(' ')
    const timer = setTimeout(() => setRows((all) => all.filter(({ id }) => !ids.includes(id))), goneMs)
    return () => clearTimeout(timer)
  }, [gone])
  return {
    rows,
    hasMore: data?.hasMore ?? false,
    isPending,
    error,
    refetch: () => void refetch(),
    /** A sentence for the live region. */
    news,
    /** The person decided it here. */
    onDecided: (id: string) => {
      own.current.add(id)
      setRows((all) => all.filter((row) => row.id !== id))
      void queryClient.invalidateQueries({ queryKey: ['approvals'], exact: true })
      void queryClient.invalidateQueries({ queryKey: ['runs'] })
    },
    /** Somebody else was first. */
    onLost: (id: string) => setRows((all) => all.map((row) => (row.id === id ? { ...row, isGone: true } : row))),
  }
}

const newsOf = (fresh: readonly ApprovalRow[]): string =>
  fresh.length === 1 ? `New decision: ${fresh[0]?.action.message.slice(0, 200)}` : `${fresh.length} new decisions`
