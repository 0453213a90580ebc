import { type CreatedInvitation, type Role, roles } from '@agent-run-service/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { client } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { words } from '../../ui/words.ts'

type Fields = { email: string; role: Role }

export const InviteDialog = (props: {
  isOpen: boolean
  onClose(): void
  onInvited(invitation: CreatedInvitation): void
}) => {
  const queryClient = useQueryClient()
  const [problem, setProblem] = useState<unknown>(null)
  const { register, handleSubmit, reset, formState } = useForm<Fields>({
    defaultValues: { email: '', role: 'developer' },
  })
  const close = () => {
    setProblem(null)
    reset()
    props.onClose()
  }
  const submit = handleSubmit(async (fields) => {
    setProblem(null)
    try {
      const invitation = await client.members.invite(fields)
      void queryClient.invalidateQueries({ queryKey: ['members', 'invitations'] })
      close()
      props.onInvited(invitation)
    } catch (error) {
      setProblem(error)
    }
  })
  return (
    <Dialog
      isOpen={props.isOpen}
      onClose={close}
      title="Invite a person"
      description="They join with a link. You see it once."
    >
      <form onSubmit={(event) => void submit(event)}>
        <TextField label="E-mail" type="email" autoComplete="off" isRequired {...register('email')} />
        <SelectField label="Role" help="Each role includes the ones below it." {...register('role')}>
          {roles.map((role) => (
            <option key={role} value={role}>
              {words.roles[role]}
            </option>
          ))}
        </SelectField>
        {problem !== null && <Problem title="Nobody was invited" error={problem} />}
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Close</Button>
          <Button kind="primary" type="submit" isBusy={formState.isSubmitting}>
            Invite
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
