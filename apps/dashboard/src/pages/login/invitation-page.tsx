import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { account } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { OpenPage } from './open-page.tsx'
import { passwordRules } from './password-rules.ts'
import { useTokenOfAddress } from './token-in-address.ts'

type Fields = { name: string; password: string }

/** The link of an invitation: a new person gives a name and a password, a known one the password they have. */
export const InvitationPage = () => {
  const token = useTokenOfAddress()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [refusal, setRefusal] = useState<string>()
  const { register, handleSubmit, formState } = useForm<Fields>()
  useEffect(() => {
    document.title = 'Invitation · Agent Run Service'
  }, [])
  if (token === null) {
    return (
      <OpenPage title="This link is incomplete" lead="Open the whole link of your invitation, or ask for a new one.">
        <Button onClick={() => void navigate({ to: '/login' })}>Log in</Button>
      </OpenPage>
    )
  }
  const submit = handleSubmit(async ({ name, password }) => {
    try {
      const session = await account.acceptInvitation({
        token,
        password,
        ...(name.trim() !== '' && { name: name.trim() }),
      })
      queryClient.clear()
      queryClient.setQueryData(['session'], session)
      await navigate({ to: '/' })
    } catch (error) {
      setRefusal(problemOf(error).message)
    }
  })
  return (
    <OpenPage title="Join the organisation" lead="You were invited to Agent Run Service." refusal={refusal}>
      <form onSubmit={(event) => void submit(event)}>
        <TextField
          label="Your name"
          autoComplete="name"
          help="Leave it empty if you have an account here."
          {...register('name')}
        />
        <TextField
          label="Password"
          type="password"
          autoComplete="new-password"
          help={`New account: ${passwordRules.help} Known account: your password.`}
          isRequired
          {...register('password')}
        />
        <Button kind="primary" type="submit" isBusy={formState.isSubmitting} className="mt-2 w-full">
          {formState.isSubmitting ? 'Joining…' : 'Join'}
        </Button>
      </form>
    </OpenPage>
  )
}
