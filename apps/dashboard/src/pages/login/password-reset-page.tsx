import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { account } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { Button } from '../../ui/button.tsx'
import { type NewPassword, NewPasswordFields } from './new-password-fields.tsx'
import { OpenPage } from './open-page.tsx'
import { passwordProblem } from './password-rules.ts'
import { useTokenOfAddress } from './token-in-address.ts'

/** The link that an admin made for a person who forgot their password. */
export const PasswordResetPage = () => {
  const token = useTokenOfAddress()
  const navigate = useNavigate()
  const [refusal, setRefusal] = useState<string>()
  const [email, setEmail] = useState<string>()
  const { register, handleSubmit, formState } = useForm<NewPassword>()
  useEffect(() => {
    document.title = 'New password · Agent Run Service'
  }, [])
  if (token === null || email !== undefined) {
    const isDone = email !== undefined
    return (
      <OpenPage
        title={isDone ? 'The password is set' : 'This link is incomplete'}
        lead={isDone ? `Log in as ${email} with it.` : 'Open the whole link, or ask an admin for a new one.'}
      >
        <Button kind="primary" onClick={() => void navigate({ to: '/login' })}>
          Log in
        </Button>
      </OpenPage>
    )
  }
  const submit = handleSubmit(async ({ password, repeated }) => {
    const problem = passwordProblem(password, repeated)
    if (problem !== undefined) return setRefusal(problem)
    try {
      const { user } = await account.resetPassword({ token, password })
      setEmail(user.email)
    } catch (error) {
      setRefusal(problemOf(error).message)
    }
  })
  return (
    <OpenPage title="Set a new password" lead="All your sessions end with it." refusal={refusal}>
      <form onSubmit={(event) => void submit(event)}>
        <NewPasswordFields register={register} />
        <Button kind="primary" type="submit" isBusy={formState.isSubmitting} className="mt-2 w-full">
          {formState.isSubmitting ? 'Setting…' : 'Set the password'}
        </Button>
      </form>
    </OpenPage>
  )
}
