import type { CatalogAgent } from '@agent-run-service/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCatalogList } from '../../api/catalog.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { ListView } from '../../ui/list-view.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { SearchField } from '../../ui/search-field.tsx'

const columns: readonly Column<CatalogAgent>[] = [
  { id: 'name', title: 'Name', width: '16rem', cell: ({ name }) => <span className="font-medium">{name}</span> },
  { id: 'description', title: 'What it does', cell: ({ description }) => description },
  { id: 'category', title: 'Category', width: '9rem', cell: ({ category }) => category },
  {
    id: 'needs',
    title: 'Needs',
    width: '9rem',
    cell: ({ needs_connector }) => (needs_connector ? <Badge label="A connector" tone="plain" /> : '–'),
  },
  { id: 'key', title: 'Key', width: '11rem', cell: ({ key }) => <code className="font-mono text-xs">{key}</code> },
]

export const CatalogListPage = () => {
  const { q } = useSearch({ from: '/app/catalog' })
  const navigate = useNavigate()
  const list = useCatalogList(q)
  const show = (text: string) =>
    void navigate({ to: '/catalog', search: text === '' ? {} : { q: text }, replace: true })
  return (
    <>
      <PageHeader title="Catalog" />
      <FilterBar onClear={q === undefined ? undefined : () => show('')}>
        <SearchField label="Search in the catalog" value={q ?? ''} onChange={show} />
      </FilterBar>
      <ListView
        label="Catalog"
        list={list}
        columns={columns}
        hrefOf={({ key }) => `/catalog/${encodeURIComponent(key)}`}
        empty={
          q === undefined ? (
            <EmptyState title="The catalog is empty">
              The operator of this service has not added agents to hire.
            </EmptyState>
          ) : (
            <EmptyState
              title={`Nothing in the catalog matches «${q}»`}
              action={<Button onClick={() => show('')}>Clear the search</Button>}
            />
          )
        }
      />
    </>
  )
}
