import { type ReactNode, useEffect } from 'react'
import type { List } from '../api/list.ts'
import { Button } from './button.tsx'
import { DataTable, type DataTableProps } from './data-table.tsx'
import { Problem } from './problem.tsx'
import { Skeleton } from './skeleton.tsx'

/** A list with all its states: loading, error, empty, rows, new rows, more pages. */
export const ListView = <Row extends { id: string }>({
  list,
  empty,
  ...table
}: Omit<DataTableProps<Row>, 'rows' | 'onNearEnd' | 'onTop'> & { list: List<Row>; empty: ReactNode }) => {
  // A page can be empty although more follow, for example when a long time is searched.
  const isSearching = list.rows.length === 0 && list.hasMore && list.error === null
  const { loadMore } = list
  useEffect(() => {
    if (isSearching) loadMore()
  })
  if (list.isLoading || isSearching) return <Skeleton />
  if (list.error && list.rows.length === 0) {
    return <Problem title={`${table.label}: not loaded`} error={list.error} onRetry={list.retry} />
  }
  if (list.rows.length === 0 && list.newCount === 0) return empty
  return (
    <>
      {list.error && (
        <Problem title={`${table.label}: the next page is missing`} error={list.error} onRetry={list.loadMore} />
      )}
      <div role="status">
        {list.newCount > 0 && (
          <Button isSmall kind="primary" className="mx-auto my-1 flex" onClick={list.showNew}>
            {list.newCount} new
          </Button>
        )}
      </div>
      <DataTable {...table} rows={list.rows} onNearEnd={list.loadMore} onTop={list.onTop} />
      {list.isLoadingMore && <Skeleton rows={2} />}
    </>
  )
}
