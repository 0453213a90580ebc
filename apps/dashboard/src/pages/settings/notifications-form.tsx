import { type NotificationKind, type Notifications, notificationKinds } from '@agent-run-service/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { account, client } from '../../api/client.ts'
import { notificationsQuery } from '../../api/members.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { toast, toastProblem } from '../../ui/toast.tsx'
import { words } from '../../ui/words.ts'

/** What the person gets mails about in this organisation. */
export const NotificationsForm = () => {
  const { data, error, isPending, refetch } = useQuery(notificationsQuery)
  return (
    <section aria-labelledby="mails">
      <h2 id="mails" className="mb-2 font-semibold">
        Mails
      </h2>
      {error && <Problem title="Mails: not loaded" error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton />}
      {data && <Choices notifications={data} />}
    </section>
  )
}

const Choices = ({ notifications }: { notifications: Notifications }) => {
  const queryClient = useQueryClient()
  const [kinds, setKinds] = useState<readonly NotificationKind[]>(notifications.kinds as NotificationKind[])
  const save = useMutation({
    mutationFn: async () => client.members.updateNotifications({ kinds: [...kinds] }),
    onSuccess: (saved) => {
      queryClient.setQueryData(notificationsQuery.queryKey, saved)
      toast('Your choice of mails was saved.')
    },
    onError: (failure) => toastProblem('Your choice was not saved', failure),
  })
  if (!notifications.mail_enabled) return <p className="text-ink-2">This installation sends no mail.</p>
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      {!notifications.email_proven && <Unproven email={notifications.email} />}
      {notificationKinds.map((kind) => (
        <Checkbox
          key={kind}
          label={words.notificationKinds[kind]}
          checked={kinds.includes(kind)}
          onChange={({ target }) => setKinds(target.checked ? [...kinds, kind] : kinds.filter((each) => each !== kind))}
        />
      ))}
      <Button type="submit" isBusy={save.isPending} className="mt-2">
        Save
      </Button>
    </form>
  )
}

const Unproven = ({ email }: { email: string }) => {
  const send = useMutation({
    mutationFn: async () => account.sendEmailProof(),
    onSuccess: () => toast(`A mail is on its way to ${email}.`, 'Open its link in this browser.'),
    onError: (failure) => toastProblem('No mail was sent', failure),
  })
  return (
    <div className="mb-3">
      <p className="mb-2 text-ink-2">Your address is not confirmed, so you get no mails yet.</p>
      <Button isBusy={send.isPending} onClick={() => send.mutate()}>
        Send a mail to confirm it
      </Button>
    </div>
  )
}
