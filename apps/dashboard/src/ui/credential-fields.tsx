import type { UseFormRegisterReturn } from 'react-hook-form'
import { SelectField, TextField } from './field.tsx'
import { words } from './words.ts'

export type CredentialField = 'auth_type' | 'auth_header' | 'auth_secret'

/** The credential that the service sends to a server of the customer. A stored one can be kept; it is never shown. */
export const CredentialFields = (props: {
  type: string
  /** The end of the stored credential; undefined if none is stored. */
  storedHint: string | undefined
  errors: Partial<Record<CredentialField, string | undefined>>
  register(name: CredentialField): UseFormRegisterReturn
}) => {
  const { type, storedHint, errors, register } = props
  return (
    <>
      <SelectField label="Credential" {...register('auth_type')}>
        {storedHint !== undefined && <option value="keep">Keep the stored one (ends in {storedHint})</option>}
        <option value="none">{words.connectorAuthTypes.none}</option>
        <option value="bearer">{words.connectorAuthTypes.bearer}</option>
        <option value="header">{words.connectorAuthTypes.header}</option>
      </SelectField>
      {type === 'header' && (
        <TextField label="Name of the header" isRequired error={errors.auth_header} {...register('auth_header')} />
      )}
      {(type === 'bearer' || type === 'header') && (
        <TextField
          label={type === 'bearer' ? 'Token' : 'Value of the header'}
          type="password"
          autoComplete="off"
          isRequired
          help="Stored encrypted and never shown again."
          error={errors.auth_secret}
          {...register('auth_secret')}
        />
      )}
    </>
  )
}
