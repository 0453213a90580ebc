import type { UseFormRegisterReturn } from 'react-hook-form'
import { TextField } from '../../ui/field.tsx'
import { passwordRules } from './password-rules.ts'

export type NewPassword = { password: string; repeated: string }

/** A new password, typed twice. */
export const NewPasswordFields = ({ register }: { register(name: keyof NewPassword): UseFormRegisterReturn }) => (
  <>
    <TextField
      label="New password"
      type="password"
      autoComplete="new-password"
      help={passwordRules.help}
      isRequired
      {...register('password')}
    />
    <TextField
      label="The same again"
      type="password"
      autoComplete="new-password"
      isRequired
      {...register('repeated')}
    />
  </>
)
