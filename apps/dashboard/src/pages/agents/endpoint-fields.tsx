import { useFormContext, useWatch } from 'react-hook-form'
import { SelectField, TextField } from '../../ui/field.tsx'
import { words } from '../../ui/words.ts'
import type { AgentFields } from './agent-fields.ts'
import { useFault, useStored } from './form-faults.tsx'

export const EndpointFields = () => {
  const { register } = useFormContext<AgentFields>()
  const type = useWatch<AgentFields, 'auth_type'>({ name: 'auth_type' })
  const stored = useStored()?.config.auth as { type: string; hint: string | null } | undefined
  const headerFault = useFault('auth_header')
  const secretFault = useFault('auth_secret')
  const canKeep = stored !== undefined && stored.type !== 'none'
  return (
    <>
      <TextField
        label="URL"
        type="url"
        isRequired
        help="Your endpoint: HTTPS on a public host. The service sends each run there, signed."
        error={useFault('url')}
        {...register('url')}
      />
      <SelectField label="Credential" {...register('auth_type')}>
        {canKeep && <option value="keep">Keep the stored one (ends in {stored.hint ?? '…'})</option>}
        <option value="none">{words.connectorAuthTypes.none}</option>
        <option value="bearer">{words.connectorAuthTypes.bearer}</option>
        <option value="header">{words.connectorAuthTypes.header}</option>
      </SelectField>
      {type === 'header' && (
        <TextField label="Name of the header" isRequired error={headerFault} {...register('auth_header')} />
      )}
      {(type === 'bearer' || type === 'header') && (
        <TextField
          label={type === 'bearer' ? 'Token' : 'Value of the header'}
          type="password"
          autoComplete="off"
          isRequired
          help="Stored encrypted and never shown again."
          error={secretFault}
          {...register('auth_secret')}
        />
      )}
      {type !== 'bearer' && type !== 'header' && secretFault !== undefined && (
        <p className="mb-3 text-bad text-xs">{secretFault}</p>
      )}
    </>
  )
}
