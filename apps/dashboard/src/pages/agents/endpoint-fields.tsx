import { useFormContext, useWatch } from 'react-hook-form'
import { CredentialFields } from '../../ui/credential-fields.tsx'
import { TextField } from '../../ui/field.tsx'
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
      <CredentialFields
        type={type}
        storedHint={canKeep ? (stored.hint ?? '…') : undefined}
        errors={{ auth_header: headerFault, auth_secret: secretFault }}
        register={register}
      />
      {type !== 'bearer' && type !== 'header' && secretFault !== undefined && (
        <p className="mb-3 text-bad text-xs">{secretFault}</p>
      )}
    </>
  )
}
