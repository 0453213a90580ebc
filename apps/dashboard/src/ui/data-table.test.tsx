import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { DataTable } from './data-table.tsx'

const rows = Array.from({ length: 100_000 }, (_, n) => ({ id: `row_${n}` }))
const columns = [{ id: 'id', title: 'Id', cell: ({ id }: { id: string }) => id }]

const show = async () => {
  const route = createRootRoute({
    component: () => (
      <div style={{ height: 400, display: 'flex', flexDirection: 'column' }}>
        <DataTable label="Rows" columns={columns} rows={rows} hrefOf={({ id }) => `/rows/${id}`} />
      </div>
    ),
  })
  const history = createMemoryHistory({ initialEntries: ['/'] })
  const router = createRouter({ routeTree: route, history })
  // biome-ignore lint/suspicious/noExplicitAny: the types of the application's router do not fit a router for a test.
  const screen = await render(<RouterProvider router={router as any} />)
  const scroller = () => screen.getByRole('table').element().parentElement as HTMLElement
  // The styles of the application are not loaded here.
  await expect.poll(() => screen.getByRole('table').elements().length).toBe(1)
  Object.assign(scroller().style, { overflow: 'auto', flex: '1', minHeight: '0' })
  return { screen, scroller, history }
}

test('of 100,000 rows only those around the visible ones are in the document', async () => {
  const { screen, scroller } = await show()
  await expect.poll(() => screen.getByRole('link', { name: 'row_0', exact: true }).elements().length).toBe(1)
  expect(document.querySelectorAll('tr').length).toBeLessThan(60)
  expect(screen.getByRole('table').element().getAttribute('aria-rowcount')).toBe('100001')
  scroller().scrollTop = 50_000 * 36
  const link = screen.getByRole('link', { name: 'row_50000', exact: true })
  await expect.element(link).toBeVisible()
  expect(link.element().closest('tr')?.getAttribute('aria-rowindex')).toBe('50002')
  scroller().scrollTop = scroller().scrollHeight
  await expect.element(screen.getByRole('link', { name: 'row_99999', exact: true })).toBeVisible()
  expect(document.querySelectorAll('tr').length).toBeLessThan(60)
})

test('the arrow keys walk beyond the rows that are drawn, and Enter opens one', async () => {
  const { screen, history } = await show()
  const first = screen.getByRole('link', { name: 'row_0', exact: true })
  await expect.element(first).toBeVisible()
  first.element().focus()
  for (const n of [20, 40, 60]) {
    await userEvent.keyboard('{PageDown}')
    await expect.element(screen.getByRole('link', { name: `row_${n}`, exact: true })).toHaveFocus()
  }
  await userEvent.keyboard('k')
  await expect.element(screen.getByRole('link', { name: 'row_59', exact: true })).toHaveFocus()
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => history.location.pathname).toBe('/dashboard/rows/row_59')
})
