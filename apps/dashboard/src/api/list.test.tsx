import type { ListCall } from '@agent-run-service/sdk'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { render } from 'vitest-browser-react'
import { ListView } from '../ui/list-view.tsx'
import '../styles.css'
import { type Cursor, useList } from './list.ts'

type Row = { id: string }

/** The rows of the service by filter, newest first. */
let stored: Record<string, readonly Row[]>

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  stored = { failed: rowsNamed('failed', 200), queued: rowsNamed('queued', 3) }
})
afterEach(() => void vi.useRealTimers())

const rowsNamed = (name: string, length: number): readonly Row[] =>
  Array.from({ length }, (_, n) => ({ id: `${name}-${n}` }))

const pageOf = (filter: string, { before, limit }: Cursor): ListCall<Row> => {
  const rows = stored[filter] ?? []
  const newer =
    before === undefined
      ? rows
      : rows.slice(
          0,
          rows.findIndex(({ id }) => id === before),
        )
  const data = newer.slice(0, limit)
  const body = { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
  return Object.assign(Promise.resolve({ ...body, body }), { body }) as unknown as ListCall<Row>
}

const FilteredList = () => {
  const [filter, setFilter] = useState('failed')
  const list = useList<Row>({
    queryKey: ['rows', 'list', filter],
    pageSize: 200,
    fetchPage: (cursor) => pageOf(filter, cursor),
  })
  return (
    <div style={{ height: 300, display: 'flex', flexDirection: 'column' }}>
      <button type="button" onClick={() => setFilter('queued')}>
        Queued
      </button>
      <button type="button" onClick={() => setFilter('failed')}>
        Failed
      </button>
      <ListView
        label="Rows"
        list={list}
        empty="None"
        columns={[{ id: 'id', title: 'Id', width: '10rem', cell: ({ id }) => id }]}
      />
    </div>
  )
}

const open = () => {
  const routeTree = createRootRoute({ component: FilteredList })
  const router = createRouter({ routeTree, history: createMemoryHistory() })
  return render(
    <QueryClientProvider client={new QueryClient()}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
}

const arrive = async (filter: string, id: string) => {
  stored[filter] = [{ id }, ...(stored[filter] ?? [])]
  await vi.advanceTimersByTimeAsync(10_000)
}

test('new rows wait while the list is scrolled, and are forgotten with their filters', async () => {
  const screen = await open()
  await expect.element(screen.getByText('failed-0', { exact: true })).toBeVisible()
  const scroller = screen.getByRole('table').element().parentElement as HTMLElement
  scroller.scrollTop = 2_000
  await expect.element(screen.getByText('failed-60', { exact: true })).toBeVisible()
  await arrive('failed', 'failed-new')
  await expect.element(screen.getByRole('button', { name: '1 new' })).toBeVisible()

  await screen.getByRole('button', { name: 'Queued' }).click()
  await expect.element(screen.getByText('queued-0')).toBeVisible()
  await expect.element(screen.getByRole('button', { name: '1 new' })).not.toBeInTheDocument()
  await expect.element(screen.getByText('failed-new')).not.toBeInTheDocument()
})

test('a list whose filters were changed while it was scrolled is at its top again', async () => {
  const screen = await open()
  await expect.element(screen.getByText('failed-0', { exact: true })).toBeVisible()
  const scroller = screen.getByRole('table').element().parentElement as HTMLElement
  scroller.scrollTop = 2_000
  await expect.element(screen.getByText('failed-60', { exact: true })).toBeVisible()
  await screen.getByRole('button', { name: 'Queued' }).click()
  await expect.element(screen.getByText('queued-0')).toBeVisible()
  await arrive('queued', 'queued-new')
  await expect.element(screen.getByText('queued-new')).toBeVisible()
})
