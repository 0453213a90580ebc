import { type Invitation, type Member, type Role, roles } from '@agent-run-service/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { invitationsQuery, membersQuery } from '../../api/members.ts'
import { useReason, useSession } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Checkbox } from '../../ui/field.tsx'
import { FilterSelect } from '../../ui/filter-bar.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { toast, toastProblem } from '../../ui/toast.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { InviteDialog } from './invite-dialog.tsx'
import { SettingsHeader } from './settings-tabs.tsx'

type Link = { title: string; link: string; mailed: boolean }

/** Who belongs to the organisation, and who is invited. */
export const MembersPage = () => {
  const reason = useReason('members:write')
  const members = useQuery(membersQuery)
  const [isInviting, setIsInviting] = useState(false)
  const [link, setLink] = useState<Link | null>(null)
  const [removing, setRemoving] = useState<Member | null>(null)
  return (
    <>
      <SettingsHeader title="Members">
        <Button kind="primary" reason={reason} onClick={() => setIsInviting(true)}>
          Invite
        </Button>
      </SettingsHeader>
      {members.error && (
        <Problem title="Members: not loaded" error={members.error} onRetry={() => void members.refetch()} />
      )}
      {members.isPending && <Skeleton />}
      {members.data && <MemberTable members={members.data} onLink={setLink} onRemove={setRemoving} />}
      <Invitations />
      <InviteDialog
        isOpen={isInviting}
        onClose={() => setIsInviting(false)}
        onInvited={({ email, link: made, mailed }) => setLink({ title: `Invitation for ${email}`, link: made, mailed })}
      />
      <SecretOnce
        title={link?.title ?? ''}
        description={
          link?.mailed
            ? 'A mail with a link is on its way to this person. You can also give them this one. It is shown once.'
            : 'No mail is sent. Give this link to this person only. It is shown once.'
        }
        secret={link?.link ?? null}
        onStored={() => setLink(null)}
      />
      <RemoveDialog member={removing} onClose={() => setRemoving(null)} />
    </>
  )
}

const MemberTable = (props: {
  members: readonly Member[]
  onLink(link: Link): void
  onRemove(member: Member): void
}) => {
  const { user } = useSession()
  const reason = useReason('members:write')
  const queryClient = useQueryClient()
  const setRole = useMutation({
    mutationFn: async ({ id, role }: { id: string; role: Role }) => client.members.update(id, { role }),
    onSuccess: ({ name, role }) => toast(`${name} is now ${wordOf(words.roles, role)}.`),
    onError: (error) => toastProblem('The role was not changed', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['members'] }),
  })
  const resetPassword = async (member: Member) => {
    try {
      const { link, mailed } = await client.members.resetPassword({ member_id: member.id })
      props.onLink({ title: `New password for ${member.email}`, link, mailed })
    } catch (error) {
      toastProblem('No link was made', error)
    }
  }
  const columns: Column<Member>[] = [
    { id: 'name', title: 'Name', cell: ({ name, user_id }) => (user_id === user.id ? `${name} (you)` : name) },
    { id: 'email', title: 'E-mail', cell: ({ email }) => email },
    {
      id: 'role',
      title: 'Role',
      width: '10rem',
      cell: ({ id, name, role }) =>
        reason === undefined ? (
          <FilterSelect
            label={`Role of ${name}`}
            value={role}
            options={roles.map((each) => [each, words.roles[each]] as const)}
            onChange={(value) => setRole.mutate({ id, role: value as Role })}
          />
        ) : (
          wordOf(words.roles, role)
        ),
    },
    { id: 'since', title: 'Since', width: '12rem', cell: ({ created_at }) => <Time at={created_at} /> },
    {
      id: 'more',
      title: '',
      width: '4rem',
      align: 'end',
      cell: (member) => (
        <Menu
          label={`Actions for ${member.name}`}
          items={[
            { label: 'Link for a new password', onSelect: () => void resetPassword(member), reason },
            { label: 'Remove', isDanger: true, onSelect: () => props.onRemove(member), reason },
          ]}
        />
      ),
    },
  ]
  return <DataTable isInline label="Members" columns={columns} rows={props.members} />
}

const RemoveDialog = ({ member, onClose }: { member: Member | null; onClose(): void }) => {
  const queryClient = useQueryClient()
  const [keepsKeys, setKeepsKeys] = useState(false)
  const remove = async () => {
    if (!member) return
    await client.members.remove(member.id, { keys: keepsKeys ? 'keep' : 'revoke' })
    await queryClient.invalidateQueries({ queryKey: ['members'] })
    toast(`${member.name} was removed.`)
  }
  return (
    <ConfirmDialog
      isOpen={member !== null}
      onClose={onClose}
      title={`Remove ${member?.name ?? ''}?`}
      description="Their sessions end at once. Runs that they started go on."
      verb="Remove"
      onConfirm={remove}
    >
      <div className="mb-3">
        <Checkbox
          label="Keep their API keys"
          help="Otherwise the keys that they made are revoked."
          checked={keepsKeys}
          onChange={({ target }) => setKeepsKeys(target.checked)}
        />
      </div>
    </ConfirmDialog>
  )
}

const Invitations = () => {
  const { data, error, refetch } = useQuery(invitationsQuery)
  const reason = useReason('members:write')
  const queryClient = useQueryClient()
  const revoke = useMutation({
    mutationFn: async (id: string) => client.members.revokeInvitation(id),
    onSuccess: ({ email }) => toast(`The invitation of ${email} was revoked.`),
    onError: (failure) => toastProblem('The invitation was not revoked', failure),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['members', 'invitations'] }),
  })
  if (error) return <Problem title="Invitations: not loaded" error={error} onRetry={() => void refetch()} />
  if (!data || data.length === 0) return null
  const columns: Column<Invitation>[] = [
    { id: 'email', title: 'E-mail', cell: ({ email }) => email },
    { id: 'role', title: 'Role', width: '8rem', cell: ({ role }) => wordOf(words.roles, role) },
    {
      id: 'status',
      title: 'Status',
      width: '8rem',
      cell: ({ status }) => (
        <Badge label={wordOf(words.invitationStatuses, status)} tone={status === 'open' ? 'accent' : 'plain'} />
      ),
    },
    { id: 'expires', title: 'Ends', width: '12rem', cell: ({ expires_at }) => <Time at={expires_at} /> },
    {
      id: 'revoke',
      title: '',
      width: '7rem',
      align: 'end',
      cell: ({ id, status }) => (
        <Button
          isSmall
          isBusy={revoke.isPending && revoke.variables === id}
          reason={status === 'open' ? reason : 'Only an open invitation can be revoked.'}
          onClick={() => revoke.mutate(id)}
        >
          Revoke
        </Button>
      ),
    },
  ]
  return (
    <section aria-labelledby="invitations">
      <h2 id="invitations" className="px-4 pt-6 pb-1 font-semibold">
        Invitations
      </h2>
      <DataTable isInline label="Invitations" columns={columns} rows={data} />
    </section>
  )
}
