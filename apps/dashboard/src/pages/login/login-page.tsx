import { useQueryClient } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { account } from '../../api/client.ts'
import { noteSignedIn } from '../../api/connection.ts'
import { problemOf } from '../../api/problem.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { OpenPage } from './open-page.tsx'

type Fields = { email: string; password: string }

export const LoginPage = () => {
  const { next } = useSearch({ from: '/login' })
  const router = useRouter()
  const queryClient = useQueryClient()
  const [refusal, setRefusal] = useState<string>()
  const { register, handleSubmit, formState } = useForm<Fields>()
  useEffect(() => {
    document.title = 'Log in · Agent Run Service'
  }, [])
  const submit = handleSubmit(async (fields) => {
    try {
      const session = await account.login(fields)
      queryClient.clear()
      queryClient.setQueryData(['session'], session)
      noteSignedIn()
      router.history.push(`/dashboard${next ?? '/'}`)
    } catch (error) {
      setRefusal(problemOf(error).message)
    }
  })
  return (
    <OpenPage title="Log in" lead={`to Agent Run Service at ${location.host}`} refusal={refusal}>
      <form onSubmit={(event) => void submit(event)}>
        <TextField label="E-mail" type="email" autoComplete="username" isRequired {...register('email')} />
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          isRequired
          {...register('password')}
        />
        <Button kind="primary" type="submit" isBusy={formState.isSubmitting} className="mt-2 w-full">
          {formState.isSubmitting ? 'Logging in…' : 'Log in'}
        </Button>
      </form>
      <p className="mt-5 text-ink-3 text-xs">
        Forgotten your password? Ask an admin of your organisation for a link. Programs use an API key.
      </p>
    </OpenPage>
  )
}
