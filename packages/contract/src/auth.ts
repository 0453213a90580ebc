import { z } from 'zod'
import { OrganisationId, SessionId, UserId } from './ids.ts'
import { limits } from './limits.ts'
import { listOf, Paging } from './list.ts'
import { operation } from './operation.ts'
import { type Plan, plans } from './plans.ts'
import { scopes } from './scopes.ts'

/** What a client can meet of people beside the limits that all share. */
export const peopleLimits = {
  nameChars: 200,
  organisationsPerUser: 100,
  /** Sessions of one person that live at the same time; a further one ends the oldest. */
  sessionsPerUser: 100,
  linkTokenChars: 200,
} as const

export const roles = ['owner', 'admin', 'developer', 'viewer'] as const

export const Role = z.enum(roles).meta({
  id: 'Role',
  description: 'What a person may do in an organisation. Each role may do all that the ones after it may.',
})

export type Role = z.infer<typeof Role>

export const Email = z
  .string()
  .max(limits.emailChars)
  .regex(/^ *[!-?A-~\u00a1-\uffff]+@[!-?A-~\u00a1-\uffff]+ *$/, 'must be an e-mail address')
  .meta({ examples: ['ada@example.com'], description: 'Capitals and spaces around it do not matter.' })

// Letters typed in parts (Unicode NFD) are as many characters as their parts until they are put together.
const passwordPartsMost = 4

const Password = z
  .string()
  .min(1)
  .max(passwordPartsMost * limits.passwordMaxChars)
  .meta({ writeOnly: true, format: 'password' })

const NewPassword = Password.meta({
  description: `${limits.passwordMinChars} to ${limits.passwordMaxChars} characters, of any kind.`,
})

const LinkToken = z
  .string()
  .min(1)
  .max(peopleLimits.linkTokenChars)
  .meta({ writeOnly: true, description: 'What stands behind `#token=` in the link.' })

const User = z.object({ id: UserId, email: z.string(), name: z.string() }).meta({ id: 'User' })

const Organisation = z
  .object({
    id: OrganisationId,
    name: z.string(),
    plan: z.enum(Object.keys(plans) as [Plan, ...Plan[]]),
  })
  .meta({ id: 'Organisation' })

export const Session = z
  .object({
    object: z.literal('session'),
    type: z.literal('session'),
    id: SessionId,
    user: User,
    organisation: Organisation.meta({ description: 'The organisation that this session speaks for.' }),
    role: Role,
    scopes: z.array(z.enum(scopes)),
    organisations: z
      .array(z.object({ id: OrganisationId, name: z.string(), role: Role }))
      .meta({ description: 'All organisations of the person.' }),
    expires_at: z.iso.datetime().meta({ description: 'The end; it comes earlier when the session is not used.' }),
  })
  .meta({ id: 'Session' })

export type Session = z.infer<typeof Session>

const Bearer = z
  .object({
    object: z.literal('me'),
    type: z.enum(['api_key', 'session_token']),
    id: z.string().meta({ description: 'The API key; for a token, the key or the user that it was made by.' }),
    organisation: Organisation,
    scopes: z.array(z.enum(scopes)),
  })
  .meta({ id: 'Bearer' })

export const Me = z.discriminatedUnion('type', [Session, Bearer]).meta({ id: 'Me' })

export type Me = z.infer<typeof Me>

export const SessionRecord = z
  .object({
    id: SessionId,
    object: z.literal('session_record'),
    organisation_id: OrganisationId,
    is_current: z.boolean(),
    created_at: z.iso.datetime(),
    seen_at: z.iso.datetime().meta({ description: 'When it was last used, to within a minute or so.' }),
    expires_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
    address: z.string().nullable().meta({ description: 'Where it was started from.' }),
    user_agent: z.string().nullable(),
  })
  .meta({ id: 'SessionRecord' })

export type SessionRecord = z.infer<typeof SessionRecord>

export const auth = {
  login: operation({
    method: 'POST',
    path: '/api/auth/login',
    summary: 'Log in',
    description:
      'Starts a session and sets its cookie. Whatever is wrong, the refusal is the same; after some tries it is 429 for a while, ' +
      'whether or not there is such an account.',
    scope: 'anyone',
    status: 200,
    alsoAtRoot: true,
    input: z.strictObject({
      email: Email,
      password: Password,
      organisation_id: OrganisationId.optional().meta({
        description: 'Which of your organisations the session speaks for; the one that you joined first unless told.',
      }),
    }),
    output: Session,
    errors: [],
  }),
  logout: operation({
    method: 'POST',
    path: '/api/auth/logout',
    summary: 'Log out',
    description: 'Ends the session of the cookie. A key cannot be logged out; it is revoked.',
    scope: 'signed_in',
    status: 200,
    alsoAtRoot: true,
    input: z.strictObject({}),
    output: SessionRecord,
    errors: [],
  }),
  me: operation({
    method: 'GET',
    path: '/api/auth/me',
    summary: 'Who am I',
    scope: 'signed_in',
    status: 200,
    alsoAtRoot: true,
    input: z.strictObject({}),
    output: Me,
    errors: [],
  }),
  switchOrganisation: operation({
    method: 'POST',
    path: '/api/auth/organisation',
    summary: 'Speak for another of your organisations',
    description: 'Ends this session and starts one for the other organisation, which ends when this one would have.',
    scope: 'signed_in',
    status: 200,
    input: z.strictObject({ organisation_id: OrganisationId }),
    output: Session,
    errors: ['not_found'],
  }),
  changePassword: operation({
    method: 'POST',
    path: '/api/auth/password',
    summary: 'Change your password',
    description: 'Ends all your other sessions; this one gets a new cookie.',
    scope: 'signed_in',
    status: 200,
    input: z.strictObject({ current_password: Password, new_password: NewPassword }),
    output: Session,
    errors: ['password_wrong', 'password_refused'],
  }),
  resetPassword: operation({
    method: 'POST',
    path: '/api/auth/password-reset',
    summary: 'Set a new password with a link',
    description: 'Ends all your sessions. The link works once.',
    scope: 'anyone',
    status: 200,
    input: z.strictObject({ token: LinkToken, password: NewPassword }),
    output: z.object({ object: z.literal('password_reset'), user: User }).meta({ id: 'PasswordReset' }),
    errors: ['link_invalid', 'password_refused'],
  }),
  acceptInvitation: operation({
    method: 'POST',
    path: '/api/auth/invitation',
    summary: 'Accept an invitation',
    description:
      'Makes you a member and logs you in. Who has an account shows it with the present password; who has none sets one.',
    scope: 'anyone',
    status: 200,
    input: z.strictObject({
      token: LinkToken,
      name: z.string().max(peopleLimits.nameChars).optional().meta({ description: 'For a new account.' }),
      password: NewPassword,
    }),
    output: Session,
    errors: ['link_invalid', 'password_refused', 'member_exists', 'limit_reached'],
  }),
} as const

export const sessions = {
  list: operation({
    method: 'GET',
    path: '/sessions',
    summary: 'List your sessions',
    description: 'Your own browser sessions, in all your organisations, that are alive.',
    scope: 'signed_in',
    status: 200,
    input: z.strictObject({ ...Paging(SessionId) }),
    output: listOf(SessionRecord, 'SessionRecordList'),
    errors: [],
  }),
  end: operation({
    method: 'DELETE',
    path: '/sessions/{id}',
    summary: 'End one of your sessions',
    scope: 'signed_in',
    status: 200,
    input: z.strictObject({ id: SessionId }),
    output: SessionRecord,
    errors: ['not_found'],
  }),
} as const
