import type { Connector } from '@agent-run-service/sdk'
import { useNavigate } from '@tanstack/react-router'
import { Plus, TriangleAlert } from 'lucide-react'
import { useConnectorList } from '../../api/connectors.ts'
import { useReason } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ListView } from '../../ui/list-view.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Time } from '../../ui/time.tsx'

const columns: readonly Column<Connector>[] = [
  {
    id: 'name',
    title: 'Name',
    width: '16rem',
    cell: ({ name }) => <span className="font-medium [unicode-bidi:isolate]">{name}</span>,
  },
  { id: 'url', title: 'Address', cell: ({ url }) => <code className="font-mono text-xs">{url}</code> },
  { id: 'tools', title: 'Tools', width: '6rem', align: 'end', cell: ({ tools }) => tools.approved },
  { id: 'attention', title: 'To look at', width: '14rem', cell: (connector) => <Attention connector={connector} /> },
  {
    id: 'listed',
    title: 'Tools listed',
    width: '12rem',
    cell: ({ tools_listed_at }) => <Time at={tools_listed_at} />,
  },
]

const Attention = ({ connector: { tools, tools_error } }: { connector: Connector }) => {
  if (tools_error !== null) return <Badge label="Not reachable" tone="bad" Icon={TriangleAlert} />
  if (tools.changed > 0) return <Badge label={`${tools.changed} changed`} tone="warn" Icon={TriangleAlert} />
  return tools.pending > 0 ? <Badge label={`${tools.pending} not approved`} tone="plain" /> : '–'
}

export const ConnectorListPage = () => {
  const list = useConnectorList()
  const navigate = useNavigate()
  const reason = useReason('connectors:write')
  const create = (
    <Button kind="primary" reason={reason} onClick={() => void navigate({ to: '/connectors/new' })}>
      <Plus aria-hidden size={14} /> New connector
    </Button>
  )
  return (
    <>
      <PageHeader title="Connectors">{create}</PageHeader>
      <ListView
        label="Connectors"
        list={list}
        columns={columns}
        hrefOf={({ id }) => `/connectors/${id}`}
        empty={
          <EmptyState title="No connectors yet" action={create}>
            A connector is an MCP server whose tools your agents can use. Each tool is pinned: if its description
            changes, it is off until a person approves it again.
          </EmptyState>
        }
      />
    </>
  )
}
