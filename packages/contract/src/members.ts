import { z } from 'zod'
import { Email, Role } from './auth.ts'
import { createdAt } from './fields.ts'
import { InvitationId, MemberId, UserId } from './ids.ts'
import { limits } from './limits.ts'
import { listOf, Paging } from './list.ts'
import { operation } from './operation.ts'

export const Member = z
  .object({
    id: MemberId,
    object: z.literal('member'),
    user_id: UserId,
    email: z.string().meta({ description: 'The e-mail address of the person.' }),
    name: z.string().meta({ description: 'The name of the person.' }),
    role: Role,
    created_at: createdAt,
  })
  .meta({ id: 'Member', description: 'A person in the organisation.' })

export type Member = z.infer<typeof Member>

export const MemberSummary = z
  .object({
    id: MemberId,
    object: z.literal('member_summary'),
    user_id: UserId,
    name: z.string().meta({ description: 'The name of the person. Empty if the person has given none.' }),
    role: Role,
  })
  .meta({ id: 'MemberSummary', description: 'A person in the organisation, without the e-mail address.' })

export type MemberSummary = z.infer<typeof MemberSummary>

const invitation = {
  id: InvitationId,
  object: z.literal('invitation'),
  email: z.string().meta({ description: 'The invited e-mail address.' }),
  role: Role,
  status: z
    .enum(['open', 'accepted', 'revoked', 'expired'])
    .meta({ id: 'InvitationStatus', description: 'Only an `open` invitation can be accepted.' }),
  invited_by: z
    .string()
    .nullable()
    .meta({ description: 'The user or API key that sent it; null for the operator of the service.' }),
  created_at: createdAt,
  expires_at: z.iso.datetime().meta({ description: 'When the link stops working.' }),
}

export const Invitation = z.object(invitation).meta({ id: 'Invitation' })

export type Invitation = z.infer<typeof Invitation>

/** What a member can get mails about: events of these kinds. Alerts are chosen by their severity. */
export const notificationKinds = [
  'alert_critical',
  'alert_warning',
  'alert_info',
  'budget_reached',
  'webhook_disabled',
  'api_key_expiring',
] as const

const NotificationKind = z
  .enum(notificationKinds)
  .meta({ id: 'NotificationKind', description: 'What you get mails about.' })

export type NotificationKind = z.infer<typeof NotificationKind>

const kinds = z.array(NotificationKind).max(notificationKinds.length).meta({
  description: 'The kinds that you want. Default: for owners and admins all but `alert_info`; for others none.',
})

const Notifications = z
  .object({
    object: z.literal('notifications'),
    kinds,
    email: z.string().meta({ description: 'Your e-mail address.' }),
    email_proven: z.boolean().meta({ description: 'Whether it is proven. Others get no mail.' }),
    mail_enabled: z.boolean().meta({ description: 'Whether this installation sends mail.' }),
  })
  .meta({ id: 'Notifications' })

export type Notifications = z.infer<typeof Notifications>

const mailed = z.boolean().meta({
  description:
    'Whether the link is also sent by mail. False: this installation sends no mail, the address of the member is not proven, or a bound of ' +
    `mails is reached (${limits.linkMailsPerAddressPerDay} to an address and ${limits.linkMailsPerDay} of an organisation within 24 hours; one invitation to an address per hour).`,
})

const link = z.string().meta({ description: 'Only this response contains the link. Give it only to this person.' })

export const members = {
  list: operation({
    method: 'GET',
    path: '/members',
    summary: 'List members',
    scope: 'members:write',
    names: 'organisation',
    status: 200,
    input: z.strictObject({ ...Paging(MemberId) }),
    output: listOf(Member, 'MemberList'),
    errors: [],
  }),
  directory: operation({
    method: 'GET',
    path: '/members/directory',
    summary: 'List the names of members',
    description:
      'Returns the name and role of each member, without e-mail addresses, so that every page can name the person behind a `usr_…` id.',
    scope: 'members:write',
    session: 'suffices',
    names: 'nothing',
    status: 200,
    input: z.strictObject({ ...Paging(MemberId) }),
    output: listOf(MemberSummary, 'MemberSummaryList'),
    errors: [],
  }),
  invitations: operation({
    method: 'GET',
    path: '/members/invitations',
    summary: 'List invitations',
    scope: 'members:write',
    names: 'organisation',
    status: 200,
    input: z.strictObject({ ...Paging(InvitationId) }),
    output: listOf(Invitation, 'InvitationList'),
    errors: [],
  }),
  invite: operation({
    method: 'POST',
    path: '/members/invitations',
    summary: 'Invite a person',
    description:
      `Creates a link that works once, for ${limits.invitationDays} days. If \`mailed\` is false, pass it on yourself. ` +
      'A new invitation to the same address withdraws the earlier one. You cannot grant a role above your own.',
    scope: 'members:write',
    names: 'organisation',
    status: 201,
    input: z.strictObject({ email: Email, role: Role }).meta({ id: 'InviteMember' }),
    output: z.object({ ...invitation, link, mailed }).meta({ id: 'CreatedInvitation' }),
    errors: ['member_exists', 'limit_reached', 'input_invalid'],
  }),
  revokeInvitation: operation({
    method: 'DELETE',
    path: '/members/invitations/{id}',
    summary: 'Withdraw an invitation',
    scope: 'members:write',
    names: 'organisation',
    status: 200,
    input: z.strictObject({ id: InvitationId }),
    output: Invitation,
    errors: ['not_found'],
  }),
  notifications: operation({
    method: 'GET',
    path: '/members/me/notifications',
    summary: 'Show what you get mails about',
    description: 'In the organisation of the session.',
    scope: 'signed_in',
    session: 'required',
    names: 'nothing',
    status: 200,
    input: z.strictObject({}),
    output: Notifications,
    errors: [],
  }),
  updateNotifications: operation({
    method: 'PATCH',
    path: '/members/me/notifications',
    summary: 'Choose what you get mails about',
    scope: 'signed_in',
    session: 'required',
    names: 'nothing',
    status: 200,
    input: z.strictObject({ kinds }).meta({ id: 'UpdateNotifications' }),
    output: Notifications,
    errors: [],
  }),
  update: operation({
    method: 'PATCH',
    path: '/members/{id}',
    summary: 'Change the role of a member',
    description: 'Takes effect within 5 seconds, also for open sessions.',
    scope: 'members:write',
    names: 'organisation',
    status: 200,
    input: z.strictObject({ id: MemberId, role: Role }).meta({ id: 'UpdateMember' }),
    output: Member,
    errors: ['not_found', 'last_owner'],
  }),
  remove: operation({
    method: 'DELETE',
    path: '/members/{id}',
    summary: 'Remove a member',
    description:
      'Ends the person’s sessions in this organisation. While API keys that the person created are active, `keys` must say whether to ' +
      'revoke them, with all keys below them, or to keep them; otherwise the response is 422 `keys_undecided`.',
    scope: 'members:write',
    conditionalScopes: [{ scope: 'keys:write', field: 'keys', values: ['revoke'] }],
    names: 'organisation',
    status: 200,
    input: z.strictObject({
      id: MemberId,
      keys: z
        .enum(['revoke', 'keep'])
        .optional()
        .meta({ description: 'What happens to the active API keys of the person.' }),
    }),
    output: Member,
    errors: ['not_found', 'last_owner', 'keys_undecided'],
  }),
  resetPassword: operation({
    method: 'POST',
    path: '/members/password-resets',
    summary: 'Create a link to set a new password',
    description:
      `The link works once, for ${limits.passwordResetHours} hours, and invalidates earlier ones. A person can create it only for ` +
      'a member with a lower role. The operator can create one for everybody.',
    scope: 'members:write',
    session: 'required',
    names: 'organisation',
    status: 201,
    input: z
      .strictObject({ member_id: MemberId.meta({ description: 'The member whose password is reset.' }) })
      .meta({ id: 'ResetMemberPassword' }),
    output: z
      .object({
        object: z.literal('password_reset_link'),
        member_id: MemberId,
        link,
        mailed,
        expires_at: z.iso.datetime().meta({ description: 'When the link stops working.' }),
      })
      .meta({ id: 'PasswordResetLink' }),
    errors: ['not_found', 'password_reset_refused'],
  }),
} as const
