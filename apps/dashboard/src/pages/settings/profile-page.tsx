import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { account } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { useSession } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { DetailList } from '../../ui/detail-list.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { type Preferences, setPreference, usePreferences } from '../../ui/preferences.ts'
import { toast } from '../../ui/toast.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { type NewPassword, NewPasswordFields } from '../login/new-password-fields.tsx'
import { passwordProblem } from '../login/password-rules.ts'
import { NotificationsForm } from './notifications-form.tsx'
import { SettingsHeader } from './settings-tabs.tsx'

/** Who am I here, my password, my mails, and how this browser shows things. */
export const ProfilePage = () => {
  const { user, role } = useSession()
  return (
    <>
      <SettingsHeader title="Profile" />
      <div className="grid max-w-[40rem] gap-6 p-4">
        <section aria-labelledby="who">
          <h2 id="who" className="mb-2 font-semibold">
            You
          </h2>
          <DetailList
            items={[
              ['E-mail', user.email],
              ['Role', wordOf(words.roles, role)],
            ]}
          />
        </section>
        <NameForm />
        <PasswordForm />
        <NotificationsForm />
        <PreferencesForm />
      </div>
    </>
  )
}

const NameForm = () => {
  const { user } = useSession()
  const queryClient = useQueryClient()
  const [refusal, setRefusal] = useState<string>()
  const { register, handleSubmit, formState } = useForm({ defaultValues: { name: user.name } })
  const submit = handleSubmit(async ({ name }) => {
    setRefusal(undefined)
    try {
      queryClient.setQueryData(['session'], await account.updateMe({ name }))
      toast('Your name was changed.')
    } catch (error) {
      setRefusal(problemOf(error).message)
    }
  })
  return (
    <form onSubmit={(event) => void submit(event)}>
      <TextField label="Name" autoComplete="name" error={refusal} isRequired {...register('name')} />
      <Button type="submit" isBusy={formState.isSubmitting}>
        Change the name
      </Button>
    </form>
  )
}

type PasswordFields = NewPassword & { current: string }

const PasswordForm = () => {
  const queryClient = useQueryClient()
  const [refusal, setRefusal] = useState<string>()
  const { register, handleSubmit, reset, formState } = useForm<PasswordFields>()
  const submit = handleSubmit(async ({ current, password, repeated }) => {
    const problem = passwordProblem(password, repeated)
    setRefusal(problem)
    if (problem !== undefined) return
    try {
      const session = await account.changePassword({ current_password: current, new_password: password })
      queryClient.setQueryData(['session'], session)
      reset()
      toast('Your password was changed.', 'Your other sessions have ended.')
    } catch (error) {
      setRefusal(problemOf(error).message)
    }
  })
  return (
    <form onSubmit={(event) => void submit(event)} aria-labelledby="password">
      <h2 id="password" className="mb-2 font-semibold">
        Password
      </h2>
      <TextField
        label="Current password"
        type="password"
        autoComplete="current-password"
        isRequired
        {...register('current')}
      />
      <NewPasswordFields register={register} />
      {refusal !== undefined && (
        <p role="alert" className="mb-2 text-bad">
          {refusal}
        </p>
      )}
      <Button type="submit" isBusy={formState.isSubmitting}>
        Change the password
      </Button>
    </form>
  )
}

const choices = [
  {
    key: 'theme',
    label: 'Theme',
    options: [
      ['system', 'As the system'],
      ['light', 'Light'],
      ['dark', 'Dark'],
    ],
  },
  {
    key: 'density',
    label: 'Rows',
    options: [
      ['normal', 'Normal'],
      ['compact', 'Compact'],
    ],
  },
  {
    key: 'zone',
    label: 'Time zone',
    options: [
      ['browser', 'Of this browser'],
      ['utc', 'UTC'],
    ],
  },
  {
    key: 'shortcuts',
    label: 'Single letters as shortcuts',
    options: [
      ['on', 'On'],
      ['off', 'Off'],
    ],
  },
] as const

const PreferencesForm = () => {
  const preferences = usePreferences()
  return (
    <section aria-labelledby="browser">
      <h2 id="browser" className="mb-2 font-semibold">
        This browser
      </h2>
      {choices.map(({ key, label, options }) => (
        <SelectField
          key={key}
          label={label}
          value={preferences[key]}
          onChange={({ target }) => setPreference(key, target.value as Preferences[typeof key])}
        >
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </SelectField>
      ))}
    </section>
  )
}
