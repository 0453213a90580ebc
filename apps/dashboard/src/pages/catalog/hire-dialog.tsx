import { type CatalogAgent, limits } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAgentMutations } from '../../api/agents.ts'
import { connectorNamesQuery } from '../../api/connectors.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'

/** Makes an agent of the organisation from an entry of the catalog. */
export const HireDialog = ({ entry, onClose }: { entry: CatalogAgent; onClose(): void }) => {
  const [name, setName] = useState(entry.name)
  const [connector, setConnector] = useState('')
  const { hire } = useAgentMutations()
  const navigate = useNavigate()
  const { data: connectors = [] } = useQuery({ ...connectorNamesQuery, enabled: entry.needs_connector })
  const missing = missingOf(name, entry.needs_connector && connector === '')
  const submit = async () => {
    if (missing !== undefined) return
    try {
      const agent = await hire.mutateAsync({
        key: entry.key,
        name: name.trim(),
        ...(entry.needs_connector && { tools: [connector] }),
      })
      toast(`${agent.name} was hired`)
      void navigate({ to: '/agents/$agentId', params: { agentId: agent.id } })
    } catch {
      // The dialog shows the error of the mutation.
    }
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Hire ${entry.name}`}
      description="It becomes an agent of your organisation. You can change it, and adopt later versions of the catalog."
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <TextField
          label="Name"
          isRequired
          maxLength={limits.agentNameChars}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        {entry.needs_connector && (
          <SelectField
            label="Connector"
            isRequired
            help={
              <>
                It uses tools of an MCP server.{' '}
                <Link to="/connectors/new" className="text-accent underline">
                  Add a connector
                </Link>
              </>
            }
            value={connector}
            onChange={({ target }) => setConnector(target.value)}
          >
            <option value="">Choose a connector</option>
            {connectors.map(({ id, name: text }) => (
              <option key={id} value={id}>
                {text}
              </option>
            ))}
          </SelectField>
        )}
        {hire.error && <Problem title="Not hired" error={hire.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" reason={missing} isBusy={hire.isPending}>
            Hire
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const missingOf = (name: string, needsConnector: boolean): string | undefined => {
  if (name.trim() === '') return 'Give it a name first.'
  return needsConnector ? 'Choose a connector first.' : undefined
}
