import { z } from 'zod'
import { fieldLimits, numbersOf, peopleLimitRows } from './bounds.ts'
import { createdAt, ScopeName } from './fields.ts'
import { OrganisationId, SessionId, UserId } from './ids.ts'
import { limits } from './limits.ts'
import { listOf, Paging } from './list.ts'
import { operation } from './operation.ts'
import { type Plan, plans } from './plans.ts'

/** Limits of accounts and sessions, in addition to the shared ones. */
export const peopleLimits = numbersOf(peopleLimitRows)

export const roles = ['owner', 'admin', 'developer', 'viewer'] as const

export const Role = z.enum(roles).meta({
  id: 'Role',
  description: 'What a person can do in an organisation. Each role includes the roles after it.',
})

export type Role = z.infer<typeof Role>

export const Email = z
  .string()
  .max(limits.emailChars)
  .regex(/^ *[!-?A-~\u00a1-\uffff]+@[!-?A-~\u00a1-\uffff]+ *$/, 'must be an e-mail address')
  .meta({ examples: ['ada@example.com'], description: 'Case and surrounding spaces are ignored.' })

const Password = z
  .string()
  .min(1)
  .max(fieldLimits.passwordParts * limits.passwordMaxChars)
  .meta({ writeOnly: true, format: 'password', description: 'The current password.' })

const NewPassword = Password.meta({
  description: `${limits.passwordMinChars} to ${limits.passwordMaxChars} characters of any kind.`,
})

const LinkToken = z
  .string()
  .min(1)
  .max(peopleLimits.linkTokenChars)
  .meta({ writeOnly: true, description: 'The part of the link after `#token=`.' })

const User = z
  .object({
    id: UserId,
    email: z.string().meta({ description: 'The e-mail address.' }),
    name: z.string().meta({ description: 'The name.' }),
  })
  .meta({ id: 'User', description: 'A person.' })

export const Organisation = z
  .object({
    id: OrganisationId,
    name: z.string().meta({ description: 'The name of the organisation.' }),
    plan: z.enum(Object.keys(plans) as [Plan, ...Plan[]]).meta({
      id: 'Plan',
      description: 'The plan, which sets the limits. `none`: no plan; the operator has set the limits.',
    }),
    max_key_lifetime_days: z
      .int()
      .nullable()
      .meta({ description: 'The longest life of a new API key, in days; null: no limit.' }),
  })
  .meta({ id: 'Organisation', description: 'The organisation that the credential acts for.' })

const Membership = z
  .object({
    id: OrganisationId,
    name: z.string().meta({ description: 'The name of the organisation.' }),
    role: Role,
  })
  .meta({ id: 'Membership' })

export const Session = z
  .object({
    object: z.literal('session'),
    type: z.literal('session').meta({ description: 'The kind of credential.' }),
    id: SessionId,
    user: User,
    organisation: Organisation,
    role: Role,
    scopes: z.array(ScopeName).meta({ description: 'The permissions that it holds.' }),
    organisations: z.array(Membership).meta({ description: 'All organisations of the person, with the role in each.' }),
    expires_at: z.iso
      .datetime()
      .meta({ description: 'The latest end of the session. It ends earlier if it is not used.' }),
  })
  .meta({ id: 'Session', description: 'A browser session of a person.' })

export type Session = z.infer<typeof Session>

/** Each has one value of `type`, so that a comparison with it tells a typed client which one it is. */
const ofProgram = <Type extends string>(type: Type) =>
  z.object({
    object: z.literal('me'),
    type: z.literal(type).meta({ description: 'The kind of credential.' }),
    id: z.string().meta({
      description: type === 'api_key' ? 'The id of the API key.' : 'The key or user that created the token.',
    }),
    organisation: Organisation,
    scopes: z.array(ScopeName).meta({ description: 'The permissions that it holds.' }),
  })

const KeyCredential = ofProgram('api_key').meta({ id: 'KeyCredential', description: 'An API key.' })
const TokenCredential = ofProgram('session_token').meta({ id: 'TokenCredential', description: 'A short-lived token.' })

export const Me = z.discriminatedUnion('type', [Session, KeyCredential, TokenCredential]).meta({ id: 'Me' })

export type Me = z.infer<typeof Me>

export const SessionRecord = z
  .object({
    id: SessionId,
    object: z.literal('session_record'),
    organisation_id: OrganisationId,
    is_current: z.boolean().meta({ description: 'Whether this request uses it.' }),
    created_at: createdAt,
    seen_at: z.iso.datetime().meta({ description: 'When it was last used, accurate to about a minute.' }),
    expires_at: z.iso.datetime().meta({ description: 'When it ends at the latest.' }),
    ended_at: z.iso.datetime().nullable().meta({ description: 'When it ended; null if it is active.' }),
    address: z.string().nullable().meta({ description: 'The IP address at login.' }),
    user_agent: z.string().nullable().meta({ description: 'The browser at login.' }),
  })
  .meta({ id: 'SessionRecord' })

export type SessionRecord = z.infer<typeof SessionRecord>

const EmailProof = z
  .object({
    object: z.literal('email_proof'),
    email: z.string().meta({ description: 'The e-mail address.' }),
    proven: z.boolean().meta({ description: 'Whether you have shown that you read its mail.' }),
  })
  .meta({ id: 'EmailProof' })

export type EmailProof = z.infer<typeof EmailProof>

export const auth = {
  login: operation({
    method: 'POST',
    path: '/api/auth/login',
    summary: 'Log in',
    description:
      'Starts a session and sets its cookie. A failed login returns the same error for an unknown account and a wrong password. ' +
      'After too many attempts it returns 429 for a while, whether or not the account exists. A browser that has logged in ' +
      'before has separate attempts, which others cannot use up.',
    scope: 'anyone',
    names: 'nothing',
    status: 200,
    alsoAtRoot: true,
    input: z
      .strictObject({
        email: Email,
        password: Password,
        organisation_id: OrganisationId.optional().meta({
          description:
            'The organisation that the session acts for. Default: the one that you joined first. Name it if your address has ' +
            'accounts in several organisations: without it, two of them are tried.',
        }),
      })
      .meta({ id: 'Login' }),
    output: Session,
    errors: [],
  }),
  logout: operation({
    method: 'POST',
    path: '/api/auth/logout',
    summary: 'Log out',
    description: 'Ends the session of the cookie. Keys cannot log out; revoke them instead.',
    scope: 'signed_in',
    session: 'required',
    names: 'nothing',
    status: 200,
    alsoAtRoot: true,
    input: z.strictObject({}),
    output: SessionRecord,
    errors: [],
  }),
  me: operation({
    method: 'GET',
    path: '/api/auth/me',
    summary: 'Show the current credential',
    description: 'Returns the person or key, the organisation and the scopes.',
    scope: 'signed_in',
    names: 'nothing',
    status: 200,
    alsoAtRoot: true,
    input: z.strictObject({}),
    output: Me,
    errors: [],
  }),
  updateMe: operation({
    method: 'PATCH',
    path: '/api/auth/me',
    summary: 'Change your name',
    description: 'Changes the name of the person of the session, in all organisations of the person.',
    scope: 'signed_in',
    session: 'required',
    names: 'nothing',
    status: 200,
    alsoAtRoot: true,
    input: z
      .strictObject({ name: z.string().max(peopleLimits.nameChars).trim().min(1).meta({ description: 'Your name.' }) })
      .meta({ id: 'UpdateMe' }),
    output: Session,
    errors: [],
  }),
  switchOrganisation: operation({
    method: 'POST',
    path: '/api/auth/organisation',
    summary: 'Switch to another of your organisations',
    description: 'Ends this session and starts one for the other organisation, with the same end.',
    scope: 'signed_in',
    session: 'required',
    names: 'nothing',
    status: 200,
    input: z.strictObject({ organisation_id: OrganisationId }).meta({ id: 'SwitchOrganisation' }),
    output: Session,
    errors: ['not_found'],
  }),
  changePassword: operation({
    method: 'POST',
    path: '/api/auth/password',
    summary: 'Change your password',
    description: 'Ends all your other sessions. This session gets a new cookie.',
    scope: 'signed_in',
    session: 'required',
    names: 'nothing',
    status: 200,
    input: z.strictObject({ current_password: Password, new_password: NewPassword }).meta({ id: 'ChangePassword' }),
    output: Session,
    errors: ['password_wrong', 'password_refused'],
  }),
  resetPassword: operation({
    method: 'POST',
    path: '/api/auth/password-reset',
    summary: 'Set a new password with a link',
    description: 'Ends all your sessions. The link works once.',
    scope: 'anyone',
    names: 'nothing',
    status: 200,
    input: z.strictObject({ token: LinkToken, password: NewPassword }).meta({ id: 'ResetPassword' }),
    output: z.object({ object: z.literal('password_reset'), user: User }).meta({ id: 'PasswordReset' }),
    errors: ['link_invalid', 'password_refused'],
  }),
  sendEmailProof: operation({
    method: 'POST',
    path: '/api/auth/email-proof-links',
    summary: 'Get a mail that proves your address',
    description:
      `Sends a link to your e-mail address. It works once, for ${limits.emailProofHours} hours, in a session of your account. Only proven addresses get ` +
      'other mails. If the address is proven, nothing is sent.',
    scope: 'signed_in',
    session: 'required',
    names: 'nothing',
    status: 200,
    input: z.strictObject({}),
    output: EmailProof,
    errors: ['mail_disabled', 'limit_reached'],
  }),
  proveEmail: operation({
    method: 'POST',
    path: '/api/auth/email-proof',
    summary: 'Prove your address with a link',
    scope: 'signed_in',
    session: 'required',
    names: 'nothing',
    status: 200,
    input: z.strictObject({ token: LinkToken }).meta({ id: 'ProveEmail' }),
    output: EmailProof,
    errors: ['link_invalid', 'email_taken'],
  }),
  acceptInvitation: operation({
    method: 'POST',
    path: '/api/auth/invitation',
    summary: 'Accept an invitation',
    description:
      'Makes you a member and logs you in. Without a session you choose a password, and a new account is created in this ' +
      'organisation only, even if your address has an account elsewhere. To join with the account that you have, log in ' +
      'first and send its password with the session cookie.',
    scope: 'anyone',
    names: 'nothing',
    status: 200,
    input: z
      .strictObject({
        token: LinkToken,
        name: z.string().max(peopleLimits.nameChars).optional().meta({ description: 'For a new account.' }),
        password: NewPassword,
      })
      .meta({ id: 'AcceptInvitation' }),
    output: Session,
    errors: ['link_invalid', 'password_refused', 'password_wrong', 'member_exists', 'limit_reached'],
  }),
} as const

export const sessions = {
  list: operation({
    method: 'GET',
    path: '/sessions',
    summary: 'List your sessions',
    description: 'Lists your active browser sessions in all your organisations.',
    scope: 'signed_in',
    session: 'required',
    names: 'nothing',
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
    session: 'required',
    names: 'nothing',
    status: 200,
    input: z.strictObject({ id: SessionId }),
    output: SessionRecord,
    errors: ['not_found'],
  }),
} as const
