import type { ListCall } from '@agent-run-service/sdk'
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { mayPoll } from './connection.ts'

export type ListPage<Row> = { data: readonly Row[]; has_more: boolean; first_id: string | null; last_id: string | null }
export type Cursor = { after?: string; before?: string; limit: number }

export type ListOptions<Row> = {
  /** `[resource, 'list', params]`. */
  queryKey: readonly unknown[]
  /** One page, such as `(cursor) => client.runs.list({ ...params, ...cursor })`. */
  fetchPage(cursor: Cursor): ListCall<Row>
  pageSize?: number
  /** Asks for new rows every 10 s while the tab is visible. Default: true. */
  isFresh?: boolean
}

export type List<Row> = {
  rows: readonly Row[]
  isLoading: boolean
  error: Error | null
  hasMore: boolean
  isLoadingMore: boolean
  loadMore(): void
  retry(): void
  /** New rows that are not shown yet, because the list is not scrolled to its top. */
  newCount: number
  showNew(): void
  /** The table tells whether it is scrolled to its top. */
  onTop(isAtTop: boolean): void
  /** Replaces rows by id, for example after an action. */
  patch(rows: readonly Row[]): void
}

type Waiting<Row> = { queryKey: readonly unknown[]; rows: readonly Row[] }

const refreshMs = 10_000
const noRows: readonly never[] = []

/**
 * A list of the API, newest first. Loaded pages are kept and never fetched again. New rows are asked for with
 * `before` and are put on top only while the list is scrolled to its top, so that nothing moves under the cursor.
 */
export const useList = <Row extends { id: string }>(options: ListOptions<Row>): List<Row> => {
  const { fetchPage, pageSize = 100, isFresh = true } = options
  const queryKey = useSameKey(options.queryKey)
  const queryClient = useQueryClient()
  const [waiting, setWaiting] = useState<Waiting<Row>>({ queryKey, rows: [] })
  // Rows that arrived for other filters are forgotten: they may not match these.
  const held = waiting.queryKey === queryKey ? waiting.rows : noRows
  const isAtTop = useRef(true)
  const query = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam }): Promise<ListPage<Row>> =>
      (await fetchPage({ limit: pageSize, ...(pageParam && { after: pageParam }) })).body,
    initialPageParam: '',
    getNextPageParam: (last) => (last.has_more ? last.last_id : null),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    // Pages never change by themselves: comparing all loaded rows at each new page would cost more than the page.
    structuralSharing: false,
  })
  const pages = query.data?.pages
  const rows = useMemo(() => withoutTwins(pages?.flatMap(({ data }) => data) ?? []), [pages])

  const change = useCallback(
    (edit: (rows: readonly Row[]) => readonly Row[]) => {
      queryClient.setQueryData<InfiniteData<ListPage<Row>, string>>(queryKey, (was) => {
        const [first, ...rest] = was?.pages ?? []
        return was && first ? { ...was, pages: [{ ...first, data: edit(first.data) }, ...rest] } : was
      })
    },
    [queryClient, queryKey],
  )
  const showNew = () => {
    if (held.length === 0) return
    change((first) => withoutTwins([...held, ...first]))
    setWaiting({ queryKey, rows: [] })
  }
  const patch = useCallback(
    (changed: readonly Row[]) => {
      const byId = new Map(changed.map((row) => [row.id, row]))
      queryClient.setQueryData<InfiniteData<ListPage<Row>, string>>(queryKey, (was) =>
        was
          ? {
              ...was,
              pages: was.pages.map((page) => ({ ...page, data: page.data.map((row) => byId.get(row.id) ?? row) })),
            }
          : was,
      )
    },
    [queryClient, queryKey],
  )

  const newest = held[0]?.id ?? rows[0]?.id
  const fetching = useRef(fetchPage)
  fetching.current = fetchPage
  useEffect(() => {
    if (!isFresh || !query.isSuccess) return
    let isOld = false
    const refresh = async () => {
      if (!mayPoll()) return
      try {
        const page = await fetching.current(newest ? { limit: pageSize, before: newest } : { limit: pageSize })
        if (isOld || page.data.length === 0) return
        if (isAtTop.current) change((first) => withoutTwins([...page.data, ...first]))
        else setWaiting({ queryKey, rows: withoutTwins([...page.data, ...held]) })
      } catch {
        // The bars below the header tell about it; the next turn asks again.
      }
    }
    const timer = setInterval(() => void refresh(), refreshMs)
    const onVisible = () => document.visibilityState === 'visible' && void refresh()
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      isOld = true
      clearInterval(timer)
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [isFresh, query.isSuccess, newest, held, pageSize, queryKey, change])

  return {
    rows,
    isLoading: query.isPending,
    error: query.error,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => {
      if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage()
    },
    retry: () => void query.refetch(),
    newCount: held.length,
    showNew,
    onTop: (is) => {
      isAtTop.current = is
      if (is) showNew()
    },
    patch,
  }
}

/** The same array for the same content, so that effects do not begin again at each rendering. */
const useSameKey = (key: readonly unknown[]): readonly unknown[] => {
  const kept = useRef(key)
  if (JSON.stringify(kept.current) !== JSON.stringify(key)) kept.current = key
  return kept.current
}

const withoutTwins = <Row extends { id: string }>(rows: readonly Row[]): readonly Row[] => {
  const seen = new Set<string>()
  return rows.filter(({ id }) => !seen.has(id) && seen.add(id))
}
