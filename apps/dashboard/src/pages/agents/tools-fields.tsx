import { limits } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus, X } from 'lucide-react'
import { useFieldArray, useFormContext, useWatch } from 'react-hook-form'
import { connectorNamesQuery, connectorToolsQuery } from '../../api/connectors.ts'
import { modelsQuery } from '../../api/models.ts'
import { useReason } from '../../session.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Checkbox, SelectField } from '../../ui/field.tsx'
import type { AgentFields } from './agent-fields.ts'
import { useFault } from './form-faults.tsx'
import { entryOf } from './model-choice.ts'

/** Connectors whose tools the agent can use. */
export const ToolsFields = () => {
  const { control } = useFormContext<AgentFields>()
  const { fields, append, remove } = useFieldArray({ control, name: 'tools' })
  const model = useWatch<AgentFields, 'model'>({ name: 'model' })
  const { data: models = [] } = useQuery(modelsQuery)
  const forbidden = useReason('connectors:read')
  const full = fields.length >= limits.toolsPerAgent ? `At most ${limits.toolsPerAgent} connectors.` : undefined
  const fault = useFault('tools')
  return (
    <>
      {fields.length > 0 && entryOf(models, model)?.supports_tools === false && (
        <p className="mb-2 text-warn">This model cannot call tools.</p>
      )}
      {fields.map(({ id }, n) => (
        <ToolFields key={id} n={n} onRemove={() => remove(n)} />
      ))}
      {fault !== undefined && <p className="mb-2 text-bad text-xs">{fault}</p>}
      <Button
        isSmall
        name="tools"
        reason={forbidden ?? full}
        onClick={() => append({ connector_id: '', use: 'all', allow: [], ask: 'default', require_approval: [] })}
      >
        <Plus aria-hidden size={13} /> Add a connector
      </Button>
      <p className="mt-2 text-ink-3 text-xs">
        Connectors are MCP servers. Add one on the page{' '}
        <Link to="/connectors" className="text-accent underline">
          Connectors
        </Link>
        .
      </p>
    </>
  )
}

const ToolFields = ({ n, onRemove }: { n: number; onRemove(): void }) => {
  const { register } = useFormContext<AgentFields>()
  const tool = useWatch<AgentFields, `tools.${number}`>({ name: `tools.${n}` })
  const { data: connectors = [] } = useQuery(connectorNamesQuery)
  const { data: listed = [] } = useQuery({
    ...connectorToolsQuery(tool.connector_id),
    enabled: tool.connector_id !== '',
  })
  const known = listed.filter(({ state }) => state === 'approved').map(({ name }) => name)
  const isUnknown = tool.connector_id !== '' && !connectors.some(({ id }) => id === tool.connector_id)
  return (
    <fieldset className="mb-3 rounded-lg border border-line p-3">
      <legend className="sr-only">Connector {n + 1}</legend>
      <div className="flex items-start gap-2">
        <div className="flex-1">
          <SelectField
            label="Connector"
            isRequired
            error={useFault(`tools.${n}.connector_id`)}
            {...register(`tools.${n}.connector_id`)}
          >
            <option value="">Choose a connector</option>
            {isUnknown && <option value={tool.connector_id}>{tool.connector_id}</option>}
            {connectors.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
        </div>
        <IconButton label={`Remove connector ${n + 1}`} onClick={onRemove}>
          <X aria-hidden size={14} />
        </IconButton>
      </div>
      <SelectField label="Which tools" {...register(`tools.${n}.use`)}>
        <option value="all">All approved tools, also later ones</option>
        <option value="some">Only those that I choose</option>
      </SelectField>
      {tool.use === 'some' && <ToolChoice n={n} field="allow" label="Allowed tools" names={known} />}
      <SelectField label="Calls that wait for a person" {...register(`tools.${n}.ask`)}>
        <option value="default">Tools that can destroy, by what their server says</option>
        <option value="some">Also those that I choose</option>
        <option value="nobody">None</option>
      </SelectField>
      {tool.ask === 'some' && (
        <ToolChoice n={n} field="require_approval" label="Tools that need approval" names={known} />
      )}
    </fieldset>
  )
}

/** Tools that were chosen and are not listed now stay in the choice, so that saving does not drop them. */
const ToolChoice = (props: {
  n: number
  field: 'allow' | 'require_approval'
  label: string
  names: readonly string[]
}) => {
  const { setValue } = useFormContext<AgentFields>()
  const path = `tools.${props.n}.${props.field}` as const
  const chosen = useWatch<AgentFields, typeof path>({ name: path })
  const names = [...new Set([...props.names, ...chosen])].sort()
  const toggle = (name: string) =>
    setValue(path, chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name], {
      shouldDirty: true,
    })
  return (
    <fieldset className="mb-3 ms-3">
      <legend className="mb-1 font-medium">{props.label}</legend>
      {names.length === 0 && <p className="text-ink-3 text-xs">This connector has no approved tools.</p>}
      {names.map((name) => (
        <Checkbox
          key={name}
          label={<code className="font-mono text-xs">{name}</code>}
          checked={chosen.includes(name)}
          onChange={() => toggle(name)}
          {...(!props.names.includes(name) && { help: 'Not listed or not approved now.' })}
        />
      ))}
    </fieldset>
  )
}
