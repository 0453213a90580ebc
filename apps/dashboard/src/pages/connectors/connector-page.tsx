import type { Connector, RefreshedConnector } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { connectorQuery, connectorToolsQuery, useConnectorMutations } from '../../api/connectors.ts'
import { useReason } from '../../session.ts'
import { MissingState } from '../../shell/missing-state.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { FactsLine } from '../../ui/detail-list.tsx'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Id } from '../../ui/id.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { toast, toastProblem } from '../../ui/toast.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { Actor } from '../agents/actor.tsx'
import { authOf, ConnectorForm } from './connector-form.tsx'
import { ToolCard } from './tool-card.tsx'

export const ConnectorPage = () => {
  const { connectorId } = useParams({ from: '/app/connectors/$connectorId' })
  const connector = useQuery(connectorQuery(connectorId))
  if (connector.isPending) return <Skeleton />
  if (!connector.data) {
    return (
      <MissingState
        what="Connector"
        id={connectorId}
        error={connector.error}
        onRetry={() => void connector.refetch()}
      />
    )
  }
  return <ConnectorView connector={connector.data} />
}

const ConnectorView = ({ connector }: { connector: Connector }) => {
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null)
  const [refused, setRefused] = useState<RefreshedConnector['refused']>([])
  const { refresh, remove, update } = useConnectorMutations()
  const navigate = useNavigate()
  const reason = useReason('connectors:write')
  const listAgain = async () => {
    try {
      const listed = await refresh.mutateAsync(connector.id)
      setRefused(listed.refused)
      toast(listed.off.length === 0 ? 'All listed tools are approved' : `${listed.off.length} tools are off`)
    } catch (error) {
      toastProblem('The tools were not listed', error)
    }
  }
  return (
    <>
      <PageHeader title={connector.name} trail={<Link to="/connectors">Connectors</Link>}>
        {connector.status === 'deleted' && <Badge label="Deleted" tone="plain" />}
        <Button reason={reason} isBusy={refresh.isPending} onClick={() => void listAgain()}>
          List the tools again
        </Button>
        <Button reason={reason} onClick={() => setOpen('edit')}>
          Edit
        </Button>
        <Menu
          label="More actions"
          items={[{ label: 'Delete', isDanger: true, reason, onSelect: () => setOpen('delete') }]}
        />
      </PageHeader>
      <FactsLine
        items={[
          ['Id', <Id key="id" id={connector.id} />],
          [
            'Address',
            <code key="url" className="break-all font-mono text-xs">
              {connector.url}
            </code>,
          ],
          ['Credential', credentialWords(connector)],
          ['Tools listed', <Time key="listed" at={connector.tools_listed_at} />],
          ['Created', <Time key="created" at={connector.created_at} />],
          ['By', <Actor key="by" id={connector.created_by} />],
          ...(connector.moved_by === null
            ? []
            : [['Address changed by', <Actor key="moved" id={connector.moved_by} />] as const]),
        ]}
      />
      {connector.tools_error !== null && (
        <Banner tone="bad">
          The server did not list its tools: <span className="[unicode-bidi:isolate]">{connector.tools_error}</span>
        </Banner>
      )}
      {connector.tools.changed > 0 && (
        <Banner tone="warn">
          {connector.tools.changed === 1 ? 'One tool differs' : `${connector.tools.changed} tools differ`} from what was
          approved. Agents cannot use {connector.tools.changed === 1 ? 'it' : 'them'} until a person approves again.
        </Banner>
      )}
      {refused.length > 0 && (
        <Banner tone="warn">
          Listed, but can never be approved: {refused.map(({ name, reason: why }) => `${name} (${why})`).join(', ')}
        </Banner>
      )}
      <Tools connector={connector} />
      <Dialog isOpen={open === 'edit'} onClose={() => setOpen(null)} title={`Edit ${connector.name}`}>
        <p className="mb-3 text-ink-2">
          Another address is another server: all tools wait for approval again. A key that changes it cannot approve
          them.
        </p>
        <ConnectorForm
          stored={connector}
          verb="Save"
          onSend={async (fields) => {
            const auth = authOf(fields)
            await update.mutateAsync({
              id: connector.id,
              body: {
                ...(fields.name !== connector.name && { name: fields.name }),
                ...(fields.url !== connector.url && { url: fields.url }),
                ...(auth && (auth.type !== 'none' || connector.auth.type !== 'none') && { auth }),
              },
            })
            setOpen(null)
          }}
        >
          <Button onClick={() => setOpen(null)}>Cancel</Button>
        </ConnectorForm>
      </Dialog>
      <ConfirmDialog
        isOpen={open === 'delete'}
        onClose={() => setOpen(null)}
        title={`Delete ${connector.name}?`}
        description="Its credential is deleted. Active runs that use it fail at their next step. This cannot be undone."
        verb="Delete connector"
        onConfirm={async () => {
          await remove.mutateAsync(connector.id)
          void navigate({ to: '/connectors' })
        }}
      />
    </>
  )
}

const credentialWords = ({ auth }: Connector): string => {
  const kind = wordOf(words.connectorAuthTypes, auth.type)
  if (auth.type === 'none') return kind
  return `${kind}${auth.header === null ? '' : ` ${auth.header}`}, ends in ${auth.hint ?? '…'}`
}

/** What needs a person stands first. */
const order = ['changed', 'pending', 'gone', 'approved']

const Tools = ({ connector }: { connector: Connector }) => {
  const tools = useQuery(connectorToolsQuery(connector.id))
  if (tools.isPending) return <Skeleton />
  if (!tools.data)
    return <Problem title="The tools: not loaded" error={tools.error} onRetry={() => void tools.refetch()} />
  if (tools.data.length === 0) {
    return <EmptyState title="No tools">The server has listed no tools yet. Press «List the tools again».</EmptyState>
  }
  const sorted = tools.data.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
  return (
    <ul aria-label="Tools" className="flex flex-col gap-3 p-4">
      {sorted.map((tool) => (
        <ToolCard key={tool.name} tool={tool} />
      ))}
    </ul>
  )
}
