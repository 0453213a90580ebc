import { Link, useNavigate } from '@tanstack/react-router'
import { useConnectorMutations } from '../../api/connectors.ts'
import { Button } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { toast } from '../../ui/toast.tsx'
import { authOf, type ConnectorFields, ConnectorForm } from './connector-form.tsx'

export const ConnectorNewPage = () => {
  const { create } = useConnectorMutations()
  const navigate = useNavigate()
  const send = async (fields: ConnectorFields) => {
    const { name, url, approve_tools } = fields
    const connector = await create.mutateAsync({ name, url, auth: authOf(fields), approve_tools })
    toast(`${connector.name} was added`, connector.tools_error ?? undefined)
    void navigate({ to: '/connectors/$connectorId', params: { connectorId: connector.id } })
  }
  return (
    <>
      <PageHeader title="New connector" trail={<Link to="/connectors">Connectors</Link>} />
      <div className="p-4">
        <ConnectorForm verb="Add connector" onSend={send}>
          <Button onClick={() => void navigate({ to: '/connectors' })}>Cancel</Button>
        </ConnectorForm>
      </div>
    </>
  )
}
